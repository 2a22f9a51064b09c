"""Domains and ranges: what stands before and behind a property against what it is declared for.

Source: specs/guard.md sections 2 to 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from plugins.schema.body import Body, Unaskable, graph_of
from plugins.schema.case import FORWARD, VALUED, Case, Use, named
from plugins.schema.findings import MOST_CLASSES, Named, Severity, listed
from plugins.schema.fit import Answer, Entity, Subject, Typed, fit, strict
from plugins.schema.model import Side
from plugins.schema.suspect import Suspect
from plugins.schema.variables import TypePattern, visible
from proxy.syntax import Blank, Iri, Term, Variable

_MOST_TYPE_PATTERNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What is known of one end of an edge: each thing that it can be, and where that is said."""

    subjects: tuple[Subject, ...] = ()
    patterns: tuple[TypePattern, ...] = ()
    feeding: Use | None = None

    @property
    def required(self) -> bool:
        """Whether every solution needs what types it."""
        steps = (each.pattern for each in self.patterns) if self.feeding is None else (self.feeding.edge,)
        return all(each.required for each in steps)

    @property
    def soft(self) -> bool:
        """Whether only the range of the step before types it."""
        return self.feeding is not None


class Sides:
    """Judge the two sides of every use in a case. ``by_paper``: by the rule of the paper, for comparison."""

    def __init__(self, case: Case, *, by_paper: bool = False) -> None:
        self._case = case
        self._by_paper = by_paper
        self._apart = case.schema.parts_apart()

    def suspects(self) -> Iterator[Suspect]:
        """Yield what conflicts, or may."""
        for use in self._case.uses:
            if self._case.says_type(use.property):
                continue
            if use.role in FORWARD:
                yield from self._suspect(use, "domain")
            if use.role in VALUED:
                yield from self._suspect(use, "range")

    def constants(self) -> Iterator[str]:
        """Yield the constants whose types decide something."""
        for use in self._case.uses:
            if self._case.says_type(use.property):
                continue
            for term, side, roles in (
                (use.edge.subject, use.property.domain, FORWARD),
                (use.edge.object, use.property.range, VALUED),
            ):
                if side is not None and side.source == "declared" and use.role in roles:
                    terms = self._case.constants(term, use.edge.pattern.scope)
                    yield from (each.value for each in terms if isinstance(each, Iri))

    def _suspect(self, use: Use, code: Literal["domain", "range"]) -> Iterator[Suspect]:
        side = use.property.domain if code == "domain" else use.property.range
        term = use.edge.subject if code == "domain" else use.edge.object
        if side is None or side.source != "declared" or (code == "range" and self._excepted(use, side)):
            return
        end = self._end(use, term)
        answer = self._answer(use, side, end)
        if answer not in (Answer.CONFLICTS, Answer.DOUBTFUL):
            return
        sure = answer is Answer.CONFLICTS and not end.soft
        required = use.edge.required and end.required
        blocks = sure and required and code == "domain" and not self._apart
        severity: Severity = "block" if blocks else "warn"
        finding = replace(
            self._case.finding(code, use.edge, use.property, self._reason(use, side, end, code)),
            subject=self._case.written(term),
            types=self._named(self._types(end)),
            expected=self._named(side.classes),
        )
        proof = self._proof(use, end)
        yield Suspect(
            finding=finding,
            edge=use.edge,
            required=required,
            use=use,
            subject=end.subjects[0],
            verified=severity,
            unverified="warn" if sure else None,
            # Ranges are dirtier than domains (classes as values, above all): there the graph is right.
            refuted="warn" if sure and code == "domain" else None,
            offline="warn" if sure else None,
            proof=proof,
            settled=self._settled(use, end) if code == "domain" else None,
            evidence=self._evidence(use, end) if blocks else None,
        )

    def _excepted(self, use: Use, side: Side) -> bool:
        """Whether a range lets one of the subjects be: exceptions name who makes the statement, not its value."""
        subjects = self._case.constants(use.edge.subject, use.edge.pattern.scope)
        return any(isinstance(each, Iri) and each.value in side.exceptions for each in subjects)

    def _answer(self, use: Use, side: Side, end: End) -> Answer:
        """Several constants conflict only if each of them does."""
        used = use.edge.property.value
        answers = {self._one(use, side, subject, used) for subject in end.subjects}
        if not answers or answers - {Answer.CONFLICTS, Answer.DOUBTFUL}:
            return Answer.UNKNOWN
        return Answer.DOUBTFUL if Answer.DOUBTFUL in answers else Answer.CONFLICTS

    def _one(self, use: Use, side: Side, subject: Subject, used: str) -> Answer:
        if self._by_paper:
            return Answer.FITS if strict(side, subject.classes) else Answer.CONFLICTS
        return fit(self._case.schema, use.property, side, subject, used=used)

    def _end(self, use: Use, term: Term | None) -> End:
        scope = use.edge.pattern.scope
        constants = self._case.constants(term, scope)
        if constants:
            found = [self._entity(each) for each in constants]
            return End(subjects=tuple(each for each in found if each) if all(found) else ())
        if not isinstance(term, Variable | Blank):
            return End()
        patterns = tuple(self._case.variables.types(term, scope))
        if patterns:
            classes = tuple(dict.fromkeys(cls for each in patterns for cls in each.classes))
            return End(subjects=(Typed(classes=classes),), patterns=patterns)
        return self._soft(use, term) if term is use.edge.subject else End()

    def _entity(self, term: Term) -> Entity | None:
        about = self._case.lookups.about(term.value) if isinstance(term, Iri) else None
        return about.entity if about and about.entity.classes else None

    def _soft(self, use: Use, term: Variable | Blank) -> End:
        """Type an end by the declared range of a step that leads to it."""
        around = list(visible(term, use.edge.pattern.scope))
        for before in self._case.into(term):
            side = before.property.range
            if before.role not in VALUED or side is None or side.source != "declared" or not side.classes:
                continue
            if before.edge.pattern.scope in around:
                return End(subjects=(Typed(classes=side.classes, soft=True),), feeding=before)
        return End()

    def _settled(self, use: Use, end: End) -> bool | None:
        """Return whether one of the constants has the property, where their lists of properties say so.

        A constant without any property may be known to the endpoint under another spelling: then it is asked.
        """
        entities = [each for each in end.subjects if isinstance(each, Entity)]
        if not entities or len(entities) != len(end.subjects) or graph_of(use.edge.pattern.scope) is not None:
            return None
        if not all(each.present for each in entities):
            return None
        return any(each.has(use.edge.property.value) for each in entities)

    def _proof(self, use: Use, end: End) -> str | None:
        """Return what the query needs here: the edge, with what types its end."""
        try:
            # The property first: Oxigraph joins in the order of the text where a path has no statistics, and few
            # things have the property, while a class and all below it may have a million instances.
            body = Body().edge(use.edge)
            if end.feeding is not None:
                body.edge(end.feeding.edge)
            for each in end.patterns[:_MOST_TYPE_PATTERNS]:
                body.pattern(each.pattern)
                if not isinstance(each.pattern.object, Iri):
                    body.values(each.pattern.object, [Iri(cls) for cls in each.classes])
            for term in (use.edge.subject, use.edge.object):
                constants = self._case.constants(term, use.edge.pattern.scope)
                if isinstance(term, Variable | Blank) and constants:
                    body.values(term, constants)
        except Unaskable:
            return None
        return body.text

    def _evidence(self, use: Use, end: End) -> str | None:
        """Return a look for two other instances with the property, where nobody counted a class of the subject.

        Source: guard.md section 2: without a table its place is taken by one cached probe.
        """
        schema, prop = self._case.schema, use.property
        entities = [each for each in end.subjects if isinstance(each, Entity)]
        classes = [cls for each in entities for cls in each.classes if schema.evidence(cls, prop.id) is None]
        if not classes:
            return None
        try:
            body = Body()
            given = " ".join(body.term(Iri(cls)) for cls in dict.fromkeys(classes))
            own = ", ".join(body.term(Iri(each.iri)) for each in entities)
            used = body.term(use.edge.property)
        except Unaskable:
            return None
        path = "|".join(f"<{iri}>" for iri in self._case.vocabulary.types)
        inner = f"VALUES ?c {{ {given} }} ?x {path} ?c ; {used} ?v FILTER(?x NOT IN ({own}))"
        return f"{{ SELECT DISTINCT ?x {{ {inner} }} OFFSET 1 LIMIT 1 }}"

    def _types(self, end: End) -> Sequence[str]:
        """Return the classes to show: of a constant only its types, where it has any."""
        subject = end.subjects[0]
        if isinstance(subject, Entity) and (about := self._case.lookups.about(subject.iri)) and about.types:
            return about.types
        return subject.classes

    def _named(self, classes: Sequence[str]) -> tuple[Named, ...]:
        return tuple(map(self._case.cls, classes[:MOST_CLASSES]))

    def _reason(self, use: Use, side: Side, end: End, code: str) -> str:
        verb = "is for" if code == "domain" else "leads to"
        kinds = "kinds of " if side.relation == "subclass" else ""
        expected, types = (listed(self._named(each), len(each)) for each in (side.classes, self._types(end)))
        return f"{named(use.property)} {verb} {kinds}{expected}; {self._who(end, use, code)} {types}"

    def _who(self, end: End, use: Use, code: str) -> str:
        subject = end.subjects[0]
        if isinstance(subject, Entity):
            more = f" and {len(end.subjects) - 1} more are each" if len(end.subjects) > 1 else " is"
            return f"{self._case.entity(subject.iri)}{more} a"
        if end.feeding is not None:
            return f"{named(end.feeding.property)} leads to"
        term = use.edge.subject if code == "domain" else use.edge.object
        return f"{self._case.written(term) or 'what is described here'} is a"
