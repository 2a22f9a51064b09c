"""Judge a query: what the schema says against it, verified at the endpoint where there is one.

Two stages: what the schema knows, which may block; and what the graph lacks, which only explains an empty answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from plugins.schema.absence import Absence
from plugins.schema.case import Case, Use, named
from plugins.schema.datatypes import datatypes
from plugins.schema.facts import Facts
from plugins.schema.findings import MOST_FINDINGS, MOST_SUGGESTIONS, Finding, Report, Severity, Suggestion, ordered
from plugins.schema.fit import Answer, fit
from plugins.schema.lookups import MOST_ASKS, Lookups
from plugins.schema.sides import Sides
from plugins.schema.source import Schema
from plugins.schema.statements import statements, variant_for
from plugins.schema.suggestions import Wanted, suggestions
from plugins.schema.suspect import Suspect, reversed_body, tried
from proxy.contract import Dataset
from proxy.syntax import Form, Iri, Syntax

_DEFAULT = Dataset()
_MISSED = "the endpoint did not answer every look-up in time, so there may be more"


class Judgement:
    """The judging of one query. `schema` first, then, where the answer is empty or somebody asks, `absence`."""

    def __init__(
        self,
        syntax: Syntax,
        schema: Schema,
        facts: Facts | None = None,
        dataset: Dataset | None = _DEFAULT,
        *,
        asker: str = "client",
        by_paper: bool = False,
    ) -> None:
        self._syntax = syntax
        self._schema = schema
        self._lookups = Lookups(facts if dataset is not None else None, dataset)
        self._empty: Severity = "warn" if asker == "nl" else "note"
        self._by_paper = by_paper
        self._case: Case | None = None

    async def schema(self) -> Report:
        """Return what the schema says against the query."""
        if self._syntax.form is Form.UPDATE or self._syntax.form is Form.OTHER:
            return Report(checked=False, reason="only queries are checked")
        case = self._read()
        sides = Sides(case, by_paper=self._by_paper)
        await self._lookups.learn(sides.constants())
        suspects = [
            *sides.suspects(),
            *datatypes(case),
            *statements(case),
            *Absence(case, self._empty).unknown_ids(),
        ][:MOST_FINDINGS]
        findings = await self._tried(suspects, case)
        problem = self._syntax.problem
        return Report(checked=problem is None, findings=findings, reason=str(problem) if problem else self._missed())

    async def absence(self, report: Report) -> Report:
        """Add what the graph lacks to a report, for the required patterns that have no finding yet."""
        if not report.checked or not self._lookups.online:
            return report
        self._lookups.renew()
        case = self._read()
        absence = Absence(case, self._empty)
        candidates = absence.candidates(report.findings)[:MOST_ASKS]
        await self._lookups.learn(absence.constants(candidates))
        found = await asyncio.gather(*map(absence.judged, candidates))
        findings = ordered([*report.findings, *filter(None, found)])
        return replace(report, findings=findings, reason=report.reason or self._missed())

    def _missed(self) -> str:
        return _MISSED if self._lookups.missed else ""

    def _read(self) -> Case:
        if self._case is None:
            self._case = Case(self._syntax, self._schema, self._lookups)
        return self._case

    async def _tried(self, suspects: Sequence[Suspect], case: Case) -> tuple[Finding, ...]:
        found = await asyncio.gather(*(self._one(each, case) for each in suspects))
        return ordered(each for each in found if each is not None)

    async def _one(self, suspect: Suspect, case: Case) -> Finding | None:
        """Verify a suspect, and say what to do instead."""
        finding = await tried(suspect, self._lookups)
        if finding is None or suspect.use is None:
            return finding
        if finding.code == "model":
            right = variant_for(suspect.use)
            return replace(finding, suggestions=(right,), advice=f"Here {right.why}.")
        if finding.code != "domain":
            return finding
        proposed = (*await self._turned(suspect, case), *self._instead(suspect, suspect.use, case))[:MOST_SUGGESTIONS]
        advice = "Try " + " or ".join(each.advice for each in proposed) + "." if proposed else ""
        return replace(finding, suggestions=proposed, advice=advice)

    def _instead(self, suspect: Suspect, use: Use, case: Case) -> tuple[Suggestion, ...]:
        present: frozenset[str] = frozenset()
        if isinstance(suspect.edge.subject, Iri):
            about = case.lookups.about(suspect.edge.subject.value)
            present = about.present if about else present
        return suggestions(self._schema, Wanted(property=use.property, subject=suspect.subject, present=present))

    async def _turned(self, suspect: Suspect, case: Case) -> tuple[Suggestion, ...]:
        """Propose the other direction where that has a match."""
        use, edge = suspect.use, suspect.edge
        if use is None or suspect.subject is None or not isinstance(edge.subject, Iri) or use.role != "direct":
            return ()
        if fit(self._schema, use.property, use.property.range, suspect.subject) is Answer.CONFLICTS:
            return ()
        body = reversed_body(edge)
        if body is None or not await self._lookups.ask(body):
            return ()
        turned = case.turned(edge)
        return (Suggestion(name=named(use.property), why=f"the other way round: {turned}", call=turned),)
