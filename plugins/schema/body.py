"""The text of a look-up: patterns of a query, with names of our own, so that equal questions are asked once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from plugins.schema.edges import Edge
from proxy.syntax import (
    Blank,
    Iri,
    Literal,
    Predicate,
    Scope,
    ScopeKind,
    Term,
    TriplePattern,
    TripleTerm,
    Variable,
    steps,
)

_PLAIN_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[^\x00-\x20<>\"{}|^`\\%]|%[0-9A-Fa-f]{2})*")
_TYPES = {"http://www.w3.org/2001/XMLSchema#" + name for name in ("integer", "decimal", "double", "boolean")}


class Unaskable(Exception):
    """A term that a look-up cannot hold: a relative IRI, a triple term."""


class Body:
    """Put patterns together, each once. Every variable of the query gets one name of ours, the same everywhere."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """The group graph pattern, without its brackets."""
        return " ".join(self._parts)

    def edge(self, edge: Edge) -> Body:
        """Add an edge in its own direction. Raises Unaskable."""
        return self._add(edge.subject, edge.property, edge.object, edge.pattern.scope)

    def reversed(self, edge: Edge) -> Body:
        """Add an edge against its direction. Raises Unaskable."""
        return self._add(edge.object, edge.property, edge.subject, edge.pattern.scope)

    def pattern(self, pattern: TriplePattern) -> Body:
        """Add a whole pattern with its path. Raises Unaskable."""
        return self._add(pattern.subject, pattern.predicate, pattern.object, pattern.scope)

    def values(self, term: Term, constants: Sequence[Term]) -> Body:
        """Say that a variable is one of these. Raises Unaskable."""
        given = " ".join(dict.fromkeys(map(self.term, constants)))
        part = f"VALUES {self.term(term)} {{ {given} }}"
        if part not in self._parts:
            self._parts.insert(0, part)
        return self

    def term(self, term: Term) -> str:
        """Return a term as a look-up writes it. Raises Unaskable."""
        match term:
            case Iri(value):
                return _iri(value)
            case Literal():
                if term.datatype not in _TYPES:
                    _iri(term.datatype)
                return str(term)
            case Variable() | Blank():
                return self._names.setdefault(str(term), f"?v{len(self._names)}")
            case TripleTerm():
                raise Unaskable

    def _add(self, subject: Term | None, predicate: Predicate, node: Term | None, scope: Scope) -> Body:
        if subject is None or node is None or isinstance(subject, Literal):
            raise Unaskable
        for step in steps(predicate):
            _iri(step.iri.value)
        path = self.term(predicate) if isinstance(predicate, Variable) else str(predicate)
        text = f"{self.term(subject)} {path} {self.term(node)} ."
        around = graph_of(scope)
        part = text if around is None else f"GRAPH {self.term(around)} {{ {text} }}"
        if part not in self._parts:
            self._parts.append(part)
        return self


def graph_of(scope: Scope) -> Iri | Variable | None:
    """Return the name of the graph that a scope is matched in, None for the default graph."""
    for place in (scope, *scope.ancestors()):
        if place.kind is ScopeKind.GRAPH and isinstance(place.name, Iri | Variable):
            return place.name
    return None


def _iri(value: str) -> str:
    if not _PLAIN_IRI.fullmatch(value):
        raise Unaskable
    return f"<{value}>"


def askable(iri: str) -> bool:
    """Whether an IRI is absolute, so that it means to the endpoint what it means to us."""
    return bool(_PLAIN_IRI.fullmatch(iri))
