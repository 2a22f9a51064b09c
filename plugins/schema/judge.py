"""Judge a query: what the schema says against it, verified at the endpoint where there is one.

Two stages: what the schema knows, which may block; and what the graph lacks, which only explains an empty answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter

from plugins.schema.absence import Absence
from plugins.schema.body import askable
from plugins.schema.case import Case, Use, named
from plugins.schema.datatypes import datatypes
from plugins.schema.facts import Facts
from plugins.schema.findings import MOST_FINDINGS, MOST_SUGGESTIONS, Finding, Report, Severity, Suggestion, ordered
from plugins.schema.fit import Answer, fit
from plugins.schema.lookups import MOST_ASKS, MOST_CONSTANTS, Lookups, dataset_of
from plugins.schema.sides import Sides
from plugins.schema.source import Schema
from plugins.schema.statements import statements, variant_for
from plugins.schema.suggestions import Adviser, Wanted
from plugins.schema.suspect import Suspect, reversed_body, tried
from proxy.contract import Dataset
from proxy.syntax import Form, Iri, Syntax

_DEFAULT = Dataset()
# After so much work on one query the others get a turn.
# Units: seconds.
_SLICE_S = 0.0005
_MISSED = "the endpoint did not answer every look-up in time, so there may be more"


class Judgement:
    """The judging of one query. `schema` first, then, where the answer is empty or somebody asks, `absence`."""

    def __init__(
        self,
        syntax: Syntax,
        schema: Schema,
        facts: Facts | None = None,
        asked_of: Dataset = _DEFAULT,
        *,
        asker: str = "client",
        by_paper: bool = False,
        adviser: Adviser | None = None,
        gate: asyncio.Event | None = None,
    ) -> None:
        """Judge with an adviser of the same schema; look-ups start once the gate is open, at once without one.

        ``asked_of`` is the dataset of the request, which the query's own gives way to.
        """
        self._syntax = syntax
        self._schema = schema
        dataset = dataset_of(syntax, asked_of)
        self._lookups = Lookups(facts if dataset is not None else None, dataset, gate)
        self._empty: Severity = "warn" if asker == "nl" else "note"
        self._by_paper = by_paper
        self._adviser = adviser or Adviser(schema)
        self._case: Case | None = None
        self._rested = 0.0

    @property
    def since(self) -> float | None:
        """The moment of the oldest answer of the endpoint that was used; None where one is missing."""
        return None if self._lookups.missed else self._lookups.since

    async def schema(self) -> Report:
        """Return what the schema says against the query."""
        if self._syntax.form is Form.UPDATE or self._syntax.form is Form.OTHER:
            return Report(checked=False, reason="only queries are checked")
        case = await self._read()
        await self._lookups.learn(await self._constants(case))
        findings = await self._tried((await self._suspects(case))[:MOST_FINDINGS], case)
        problem = self._syntax.problem
        return Report(checked=problem is None, findings=findings, reason=str(problem) if problem else self._missed())

    async def absence(self, report: Report) -> Report:
        """Add what the graph lacks to a report, for the required patterns that have no finding yet."""
        if not report.checked or not self._lookups.online:
            return report
        self._lookups.renew()
        case = await self._read()
        absence = Absence(case, self._empty)
        candidates = absence.candidates(report.findings)[:MOST_ASKS]
        await self._lookups.learn(absence.constants(candidates))
        found = await asyncio.gather(*map(absence.judged, candidates))
        findings = ordered([*report.findings, *filter(None, found)])
        return replace(report, findings=findings, reason=report.reason or self._missed())

    def _missed(self) -> str:
        return _MISSED if self._lookups.missed else ""

    async def _read(self) -> Case:
        self._rested = perf_counter()
        if self._case is None:
            case = Case.unread(self._syntax, self._schema, self._lookups)
            for _ in case.reading():
                await self._rest()
            self._case = case
        return self._case

    async def _constants(self, case: Case) -> Iterable[str]:
        """Return the constants whose types decide something, as many as are looked up."""
        found: dict[str, None] = {}
        for part in case.parts():
            found.update(dict.fromkeys(filter(askable, Sides(part).constants())))
            if len(found) >= MOST_CONSTANTS:
                break
            await self._rest()
        return found

    async def _suspects(self, case: Case) -> list[Suspect]:
        found: list[Suspect] = []
        for part in case.parts():
            found += Sides(part, by_paper=self._by_paper).suspects()
            found += datatypes(part)
            found += statements(part)
            found += Absence(part, self._empty).unknown_ids()
            if len(found) >= MOST_FINDINGS:
                break
            await self._rest()
        return found

    async def _rest(self) -> None:
        """Give others a turn after a slice of work."""
        if perf_counter() - self._rested >= _SLICE_S:
            await asyncio.sleep(0)
            self._rested = perf_counter()

    async def _tried(self, suspects: Sequence[Suspect], case: Case) -> tuple[Finding, ...]:
        """Verify suspects, all at the same time, and say what to do instead, one after the other."""
        if not suspects:
            return ()
        tries = await asyncio.gather(*(self._one(each, case) for each in suspects))
        found = []
        for suspect, (finding, turned) in zip(suspects, tries, strict=True):
            if finding is not None:
                found.append(await self._advised(finding, suspect, turned, case))
                await self._rest()
        return ordered(found)

    async def _one(self, suspect: Suspect, case: Case) -> tuple[Finding | None, tuple[Suggestion, ...]]:
        """Verify a suspect, and try the other direction."""
        finding = await tried(suspect, self._lookups)
        if finding is not None and finding.verified and suspect.required:
            finding = case.concluded(finding)
        wanted = finding is not None and finding.code == "domain"
        return finding, await self._turned(suspect, case) if wanted else ()

    async def _advised(self, finding: Finding, suspect: Suspect, turned: tuple[Suggestion, ...], case: Case) -> Finding:
        """Return the finding with what to do instead."""
        if suspect.use is None or finding.code not in ("model", "domain"):
            return finding
        if finding.code == "model":
            right = variant_for(suspect.use)
            return replace(finding, suggestions=(right,), advice=f"Here {right.why}.")
        proposed = (*turned, *await self._instead(suspect, suspect.use, case))[:MOST_SUGGESTIONS]
        advice = "Try " + " or ".join(each.advice for each in proposed) + "." if proposed else ""
        return replace(finding, suggestions=proposed, advice=advice)

    async def _instead(self, suspect: Suspect, use: Use, case: Case) -> tuple[Suggestion, ...]:
        present: frozenset[str] = frozenset()
        if isinstance(suspect.edge.subject, Iri):
            about = case.lookups.about(suspect.edge.subject.value)
            present = about.present if about else present
        wanted = Wanted(property=use.property, subject=suspect.subject, present=present)
        for _ in self._adviser.preparing(wanted):
            await self._rest()
        return self._adviser.suggestions(wanted)

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
