"""One query before the guard: its edges with their properties, what is known of their ends, and how to word it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Self

from plugins.schema.edges import Edge, edges
from plugins.schema.findings import Code, Finding, Named, line, shown
from plugins.schema.lookups import Lookups
from plugins.schema.model import Property, Role
from plugins.schema.source import Schema
from plugins.schema.variables import Variables
from plugins.schema.vocabulary import vocabulary
from proxy.syntax import Blank, Form, Iri, Scope, ScopeKind, Syntax, Term, Variable

# Above this a query is judged up to here; the rest of it is not looked at.
MOST_EDGES = 4_000
# So many edges are read, or judged, in one go.
_PART = 4
FORWARD: frozenset[Role] = frozenset(("direct", "direct_normalized", "claim"))
VALUED: frozenset[Role] = frozenset(("direct", "statement"))
_COUNTS = re.compile(r"\b(?:COUNT|SUM|AVG)\s*\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """An edge whose property the schema knows."""

    edge: Edge
    property: Property
    role: Role


class Case:
    """Read a query against a schema, once."""

    def __init__(self, syntax: Syntax, schema: Schema, lookups: Lookups) -> None:
        self._begin(syntax, schema, lookups)
        for _ in self.reading():
            pass

    @classmethod
    def unread(cls, syntax: Syntax, schema: Schema, lookups: Lookups) -> Self:
        """Return a case whose edges are still to be read, by `reading`."""
        case = cls.__new__(cls)
        case._begin(syntax, schema, lookups)
        return case

    def _begin(self, syntax: Syntax, schema: Schema, lookups: Lookups) -> None:
        self.syntax = syntax
        self.schema = schema
        self.lookups = lookups
        self.vocabulary = vocabulary(schema.graph)
        self.variables = Variables(syntax, self.vocabulary)
        self.uses: list[Use] = []
        self.unknown: list[Edge] = []
        self._into: defaultdict[str, list[Use]] = defaultdict(list)
        self._out: defaultdict[str, list[Use]] = defaultdict(list)
        self._says_type = self._type_properties()

    def reading(self) -> Iterator[None]:
        """Read the edges in short steps, so that others get a turn."""
        for number, edge in enumerate(islice(edges(self.syntax), MOST_EDGES), 1):
            if number % _PART == 0:
                yield
            found = self.schema.role_of(edge.property.value)
            if found is None:
                self.unknown.append(edge)
                continue
            use = Use(edge, *found)
            self.uses.append(use)
            if isinstance(edge.subject, Variable | Blank):
                self._out[str(edge.subject)].append(use)
            if isinstance(edge.object, Variable | Blank):
                self._into[str(edge.object)].append(use)

    def parts(self) -> Iterator[Case]:
        """Yield cases that are this one with some of its edges each, so that judging can pause between them."""
        for start in range(0, max(len(self.uses), len(self.unknown)), _PART):
            part = copy(self)
            part.uses = self.uses[start : start + _PART]
            part.unknown = self.unknown[start : start + _PART]
            yield part

    def into(self, term: Term | None) -> Sequence[Use]:
        """Return the uses whose object is this variable, in any scope."""
        return self._into.get(str(term), ())

    def out(self, term: Term | None) -> Sequence[Use]:
        """Return the uses whose subject is this variable, in any scope."""
        return self._out.get(str(term), ())

    def says_type(self, prop: Property) -> bool:
        """Whether a property says type or superclass, which every node may have."""
        return prop.id in self._says_type

    def constants(self, term: Term | None, scope: Scope) -> tuple[Term, ...]:
        """Return the constants that an end can be."""
        return () if term is None else self.variables.constants(term, scope)

    def finding(self, code: Code, edge: Edge, prop: Property | None, reason: str) -> Finding:
        """Return a finding about an edge, as a warning that nobody verified yet."""
        pattern = edge.pattern
        row, column = self.syntax.position(pattern.start)
        name = self.short(edge.property.value) if prop is None else named(prop)
        return Finding(
            code=code,
            severity="warn",
            line=row,
            column=column,
            start=pattern.start,
            end=pattern.end,
            pattern=shown(self.syntax.written(pattern)),
            prop=name,
            reason=reason,
            subject=self.written(edge.subject),
        )

    def concluded(self, finding: Finding) -> Finding:
        """Say what the answer is, where a count or a yes/no question rightly has none.

        Only a verified finding about what every solution needs says so: else there may be an answer.
        """
        answer = "false" if self.syntax.form is Form.ASK else "0" if counts(self.syntax) else ""
        return replace(finding, reason=f"The answer is {answer} because {finding.reason}") if answer else finding

    def written(self, term: Term | None) -> str:
        """Return a term as the query could write it."""
        if isinstance(term, Iri):
            return line(self._prefixed(term.value))
        return "" if term is None or isinstance(term, Blank) else line(str(term))

    def turned(self, edge: Edge) -> str:
        """Return an edge the other way round, as the query could write it."""
        first, second = self.written(edge.object) or "?x", self.written(edge.subject) or "?x"
        return f"{first} {self.written(edge.property)} {second}"

    def entity(self, iri: str) -> Named:
        """Return a constant with its label."""
        about = self.lookups.about(iri)
        local = iri.removeprefix(self.vocabulary.entities) if self.vocabulary.entities else self._prefixed(iri)
        return Named(id=line(local), label=line(about.label) if about else "")

    def cls(self, iri: str) -> Named:
        """Return a class with its label."""
        info = self.schema.class_info(iri)
        return self.entity(iri) if info is None else Named(id=line(info.id), label=line(info.label))

    def short(self, iri: str) -> Named:
        """Return an IRI that the schema does not know."""
        return Named(id=line(self._prefixed(iri)))

    def _prefixed(self, iri: str) -> str:
        best = ("", "")
        for known in (self.syntax.implied, self.syntax.prefixes):
            for prefix, namespace in known.items():
                if len(namespace) > len(best[1]) and iri.startswith(namespace):
                    best = (prefix, namespace)
        rest = iri[len(best[1]) :]
        return f"{best[0]}:{rest}" if best[1] and rest and "/" not in rest and "#" not in rest else f"<{iri}>"

    def _type_properties(self) -> frozenset[str]:
        found = (self.schema.role_of(iri) for iri in (*self.vocabulary.types, *self.vocabulary.superclasses))
        return frozenset(each[0].id for each in found if each is not None)


def counts(syntax: Syntax) -> bool:
    """Whether a query answers by a count: of nothing that is 0, where the greatest of nothing is no value at all."""
    if not syntax.aggregates or syntax.grouped:
        return False
    body = next((each.start for each in syntax.scopes if each.kind is ScopeKind.WHERE), 0)
    return _COUNTS.search(syntax.text, 0, body) is not None


def named(prop: Property) -> Named:
    """Return a property with its label."""
    return Named(id=line(prop.id), label=line(prop.label))
