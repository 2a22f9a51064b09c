"""N-Triples: read, checked and counted while it streams."""

from __future__ import annotations

import re

from proxy.patterns import compiled
from proxy.results.lines import LineReader
from proxy.results.reader import MalformedError
from proxy.results.terms import Statement
from proxy.results.turtle_terms import BLANK, IRIREF, LITERAL, NUMBER, read_term, skip_space

_SPACE = rb"[ \t]*+"
# Bare numbers and Booleans are Turtle, which QLever sends under this name.
_OBJECT = rb"(?:" + IRIREF + rb"|" + BLANK + rb"|" + LITERAL + rb"|" + NUMBER + rb"(?![0-9.])|true|false)"
_SUBJECT = rb"(?:" + IRIREF + rb"|" + BLANK + rb")"
_TRIPLE = _SPACE.join((rb"(" + _SUBJECT + rb")", rb"(" + IRIREF + rb")", rb"(" + _OBJECT + rb")"))
# The beginning of a line with a statement.
STATEMENT = compiled(_SPACE + _TRIPLE + _SPACE + rb"\.")
_LINE = compiled(_SPACE + rb"(?:" + _TRIPLE + _SPACE + rb"\." + _SPACE + rb")?+(?:#[^\r\n]*+)?+(?:\r?\n|\r(?!\Z))")


def statement(line: str) -> Statement | None:
    """Return what one line says, None for an empty line or a comment. Raises MalformedError."""
    position = skip_space(line, 0)
    if position == len(line) or line[position] == "#":
        return None
    parts = []
    for _ in range(3):
        part, position = read_term(line, skip_space(line, position))
        parts.append(part)
    subject, predicate, object_ = parts
    if subject.kind == "literal" or predicate.kind != "iri":
        raise MalformedError("a subject is a literal, or a predicate no IRI")
    position = skip_space(line, position)
    if not line.startswith(".", position):
        raise MalformedError("a statement does not end with a dot")
    position = skip_space(line, position + 1)
    if position < len(line) and line[position] != "#":
        raise MalformedError("text follows a statement")
    return subject, predicate, object_


class NTriplesReader(LineReader):
    """Read N-Triples line by line.

    A body that was cut between two lines, or joined from two, cannot be told from a whole one.
    Source: RDF 1.2 N-Triples section 7.
    """

    def read_header(self, data: bytes) -> int:
        """There is none."""
        self.pattern = _LINE
        return 0

    def read_odd(self, data: bytes, position: int) -> int:
        """Read a line with terms that the pattern does not know, or the last one, without a line end."""
        found = data.find(b"\n", position)
        if found < 0 and not self.ended:
            return position
        end = len(data) if found < 0 else found
        triple = statement(data[position:end].decode().removesuffix("\r"))
        if triple is not None:
            self.state.rows += 1
            self.take_statement(triple)
        return len(data) if found < 0 else found + 1

    def take_match(self, found: re.Match[bytes]) -> int:
        """Count one statement; an empty line is none."""
        return 1 if found.lastindex else 0

    def take_statement(self, triple: Statement) -> None:
        """Take one statement that was read term by term."""

    def close(self) -> None:
        """Every line was judged when it was read; an empty body is an empty graph."""
