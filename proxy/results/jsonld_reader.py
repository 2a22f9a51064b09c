"""JSON-LD: read, checked and counted while it streams."""

from __future__ import annotations

import json
from collections.abc import Callable

from proxy.results.json_tokens import NODE, TOKEN, UNFINISHED, Budget, Grammar, Json, expect, members, value
from proxy.results.reader import MalformedError, Reader
from proxy.results.state import State

# Units: bytes; see json_reader.
_WAIT = 2048
_NO_TRIPLES = frozenset({"@id", "@context", "@index", "@version", "id"})
# Source: JSON-LD 1.1 section 1.7.
_KEYWORDS = frozenset(
    {"@base", "@container", "@context", "@direction", "@graph", "@id", "@import", "@included", "@index", "@json"}
    | {"@language", "@list", "@nest", "@none", "@prefix", "@propagate", "@protected", "@reverse", "@set", "@type"}
    | {"@value", "@version", "@vocab"}
)
_OF_VALUES = frozenset({"@value", "@type", "@language", "@direction", "@index", "@context"})
_CONTAINERS = frozenset({"@graph", "@included", "@reverse", "@list", "@set"})


class JsonLdReader(Reader):
    """Read JSON-LD as JSON: one array of nodes, or one object that may hold them in `@graph`.

    The nodes are read one by one, so that memory holds a single one. The number of triples is the number of values:
    exact for the flat and expanded forms that endpoints send, an estimate where a context gives lists and maps other
    meanings.
    Source: JSON-LD 1.1 section 9.
    """

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self._done = False
        self._at_node = False
        self._any = False
        self._grammar = self._document()
        next(self._grammar)

    def advance(self, data: bytes) -> int:
        """Read tokens until the rest is none."""
        match, send = TOKEN.match, self._grammar.send
        position = 0
        while True:
            if self._at_node:
                position = self._swallow(data, position)
                if self._waits(data, position):
                    return position
            self.mark(position)
            found = match(data, position)
            if found is None:
                break
            position = found.end()
            send(found[1])
        if UNFINISHED.match(data, position) is None:
            raise MalformedError("found text that is not JSON")
        rest = data[position:].strip(b" \t\r\n")
        if rest and self._done:
            raise MalformedError("text follows the end of the answer")
        return position if rest else len(data)

    def _waits(self, data: bytes, position: int) -> bool:
        """Whether to see more of a node before it is read token by token."""
        return self._at_node and self.patient and len(data) - position < _WAIT

    def _swallow(self, data: bytes, position: int) -> int:
        """Read whole nodes that have a comma behind them."""
        match = NODE.match
        while found := match(data, position):
            self.mark(position)
            self.state.rows += triples_of(json.loads(found[1], object_pairs_hook=_distinct))
            position = found.end()
            self._any = True
        return position

    def close(self) -> None:
        """Say whether the last bracket was there."""
        if not self._done:
            raise MalformedError("the body ends before its last bracket")

    def _document(self) -> Grammar:
        token = yield
        if token == b"[":
            yield from self._nodes()
        else:
            expect(token, b"{")
            rest: dict[str, Json] = {}
            yield from members(self._member_of(rest), Budget())
            self.state.rows += triples_of(rest)
        self._done = True
        yield
        raise MalformedError("text follows the end of the answer")

    def _member_of(self, rest: dict[str, Json]) -> Callable[[str], Grammar]:
        def member(key: str) -> Grammar:
            token = yield
            if key == "@graph" and token == b"[":
                yield from self._nodes()
                return
            found = yield from value(token, Budget())
            # A context may be large and holds no triples; the other members are those of one node.
            if key not in _NO_TRIPLES:
                rest[key] = found

        return member

    def _nodes(self) -> Grammar:
        """Read nodes up to the bracket after the last one."""
        self._at_node = True
        token = yield
        self._at_node = False
        if token == b"]" and not self._any:
            return
        while True:
            node = yield from value(token, Budget())
            if not isinstance(node, dict):
                raise MalformedError("a node is not an object")
            self.state.rows += triples_of(node)
            token = yield
            if token == b"]":
                return
            expect(token, b",")
            self._at_node = True
            token = yield
            self._at_node = False


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise MalformedError("an object has the same key twice")
    return found


def triples_of(node: Json) -> int:
    """Count the values of a node and of the nodes within it. Raises MalformedError for damaged keywords."""
    if not isinstance(node, dict):
        return 0
    for key in node:
        if key[:1] == "@" and key not in _KEYWORDS:
            raise MalformedError(f"the keyword {key!r} is unknown")
    if "@value" in node:
        if not _OF_VALUES.issuperset(node):
            raise MalformedError("a value object has keys of other objects")
        return 0
    if "@language" in node or "@direction" in node:
        raise MalformedError("a language or direction stands without its value")
    return sum(_count(key, found) for key, found in node.items() if key not in _NO_TRIPLES)


def _count(key: str, found: Json) -> int:
    values = found if isinstance(found, list) else [found]
    own = 0 if key in _CONTAINERS else len(values)
    return own + sum(map(triples_of, values))
