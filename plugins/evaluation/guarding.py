"""What the guard says of gold queries: a block of one that finds something is a broken promise."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from plugins.evaluation.oracle import Oracle
from plugins.evaluation.records import Record
from plugins.evaluation.tables import Grid, share
from plugins.evaluation.truth import REASONS
from plugins.schema.builders.progress import Progress
from plugins.schema.facts import Budget, Facts
from plugins.schema.findings import Report, line
from plugins.schema.guard import Guard
from plugins.schema.index import Index
from plugins.schema.judge import Judgement
from plugins.schema.suggestions import Adviser
from plugins.schema.vocabulary import vocabulary
from proxy.contract import Context
from proxy.errors import ClientError, UsageError
from proxy.syntax import read

Verdict = Literal["blocked", "warned", "clean", "unchecked"]
VERDICTS: tuple[Verdict, ...] = ("blocked", "warned", "clean", "unchecked")
# Figures must not depend on how busy the machine is: look-ups are waited for, which a proxy does not.
_PATIENT = Budget(types_s=10.0, ask_s=10.0, concurrency=2)
_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One gold query: whether it finds something (``left_out`` is empty then), and what the guard says of it."""

    dataset: str
    id: str
    left_out: str
    verdict: Verdict
    findings: tuple[tuple[str, str], ...] = ()
    message: str = ""

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        said = {"dataset": self.dataset, "id": self.id, "rows": not self.left_out, "left_out": self.left_out}
        return {**said, "verdict": self.verdict, "findings": list(map(list, self.findings)), "message": self.message}


@dataclass(slots=True, kw_only=True)
class Guarding:
    """Judge gold queries as the guard of an endpoint does, and run them."""

    context: Context
    endpoint: str
    index: Index
    concurrency: int = 2
    judged: list[tuple[int, Judged]] = field(default_factory=list)

    @classmethod
    def of(cls, context: Context, endpoint: str, concurrency: int) -> Guarding:
        """Take the index of the endpoint's guard. Raises UsageError where it has none."""
        guard = context.plugin(Guard)
        index = guard.index(endpoint) if guard else None
        if index is None:
            raise UsageError(
                f"the endpoint {endpoint!r} has no schema index that the guard uses: name one as its `schema`, with "
                "'plugins.schema.guard' in `enabled`; `saga schema build --out FILE` makes one"
            )
        return cls(context=context, endpoint=endpoint, index=index, concurrency=concurrency)

    async def read(self, records: Sequence[Record], progress: Progress) -> list[Judged]:
        """Judge every record that has a query, and return what was said in their order."""
        progress.part("queries", len(records))
        left = iter([(place, each) for place, each in enumerate(records) if each.sparql.strip()])
        facts = Facts(self.context.run, self.endpoint, vocabulary(self.index.graph), _PATIENT, self.context.clock)
        oracle, adviser = Oracle(self.context, self.endpoint), Adviser(self.index)

        async def work() -> None:
            for place, record in left:
                self.judged.append((place, await self._one(record, oracle, facts, adviser)))
                progress.step()

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.concurrency):
                    group.create_task(work())
        finally:
            await facts.aclose()
        progress.end()
        return [each for _, each in sorted(self.judged, key=lambda pair: pair[0])]

    async def _one(self, record: Record, oracle: Oracle, facts: Facts, adviser: Adviser) -> Judged:
        report = await self._report(record.sparql, facts, adviser)
        truth = await oracle.truth(record.sparql)
        first = next((each for each in (*report.blocks, *report.findings)), None)
        return Judged(
            dataset=record.dataset,
            id=record.id,
            left_out=truth.left_out,
            verdict=_verdict(report),
            findings=tuple((each.code, each.severity) for each in report.findings),
            message=first.message if first else report.reason,
        )

    async def _report(self, sparql: str, facts: Facts, adviser: Adviser) -> Report:
        try:
            syntax = read(sparql, prefixes=self.context.prefixes[self.endpoint])
        except ClientError as error:
            return Report(checked=False, reason=error.detail)
        return await Judgement(syntax, self.index, facts, adviser=adviser).schema()


def _verdict(report: Report) -> Verdict:
    if report.blocks:
        return "blocked"
    if not report.ok:
        return "warned"
    return "clean" if report.checked else "unchecked"


def broken(found: Sequence[Judged]) -> list[Judged]:
    """Return the queries that find something and are blocked."""
    return [each for each in found if not each.left_out and each.verdict == "blocked"]


def grids(found: Sequence[Judged]) -> Iterator[Grid]:
    """Yield what was said, of queries with rows and of those without, and by the kind of finding."""
    rows = []
    for dataset in dict.fromkeys(each.dataset for each in found):
        for name, part in _kinds([each for each in found if each.dataset == dataset]):
            counts = Counter(each.verdict for each in part)
            cells = (f"{counts[each]:,} ({share(counts[each], len(part))} %)" for each in VERDICTS)
            rows.append([dataset, name, f"{len(part):,}", *cells])
    yield Grid(
        title="What the guard says of gold queries",
        note="*Blocked* with rows must be 0: a block is a promise that nothing can match.",
        head=["data set", "gold query", "n", *VERDICTS],
        rows=rows,
        words=2,
    )
    counted = Counter(
        (*kind, "with rows" if not each.left_out else "without") for each in found for kind in each.findings
    )
    yield Grid(
        title="Findings",
        head=["code", "severity", "gold query", "findings"],
        rows=[[*kind, f"{count:,}"] for kind, count in sorted(counted.items())],
        words=3,
    )


def shown(found: Sequence[Judged]) -> Iterator[str]:
    """Yield the first queries that are blocked and find something, a line each."""
    bad = broken(found)
    for each in bad[:_MOST_SHOWN]:
        yield f"blocked, and finds something: {each.dataset} {each.id}: {line(each.message, 300)}"
    if len(bad) > _MOST_SHOWN:
        yield f"... and {len(bad) - _MOST_SHOWN:,} more"


def _kinds(part: Sequence[Judged]) -> Iterator[tuple[str, list[Judged]]]:
    yield "finds something", [each for each in part if not each.left_out]
    for reason, words in REASONS.items():
        own = [each for each in part if each.left_out == reason]
        if own:
            yield words, own
