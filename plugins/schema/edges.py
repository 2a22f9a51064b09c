"""What a query asks of the graph: every property of every pattern, between two ends, and whether it must match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proxy.syntax import (
    Alternative,
    Blank,
    Form,
    Inverse,
    Iri,
    Path,
    Predicate,
    Repeat,
    Sequence,
    Syntax,
    Term,
    TriplePattern,
    Variable,
    nullable,
)

_QUESTIONS = (Form.SELECT, Form.ASK, Form.CONSTRUCT)


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """One property between two ends, in the direction of the property: an inverse step is turned round.

    Shapes: an end inside a path is a blank node of its own; an end of a repeated step is None, since it may be any
    number of steps away. ``required``: no solution of the query exists without a match. ``whole``: the edge is all
    of its pattern.
    """

    subject: Term | None
    property: Iri
    object: Term | None
    pattern: TriplePattern
    required: bool
    whole: bool


def edges(syntax: Syntax) -> Iterator[Edge]:
    """Yield the edges that the endpoint itself must match.

    What stands in a SERVICE is another graph's; a template matches nothing. Nothing is required in a text with errors,
    which has patterns and no scopes, with a prefix that only the endpoint knows, which can stand for anything, in a
    DESCRIBE, which may answer for a constant that matches nothing, and in an update.
    """
    sure = syntax.checked and not syntax.missing_prefixes and syntax.form in _QUESTIONS
    for pattern in syntax.patterns:
        if pattern.written or pattern.scope.service is not None or isinstance(pattern.predicate, Variable):
            continue
        yield from _Walk(pattern).edges(pattern.predicate, sure and pattern.required)


class _Walk:
    """Walk the path of one pattern."""

    def __init__(self, pattern: TriplePattern) -> None:
        self._pattern = pattern
        self._middles = 0

    def edges(self, predicate: Predicate, required: bool) -> Iterator[Edge]:
        pattern = self._pattern
        if isinstance(predicate, Iri):
            yield Edge(pattern.subject, predicate, pattern.object, pattern, required, True)
        elif not isinstance(predicate, Variable):
            yield from self._walk(predicate, pattern.subject, pattern.object, required)

    def _walk(self, path: Path, start: Term | None, end: Term | None, required: bool) -> Iterator[Edge]:
        """Yield the edges from one end to the other; the members of a negated set are what is not walked."""
        match path:
            case Iri():
                yield Edge(start, path, end, self._pattern, required, False)
            case Inverse(inner):
                yield from self._walk(inner, end, start, required)
            case Sequence(parts):
                yield from self._sequence(parts, start, end, required)
            case Alternative(options):
                for option in options:
                    yield from self._walk(option, start, end, False)
            case Repeat(inner, low, _):
                yield from self._walk(inner, None, None, required and low > 0)

    def _sequence(
        self, parts: tuple[Path, ...], start: Term | None, end: Term | None, required: bool
    ) -> Iterator[Edge]:
        for number, part in enumerate(parts, 1):
            after = end if number == len(parts) else self._middle()
            # A step that may be of no length at all leaves the next one at the place where it began.
            yield from self._walk(part, start, after, required and not nullable(part))
            start = after

    def _middle(self) -> Blank:
        self._middles += 1
        return Blank(f"[{self._pattern.start}/{self._middles}]")
