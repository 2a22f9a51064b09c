"""What the graph does not have: a pattern without a match, its reverse with one, an id that nobody uses.

Source: specs/guard.md section 4, `empty`, `direction`, `unknown_id`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from plugins.schema.body import askable, graph_of
from plugins.schema.case import Case
from plugins.schema.edges import Edge
from plugins.schema.findings import Finding, Severity, Suggestion
from plugins.schema.model import Property
from plugins.schema.suspect import Suspect, body_of, reversed_body
from proxy.syntax import Iri, Literal, Term


class Absence:
    """Look at the edges of a case that need a match. ``severity``: of an empty pattern, by who asks."""

    def __init__(self, case: Case, severity: Severity) -> None:
        self._case = case
        self._severity = severity

    def candidates(self, found: Collection[Finding]) -> list[Edge]:
        """Return the required edges with a constant that have no finding yet.

        A range says less than an empty pattern, and nothing of the other direction: there both are told.
        """
        known = {(each.start, each.prop.id) for each in found if each.code != "range"}
        chosen: dict[tuple[object, ...], Edge] = {}
        for edge in self._edges():
            if edge.required and (_constant(edge.subject) or isinstance(edge.object, Iri | Literal)):
                key = (edge.pattern.start, self._id(edge))
                if key not in known:
                    chosen.setdefault((edge.pattern.start, str(edge.subject), edge.property, str(edge.object)), edge)
        return list(chosen.values())

    def constants(self, candidates: Collection[Edge]) -> Iterator[str]:
        """Yield the constants whose lists of properties decide something."""
        for edge in candidates:
            for term in (edge.subject, edge.object):
                if isinstance(term, Iri) and graph_of(edge.pattern.scope) is None:
                    yield term.value

    async def judged(self, edge: Edge) -> Finding | None:
        """Return a finding where an edge has no match: `direction` where its reverse has one."""
        if await self._matches(edge) is not False:
            return None
        nothing, prop = self._nothing(edge), self._prop(edge)
        turned_body = reversed_body(edge)
        if turned_body is None or not await self._case.lookups.ask(turned_body):
            empty = self._case.finding("empty", edge, prop, nothing)
            return self._case.concluded(replace(empty, severity=self._severity, verified=True))
        finding = self._case.finding("direction", edge, prop, f"{nothing}, but the other way round there is")
        turned = self._case.turned(edge)
        return replace(
            self._case.concluded(finding),
            severity="warn",
            verified=True,
            advice=f"Write {turned}.",
            suggestions=(Suggestion(name=finding.prop, why=f"the other way round: {turned}"),),
        )

    def unknown_ids(self) -> Iterator[Suspect]:
        """Yield the properties and classes that neither the index nor, where it can be asked, the graph has."""
        for edge in self._case.unknown:
            iri = edge.property.value
            inside = bool(self._case.vocabulary.properties) and iri.startswith(self._case.vocabulary.properties)
            if not askable(iri) or (self._case.vocabulary.properties and not inside):
                continue
            reason = f"the graph has no property {self._case.short(iri)}"
            yield Suspect(
                finding=self._case.finding("unknown_id", edge, None, reason),
                edge=edge,
                required=edge.required,
                verified="warn",
                unverified=None,
                offline="warn" if inside else None,
                proof=f"?v0 <{iri}> ?v1 .",
            )
        yield from self._unknown_classes()

    def _unknown_classes(self) -> Iterator[Suspect]:
        types = self._case.vocabulary.types
        for edge in self._edges():
            node, used = edge.object, edge.property.value
            if used not in types or not isinstance(node, Iri) or not askable(node.value):
                continue
            if self._case.schema.class_info(node.value) is None:
                reason = f"the graph has no class {self._case.entity(node.value)}"
                yield Suspect(
                    finding=self._case.finding("unknown_id", edge, self._prop(edge), reason),
                    edge=edge,
                    required=edge.required,
                    verified="warn",
                    unverified=None,
                    proof=f"{{ ?v0 <{used}> <{node.value}> }} UNION {{ <{node.value}> ?v1 ?v2 }}",
                )

    async def _matches(self, edge: Edge) -> bool | None:
        if isinstance(edge.subject, Iri) and graph_of(edge.pattern.scope) is None:
            about = self._case.lookups.about(edge.subject.value)
            if about is not None and about.present:
                if edge.property.value not in about.present:
                    return False
                if not _constant(edge.object):
                    return True
        body = body_of(edge)
        return None if body is None else await self._case.lookups.ask(body)

    def _edges(self) -> Iterator[Edge]:
        yield from (use.edge for use in self._case.uses)
        yield from self._case.unknown

    def _prop(self, edge: Edge) -> Property | None:
        found = self._case.schema.role_of(edge.property.value)
        return None if found is None else found[0]

    def _id(self, edge: Edge) -> str:
        prop = self._prop(edge)
        return self._case.short(edge.property.value).id if prop is None else prop.id

    def _nothing(self, edge: Edge) -> str:
        name = self._case.finding("empty", edge, self._prop(edge), "").prop
        if isinstance(edge.subject, Iri):
            tail = f" that is {self._shown(edge.object)}" if _constant(edge.object) else ""
            return f"{self._case.entity(edge.subject.value)} has no {name}{tail} in this graph"
        return f"nothing in this graph has {name} {self._shown(edge.object)}"

    def _shown(self, term: Term | None) -> str:
        return str(self._case.entity(term.value)) if isinstance(term, Iri) else self._case.written(term)


def _constant(term: Term | None) -> bool:
    return isinstance(term, Iri | Literal)
