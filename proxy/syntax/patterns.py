"""Triple patterns and constant bindings, flat, as a query has them."""

from __future__ import annotations

from typing import NamedTuple

from proxy.syntax.scopes import Scope, ScopeKind
from proxy.syntax.terms import Predicate, Term, Variable, nullable

_WRITTEN = (ScopeKind.TEMPLATE, ScopeKind.DATA)


class TriplePattern(NamedTuple):
    """One subject, predicate (term or path) and object, with its scope.

    Units: ``start`` and ``end`` are offsets into the original text. They span what is written for this pattern
    alone: from the subject, after a ``;`` from the predicate, after a ``,`` from the object, to the object's end.
    ``verb`` are the offsets of the predicate, which several patterns may share; equal ones where none is written.
    """

    subject: Term
    predicate: Predicate
    object: Term
    scope: Scope
    start: int
    end: int
    verb: tuple[int, int] = (0, 0)

    @property
    def required(self) -> bool:
        """Whether no solution of the query exists without a match of this pattern."""
        return self.scope.required and not nullable(self.predicate)

    @property
    def written(self) -> bool:
        """Whether the pattern is a template (CONSTRUCT, INSERT, DELETE) and matches nothing by itself."""
        return self.scope.kind in _WRITTEN

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


class Binding(NamedTuple):
    """Constants that a variable is given: one by BIND, one per row by VALUES (None is UNDEF)."""

    variable: Variable
    terms: tuple[Term | None, ...]
    scope: Scope | None
    start: int
