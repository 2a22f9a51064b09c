"""Run strategies over questions: gold first, then the answers, one outcome a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from plugins.evaluation.answering import Answering, Done
from plugins.evaluation.outcomes import Journal, Outcome
from plugins.evaluation.records import Record
from plugins.evaluation.scores import answers, f1, is_nothing
from plugins.schema.builders.progress import Progress
from plugins.search.learned import Learned

Lessons = Callable[[Record], Learned | None]


@dataclass(slots=True)
class Runner:
    """Answer records, one after the other, so that the time of a question is its own."""

    answering: Answering
    language: str
    progress: Progress
    lessons: Lessons
    _gold: dict[str, frozenset[str]] = field(default_factory=dict)

    async def run(self, records: Sequence[Record], journals: Mapping[str, Journal]) -> None:
        """Let every strategy answer every record that its journal does not have yet."""
        for strategy, journal in journals.items():
            left = [each for each in records if (each.dataset, each.id) not in journal.outcomes]
            self.progress.part(strategy, len(left))
            for record in left:
                journal.add(await self._outcome(record, strategy))
                self.progress.step()
        self.progress.end()

    async def _outcome(self, record: Record, strategy: str) -> Outcome:
        gold = await self._answers(record)
        text = record.text(self.language)
        outcome = Outcome(
            id=record.id, dataset=record.dataset, group=record.group, strategy=strategy, question=text, gold=len(gold)
        )
        if not gold or not text:
            return outcome
        async with self.answering.taught(self.lessons(record)):
            done = await self.answering.ask(text, self.language, strategy, f"{record.dataset}-{record.id}")
        return _compared(outcome, gold, done)

    async def _answers(self, record: Record) -> frozenset[str]:
        """Return what the gold query finds here, asked once for all strategies."""
        found = self._gold.get(record.sparql)
        if found is None:
            table = await self.answering.gold(record.sparql)
            found = frozenset() if table is None or is_nothing(table) else answers(table)
            self._gold[record.sparql] = found
        return found


def _compared(outcome: Outcome, gold: frozenset[str], done: Done) -> Outcome:
    """Return the outcome with what was answered."""
    answer = done.answer
    if answer is None:
        return replace(outcome, status="unavailable", seconds=round(done.seconds, 4), problem=done.problem)
    given = answers(answer.table)
    return replace(
        outcome,
        status=answer.status,
        confidence=None if answer.confidence is None else round(answer.confidence, 4),
        sparql=answer.sparql,
        given=len(given),
        f1=round(f1(gold, given), 4),
        exact=gold == given,
        queries=int(answer.usage.get("queries", 0)),
        seconds=round(done.seconds, 4),
    )
