"""Turtle: read, checked and counted while it streams."""

from __future__ import annotations

import re
from collections.abc import Generator

from proxy.results.bounds import MAX_DEPTH
from proxy.results.reader import MalformedError, Reader
from proxy.results.state import State
from proxy.results.terms import RDF, Statement, Term, iri, triple
from proxy.results.turtle_names import Names
from proxy.results.turtle_tokens import AFTER_COMMA, AFTER_SEMICOLON, TOKEN, TRIPLE, UNFINISHED

_FIRST, _REST, _NIL = iri(RDF + "first"), iri(RDF + "rest"), iri(RDF + "nil")
_REIFIES = iri(RDF + "reifies")
_NOTHING = iri("")
_PATTERNS: dict[bytes | None, re.Pattern[bytes]] = {b";": AFTER_SEMICOLON, b",": AFTER_COMMA, None: TRIPLE}
_DIRECTIVES = frozenset({b"@prefix", b"@base", b"@version", b"prefix", b"base", b"version"})
# Units: bytes; see json_reader.
_WAIT = 2048
_MAX_KNOWN = 4096

Grammar = Generator[None, bytes, None]
Step = Generator[None, bytes, bytes]
Making = Generator[None, bytes, Term]


class TurtleReader(Reader):
    """Read Turtle: a grammar by token, and triples without brackets by pattern.

    A body that was cut between two statements, or joined from two, cannot be told from a whole one.
    Source: RDF 1.2 Turtle section 6.5.
    """

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.names = Names()
        self._known: set[tuple[bytes | None, ...]] = set()
        self._grammar: Grammar | None = None
        # What ended the last triple that was swallowed: a semicolon, a comma, or None for a full stop.
        self._after: bytes | None = None
        self._depth = 0

    def take_statement(self, statement: Statement) -> None:
        """Take one triple that was read by token. A subclass that wants all of them sets ``swallows`` to False."""

    swallows = True

    def advance(self, data: bytes) -> int:
        """Swallow triples between statements, else read tokens."""
        size = len(data)
        if self.ended:
            data += b"\n"
        position = 0
        while True:
            if self._grammar is None:
                position = self._swallow(data, position) if self.swallows else position
                if self.patient and size - position < _WAIT:
                    return position
            self.mark(position)
            found = TOKEN.match(data, position)
            if found is None:
                break
            position = found.end()
            self._send(found[1])
        return self._stopped(data, position, size)

    def close(self) -> None:
        """Say whether the last statement was whole; an empty body is an empty graph."""
        if self._grammar is not None or self._after is not None:
            raise MalformedError("the last statement is not whole")

    def _stopped(self, data: bytes, position: int, size: int) -> int:
        if UNFINISHED.match(data, position) is None:
            raise MalformedError("found text that is not Turtle")
        rest = data[position:].lstrip(b" \t\r\n")
        return size if not rest or (self.ended and rest[:1] == b"#") else min(position, size)

    def _swallow(self, data: bytes, position: int) -> int:
        after, known, rows = self._after, self._known, 0
        while found := _PATTERNS[after].match(data, position):
            *prefixes, mark = found.groups()
            used = tuple(prefixes)
            if used not in known and not self._admit(used):
                break
            after = mark
            position = found.end()
            rows += 1
        self._after = after
        self.state.rows += rows
        return position

    def _admit(self, prefixes: tuple[bytes | None, ...]) -> bool:
        if not all(prefix is None or prefix in self.names.prefixes for prefix in prefixes):
            return False
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        self._known.add(prefixes)
        return True

    def _send(self, token: bytes) -> None:
        if self._grammar is None:
            self._grammar = self._statement() if self._after is None else self._rest_of_statement(self._after)
            self._after = None
            next(self._grammar)
        try:
            self._grammar.send(token)
        except StopIteration:
            self._grammar = None

    def _emit(self, subject: Term, predicate: Term, object_: Term) -> None:
        self.state.rows += 1
        self.take_statement((subject, predicate, object_))

    # The grammar, by token. What reads a list returns the token after it.

    def _statement(self) -> Grammar:
        token = yield
        word = token.lower()
        if word in _DIRECTIVES and (token[:1] == b"@" or b":" not in token):
            yield from self._directive(word)
            return
        bracket = token == b"["
        reified = token == b"<<"
        rows = self.state.rows
        subject = yield from self._node(token)
        if subject.kind in ("literal", "triple"):
            raise MalformedError("a subject is no IRI or blank node")
        token = yield
        if token == b"." and (reified or (bracket and self.state.rows > rows)):
            return
        _stop((yield from self._predicates(subject, token)))

    def _rest_of_statement(self, after: bytes) -> Grammar:
        """Read on after triples that were swallowed; their subject is not known, and not asked for."""
        token = yield
        if after == b",":
            token = yield from self._objects(_NOTHING, _NOTHING, token)
            if token != b";":
                _stop(token)
                return
            token = yield
        _stop((yield from self._predicates(_NOTHING, token, b";")))

    def _directive(self, word: bytes) -> Grammar:
        if word.endswith(b"prefix"):
            name = yield
            self.names.declare(name, (yield))
            self._known.clear()
        elif word.endswith(b"base"):
            self.names.base = self.names.reference((yield))
        elif (yield)[:1] not in (b'"', b"'"):
            raise MalformedError("expected a version")
        if word[:1] == b"@":
            _stop((yield))

    def _predicates(self, subject: Term, token: bytes, after: bytes = b"") -> Step:
        """Read predicates with their objects. After a semicolon there need not be another one."""
        while True:
            while token == b";" and after:
                token = yield
            if after and token in (b".", b"]", b"|}"):
                return token
            predicate = self.names.verb(token)
            token = yield from self._objects(subject, predicate, (yield))
            if token != b";":
                return token
            after = token
            token = yield

    def _objects(self, subject: Term, predicate: Term, token: bytes) -> Step:
        while True:
            object_ = yield from self._node(token)
            self._emit(subject, predicate, object_)
            token = yield from self._annotations((subject, predicate, object_), (yield))
            if token != b",":
                return token
            token = yield

    def _annotations(self, about: Statement, token: bytes) -> Step:
        reifier: Term | None = None
        while token in (b"~", b"{|"):
            if token == b"~":
                reifier, token = yield from self._reifier((yield))
                self._emit(reifier, _REIFIES, triple(*about))
                continue
            if reifier is None:
                reifier = self.names.fresh()
                self._emit(reifier, _REIFIES, triple(*about))
            if (yield from self._predicates(reifier, (yield))) != b"|}":
                raise MalformedError("an annotation is not closed")
            reifier = None
            token = yield
        return token

    def _reifier(self, token: bytes) -> Generator[None, bytes, tuple[Term, bytes]]:
        if token[:1] in (b"<", b"_") or (b":" in token and token[:1] not in (b'"', b"'")):
            return self.names.term(token), (yield)
        return self.names.fresh(), token

    def _node(self, token: bytes) -> Making:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise MalformedError(f"brackets are nested more than {MAX_DEPTH} deep")
        read = _BRACKETS.get(token)
        found = self.names.term(token) if read is None else (yield from read(self))
        self._depth -= 1
        return found

    def _anonymous(self) -> Making:
        node = self.names.fresh()
        token = yield
        if token != b"]" and (yield from self._predicates(node, token)) != b"]":
            raise MalformedError("a blank node is not closed")
        return node

    def _list(self) -> Making:
        head = last = _NIL
        token = yield
        while token != b")":
            node = self.names.fresh()
            if last is _NIL:
                head = node
            else:
                self._emit(last, _REST, node)
            self._emit(node, _FIRST, (yield from self._node(token)))
            last = node
            token = yield
        if last is not _NIL:
            self._emit(last, _REST, _NIL)
        return head

    def _triple(self) -> Making:
        subject = yield from self._node((yield))
        predicate = self.names.verb((yield))
        object_ = yield from self._node((yield))
        if (yield) != b")>>":
            raise MalformedError("a triple term is not closed")
        return triple(subject, predicate, object_)

    def _reified(self) -> Making:
        subject = yield from self._node((yield))
        predicate = self.names.verb((yield))
        object_ = yield from self._node((yield))
        token = yield
        reifier = self.names.fresh()
        if token == b"~":
            reifier, token = yield from self._reifier((yield))
        if token != b">>":
            raise MalformedError("a reified triple is not closed")
        self._emit(reifier, _REIFIES, triple(subject, predicate, object_))
        return reifier


def _stop(token: bytes) -> None:
    if token != b".":
        raise MalformedError("a statement does not end with a full stop")


_BRACKETS = {
    b"[": TurtleReader._anonymous,
    b"(": TurtleReader._list,
    b"<<(": TurtleReader._triple,
    b"<<": TurtleReader._reified,
}
