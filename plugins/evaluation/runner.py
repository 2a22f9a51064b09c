"""Run variants over questions: gold first, then the answers, some questions at the same time, one outcome a line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plugins.evaluation import traces
from plugins.evaluation.answering import Asking, Done
from plugins.evaluation.forms import form, hops
from plugins.evaluation.metrics import scores
from plugins.evaluation.oracle import Oracle
from plugins.evaluation.outcomes import UNAVAILABLE, Journal, Outcome
from plugins.evaluation.patience import Patience
from plugins.evaluation.records import Record
from plugins.evaluation.scoreboard import Scoreboard
from plugins.evaluation.truth import Truth
from plugins.evaluation.variants import Variant
from plugins.nl.answer import Answer
from plugins.nl.contract import Table

_USAGE = (
    "actions",
    "lookups",
    "queries",
    "empty_queries",
    "blocked",
    "llm_calls",
    "prompt_tokens",
    "completion_tokens",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A variant, its journal, and who answers for it: words may be learned anew for each record."""

    variant: Variant
    journal: Journal
    asking: Callable[[Record], Asking]
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Answer records, so many at a time; of one record the variants answer in turn, compared with the same gold.

    Shapes: ``truth`` returns what a record is compared with.
    """

    folder: Path
    contestants: Sequence[Contestant]
    oracle: Oracle
    truth: Callable[[Record], Awaitable[Truth]]
    language: str
    scoreboard: Scoreboard
    concurrency: int = 2
    patience: Patience = field(default_factory=Patience)

    async def run(self, records: Sequence[Record]) -> None:
        """Let every variant answer what its journal does not have yet. Raises UsageError on a full disk."""
        places = [(place, record) for place, record in enumerate(records) if self._missing(record)]
        self.scoreboard.begin(len(places), {each.variant.name: each.journal.outcomes for each in self.contestants})
        left = iter(places)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.concurrency):
                    group.create_task(self._work(left))
        except BaseExceptionGroup as errors:
            # Whoever fails first ends the others; a person wants one reason.
            raise _first(errors) from None
        finally:
            self.scoreboard.end()

    def _missing(self, record: Record) -> list[Contestant]:
        return [each for each in self.contestants if not each.journal.settled((record.dataset, record.id))]

    def _turns(self, place: int, record: Record) -> list[Contestant]:
        """Return who is to answer. Another one is first each time, since the others find what it asked in the cache."""
        first = place % len(self.contestants)
        order = [*self.contestants[first:], *self.contestants[:first]]
        missing = {each.variant.name for each in self._missing(record)}
        return [each for each in order if each.variant.name in missing]

    async def _work(self, left: Iterator[tuple[int, Record]]) -> None:
        for place, record in left:
            await self._one(place, record)
            self.scoreboard.step()

    async def _one(self, place: int, record: Record) -> None:
        """Answer one record with every variant that has not yet."""
        text = record.text(self.language)
        truth = await self._truth(record) if text else Truth(left_out="language")
        for each in self._turns(place, record):
            outcome = Outcome(
                id=record.id,
                dataset=record.dataset,
                group=record.group,
                place=place,
                strategy=each.variant.strategy,
                variant=each.variant.name,
                question=text,
                form=form(record.sparql) if record.sparql else "",
                hops=hops(record.sparql) if record.sparql else 0,
                left_out=truth.left_out,
                problem=truth.why,
            )
            if truth.table is not None:
                outcome = await self._answered(each, record, outcome, truth.table)
            each.journal.add(outcome)
            self.scoreboard.add(outcome)

    async def _truth(self, record: Record) -> Truth:
        found = await self.patience.until(lambda: self._attempt(record), lambda truth: truth.left_out == UNAVAILABLE)
        if found.left_out == UNAVAILABLE and await self.oracle.alive():
            # It is this query that the endpoint cannot do.
            return replace(found, left_out="failed")
        return found

    async def _attempt(self, record: Record) -> Truth:
        """Return what a record is compared with. An endpoint that answers nothing at all is gone, not slow."""
        found = await self.truth(record)
        hangs = found.left_out == "timeout" and not await self.oracle.alive()
        return replace(found, left_out=UNAVAILABLE) if hangs else found

    async def _answered(self, contestant: Contestant, record: Record, outcome: Outcome, gold: Table) -> Outcome:
        asking, strategy = contestant.asking(record), outcome.strategy
        name = f"{record.dataset}-{record.id}"
        done = await contestant.patience.until(
            lambda: asking.ask(outcome.question, self.language, strategy, name), lambda done: done.gone
        )
        compared = await self._compared(replace(outcome, gold=_size(gold)), gold, done)
        traces.keep(self.folder, compared, record.sparql, gold, done)
        return compared

    async def _compared(self, outcome: Outcome, gold: Table, done: Done) -> Outcome:
        """Return the outcome with what was answered, and how good that is."""
        outcome = replace(outcome, seconds=round(done.seconds, 4), problem=done.problem)
        answer = done.answer
        if done.gone or answer is None:
            return replace(outcome, status=UNAVAILABLE if done.gone else "failed", **_usage(answer))
        table = await self._whole(answer)
        found = scores(gold, table)
        return replace(
            outcome,
            status="failed" if done.problem and table is None else answer.status,
            confidence=None if answer.confidence is None else round(answer.confidence, 4),
            sparql=answer.sparql,
            given=_size(table) if table is not None else 0,
            f1=round(found.f1, 6),
            exact=bool(found.exact),
            column_f1=round(found.column_f1, 6),
            column_exact=bool(found.column_exact),
            rowwise_f1=round(found.rowwise_f1, 6),
            precision=round(found.precision, 6),
            recall=round(found.recall, 6),
            qald_precision=round(found.qald_precision, 6),
            qald_recall=round(found.qald_recall, 6),
            **_usage(answer),
        )

    async def _whole(self, answer: Answer) -> Table | None:
        """Return the answer with all its rows: what a page is spared must not cost recall."""
        table = answer.table
        if table is None or table.boolean is not None or (table.complete and table.total <= len(table.rows)):
            return table
        return await self.oracle.whole(answer.sparql) or table


def _size(table: Table) -> int:
    return 1 if table.boolean is not None else len(table.rows)


def _usage(answer: Answer | None) -> Mapping[str, Any]:
    used = answer.usage if answer is not None else {}
    return {**{name: int(used.get(name, 0)) for name in _USAGE}, "cost": float(used.get("cost", 0.0))}


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
