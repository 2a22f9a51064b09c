"""The XML of results: read, checked and counted while it streams."""

from __future__ import annotations

import re

from proxy.results.bounds import MAX_COLUMNS, MAX_ROW_BYTES
from proxy.results.reader import MalformedError, Reader
from proxy.results.state import State
from proxy.results.terms import LANGUAGE_TAG, Solution, Term, blank, iri, literal, triple
from proxy.results.xml_parser import XML, Attributes, XmlParser
from proxy.results.xml_rows import row_pattern

_NS = "http://www.w3.org/2005/sparql-results# "
_ITS = "http://www.w3.org/2005/11/its "
_CHILDREN: dict[str, tuple[str, ...]] = {
    "": ("sparql",),
    "sparql": ("head", "results", "boolean"),
    "head": ("variable", "link"),
    "results": ("result",),
    "result": ("binding",),
    "binding": ("uri", "literal", "bnode", "triple"),
    "triple": ("subject", "predicate", "object"),
    "subject": ("uri", "bnode", "literal", "triple"),
    "predicate": ("uri",),
    "object": ("uri", "literal", "bnode", "triple"),
}
_ATTRIBUTES: dict[str, frozenset[str]] = {
    "sparql": frozenset({"version"}),
    "variable": frozenset({"name"}),
    "link": frozenset({"href"}),
    "results": frozenset({"distinct", "ordered"}),
    "binding": frozenset({"name"}),
    "literal": frozenset({"datatype", XML + "lang", _ITS + "dir", _ITS + "version"}),
}
_OPEN_ATTRIBUTES = frozenset({"sparql", "head", "link"})
_PARTS = ("subject", "predicate", "object")
_TEXTS = ("uri", "literal", "bnode", "boolean")
_ROW_END = re.compile(rb"</result>")
_RESULTS = re.compile(rb"<results(?: [a-z]+=[\"'][a-z]*[\"'])*>")
# Units: bytes; see json_reader.
_WAIT = 2048


class XmlReader(Reader):
    """Read results as XML: expat and a stack of elements, and rows by pattern between them.

    Source: SPARQL Query Results XML Format (second edition) sections 2 and 3, SPARQL 1.2's additions.
    """

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.columns: list[str] = []
        self._parser = XmlParser(self._start, self._end, self._text)
        self._pattern: re.Pattern[bytes] | None = row_pattern(1)
        self._known: set[tuple[bytes | None, ...]] = set()
        self._stack: list[str] = [""]
        self.seen: set[str] = set()
        self._texts: list[str] = []
        self._text_size = 0
        self._attributes: Attributes = {}
        self._name = ""
        self._row: Solution = {}
        self._terms: list[Term] = []
        self._marks: list[int] = []
        self._fed = 0
        self._tag_size = 0
        self._gap = -1
        self._done = False

    # What a subclass that wants the rows overrides.

    def take_match(self, found: re.Match[bytes]) -> None:
        """Take one row that was swallowed."""

    def take_row(self, row: Solution) -> None:
        """Take one row that expat read."""

    def advance(self, data: bytes) -> int:
        """Feed expat up to the end of a row, then swallow rows, and so on."""
        position = 0
        if self.patient and len(data) < _WAIT:
            return 0
        while position < len(data):
            if self._between_rows():
                position = self._swallow(data, position)
                if self.patient and len(data) - position < _WAIT:
                    return position
            self.mark(position)
            end = self._piece_end(data, position)
            self._fed += end - position
            self._parser.feed(data[position:end])
            position = end
        return position

    def close(self) -> None:
        """Say whether the last element was closed."""
        self._parser.close()
        if not self._done:
            raise MalformedError("the body holds no results")

    def _piece_end(self, data: bytes, position: int) -> int:
        """Return where the next tag ends after which a row may begin, or the end of the data."""
        found = (_ROW_END if "results" in self.seen else _RESULTS).search(data, position)
        if found is None:
            return len(data)
        self._tag_size = len(found[0])
        return found.end()

    def _between_rows(self) -> bool:
        """Whether expat has read everything, and what it read last is a tag after which a row may begin."""
        return self._fed == self._gap and self._parser.defaults == [_NS.strip()]

    def _swallow(self, data: bytes, position: int) -> int:
        if self._pattern is None:
            return position
        match, known = self._pattern.match, self._known
        rows = 0
        while found := match(data, position):
            names = found.groups()
            if names not in known and not self._admit(names):
                break
            self.take_match(found)
            position = found.end()
            rows += 1
        self.state.rows += rows
        return position

    def _admit(self, names: tuple[bytes | None, ...]) -> bool:
        bound = [name.decode() for name in names if name is not None]
        if len(set(bound)) < len(bound) or not self._declared.issuperset(bound):
            return False
        if len(self._known) >= MAX_COLUMNS:
            self._known.clear()
        self._known.add(names)
        return True

    # Handlers of expat.

    def _start(self, name: str, attributes: Attributes) -> None:
        parent = self._stack[-1]
        local = name.removeprefix(_NS)
        if local not in _CHILDREN.get(parent, ()) or not name.startswith(_NS):
            raise MalformedError(f"the element {name.rpartition(' ')[2]!r} does not belong here")
        allowed = _ATTRIBUTES.get(local, frozenset())
        if not allowed.issuperset(attributes) and not self._tolerated(local, attributes, allowed):
            raise MalformedError(f"the element {local!r} has an unknown attribute")
        self._stack.append(local)
        self._attributes = attributes
        self._texts.clear()
        if opened := _OPENED.get(local):
            opened(self)

    def _tolerated(self, local: str, attributes: Attributes, allowed: frozenset[str]) -> bool:
        """Whether the unknown attributes are of other vocabularies, where these may stand."""
        return local in _OPEN_ATTRIBUTES and all(" " in name for name in attributes if name not in allowed)

    def _text(self, text: str) -> None:
        if self._stack[-1] in _TEXTS:
            self._text_size += len(text)
            if self._text_size > MAX_ROW_BYTES:
                raise MalformedError(f"a row is longer than {MAX_ROW_BYTES} characters")
            self._texts.append(text)
        elif text.strip(" \t\r\n"):
            raise MalformedError("found text between the elements")

    def _end(self, _: str) -> None:
        _CLOSED[self._stack.pop()](self)

    def _open_once(self) -> None:
        local = self._stack[-1]
        if local in self.seen or {local, *self.seen} >= {"results", "boolean"}:
            raise MalformedError(f"the element {local!r} does not belong here")
        if local != "head" and "head" not in self.seen:
            raise MalformedError("the head is missing")
        self.seen.add(local)

    def _open_results(self) -> None:
        self._open_once()
        self._gap = self._parser.event_index + self._tag_size

    def _open_variable(self) -> None:
        name = self._attributes.get("name")
        if name is None or name in self.columns or len(self.columns) >= MAX_COLUMNS:
            raise MalformedError("a variable has no name, comes twice, or is one too many")
        self.columns.append(name)

    def _open_binding(self) -> None:
        self._name = self._attributes.get("name", "")
        if self._name not in self._declared or self._name in self._row:
            raise MalformedError("a binding names no variable of the head, or one twice")

    def _close_head(self) -> None:
        self._declared = frozenset(self.columns)
        self._pattern = row_pattern(len(self.columns))

    def _close_result(self) -> None:
        self.state.rows += 1
        self._gap = self._parser.event_index + self._tag_size
        self.take_row(self._row)
        self._row = {}
        self._text_size = 0

    def _close_binding(self) -> None:
        if len(self._terms) != 1:
            raise MalformedError("a binding holds no term, or several")
        self._row[self._name] = self._terms.pop()

    def _close_boolean(self) -> None:
        word = "".join(self._texts).strip()
        if word not in ("true", "false"):
            raise MalformedError("the Boolean is neither true nor false")
        self.state.boolean = word == "true"

    def _close_uri(self) -> None:
        self._terms.append(iri("".join(self._texts)))

    def _close_bnode(self) -> None:
        self._terms.append(blank("".join(self._texts).removeprefix("_:")))

    def _close_literal(self) -> None:
        found = self._attributes
        language, direction = found.get(XML + "lang", ""), found.get(_ITS + "dir", "")
        if direction not in ("", "ltr", "rtl") or (language and not LANGUAGE_TAG.fullmatch(language)):
            raise MalformedError("a literal has an unreadable language or direction")
        self._terms.append(literal("".join(self._texts), found.get("datatype", ""), language, direction))

    def _open_triple(self) -> None:
        self._marks.append(len(self._terms))

    def _open_part(self) -> None:
        if len(self._terms) != self._marks[-1] + _PARTS.index(self._stack[-1]):
            raise MalformedError("the parts of a triple term are out of order")

    def _close_triple(self) -> None:
        if len(self._terms) != self._marks.pop() + 3:
            raise MalformedError("a triple term does not have three parts")
        subject, predicate, object_ = self._terms[-3:]
        self._terms[-3:] = [triple(subject, predicate, object_)]

    def _close_sparql(self) -> None:
        self._done = bool(self.seen & {"results", "boolean"})

    def _nothing(self) -> None:
        """Do nothing: the element's name and place say all."""


_OPENED = {
    "head": XmlReader._open_once,
    "results": XmlReader._open_results,
    "boolean": XmlReader._open_once,
    "variable": XmlReader._open_variable,
    "binding": XmlReader._open_binding,
    "triple": XmlReader._open_triple,
    "subject": XmlReader._open_part,
    "predicate": XmlReader._open_part,
    "object": XmlReader._open_part,
}
_CLOSED = {
    "sparql": XmlReader._close_sparql,
    "head": XmlReader._close_head,
    "variable": XmlReader._nothing,
    "link": XmlReader._nothing,
    "results": XmlReader._nothing,
    "result": XmlReader._close_result,
    "binding": XmlReader._close_binding,
    "boolean": XmlReader._close_boolean,
    "uri": XmlReader._close_uri,
    "literal": XmlReader._close_literal,
    "bnode": XmlReader._close_bnode,
    "triple": XmlReader._close_triple,
    "subject": XmlReader._nothing,
    "predicate": XmlReader._nothing,
    "object": XmlReader._nothing,
}
