"""Where in a query a pattern stands, and whether the query can have a solution without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from proxy.syntax.terms import Iri, Variable


class ScopeKind(StrEnum):
    """The construct that opened a scope."""

    WHERE = "where"
    GROUP = "group"
    OPTIONAL = "optional"
    MINUS = "minus"
    UNION = "union"
    EXISTS = "exists"
    NOT_EXISTS = "not_exists"
    SUBSELECT = "subselect"
    GRAPH = "graph"
    SERVICE = "service"
    NAMED = "named"
    LATERAL = "lateral"
    TEMPLATE = "template"
    DATA = "data"


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """One group of a query; compared by identity.

    Shapes: ``parent`` is the scope around it, None for a WHERE, template or data block; the parent of a named
    subquery is the scope that INCLUDEs it (Blazegraph). ``name`` is the term of GRAPH and SERVICE or the name of a
    named subquery. ``projection`` is the list of variables that a sub-select lets out, None for ``*`` and for all
    other kinds. ``aggregated``: its SELECT aggregates without GROUP BY, so it has a solution whatever is inside.
    ``required``: no solution of the query exists without a solution of this scope; for a WHERE that aggregates this
    is said of the rows before they are counted.

    Units: ``start`` is the offset of the opening bracket in the original text, ``end`` that after the closing one.
    """

    kind: ScopeKind
    parent: Scope | None
    required: bool
    start: int
    end: int
    name: Iri | Variable | str | None = None
    projection: tuple[str, ...] | None = None
    aggregated: bool = False

    @property
    def depth(self) -> int:
        return sum(1 for _ in self.ancestors())

    def ancestors(self) -> Iterator[Scope]:
        """Yield the scopes around this one, the nearest first."""
        scope = self.parent
        while scope is not None:
            yield scope
            scope = scope.parent

    def inside(self, *kinds: ScopeKind) -> bool:
        """Tell whether this scope or one around it is of one of these kinds."""
        return self.kind in kinds or any(scope.kind in kinds for scope in self.ancestors())

    @property
    def service(self) -> Iri | Variable | str | None:
        """The target of the innermost SERVICE around, None where the endpoint itself answers."""
        for scope in (self, *self.ancestors()):
            if scope.kind is ScopeKind.SERVICE:
                return scope.name
        return None
