"""Ideas with how right they are: what the weights are fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plugins.evaluation.answering import Answering
from plugins.evaluation.gold import is_nothing
from plugins.evaluation.lessons import FOLDS, FiveFold
from plugins.evaluation.metrics import scores
from plugins.evaluation.records import Record
from plugins.nl.contract import Budget, Question, Work
from plugins.nl.options import NlOptions
from plugins.nl.shape import read as read_shape
from plugins.nl.strategies.keyless.linking import anchors
from plugins.nl.strategies.keyless.reading import read
from plugins.nl.strategies.keyless.thinking import thoughts
from plugins.nl.strategies.keyless.writing import written
from plugins.nl.tools import Tools
from plugins.schema.builders.progress import Progress
from proxy.contract import Caller, Context
from tests.bench.keyless.place import ENDPOINT

_MOST_IDEAS = 14
_MANY = 1_000_000

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One question. Shapes: a row of ``features`` for each of its best ideas, and the F1 of each in ``right``."""

    dataset: str
    fold: int
    features: Numbers
    right: Numbers


class Examples:
    """Think about questions, and run what comes of it."""

    def __init__(self, context: Context, records: Sequence[Record]) -> None:
        self._context = context
        self._records = records
        self._answering = Answering(context, ENDPOINT, NlOptions())
        self._knowledge = self._answering.knowledge
        self._lessons = FiveFold(records, context, ENDPOINT)

    async def all(self) -> list[Example]:
        """Return an example for each question whose gold query finds something."""
        progress = Progress()
        progress.part("questions", len(self._records))
        found = []
        for record in self._records:
            made = await self._example(record)
            progress.step()
            if made is not None:
                found.append(made)
        progress.end()
        return found

    async def _example(self, record: Record) -> Example | None:
        table = await self._answering.gold(record.sparql)
        text = record.text("en")
        if table is None or is_nothing(table) or not text:
            return None
        work = self._work(text, record)
        reading = read(text)
        starts = await anchors(reading, work)
        ideas = (await thoughts(reading, starts, work)).ideas if starts else []
        queries = {written(each.idea, work.tools.knowledge): each.features for each in ideas}
        rows, right = [], []
        for sparql, features in list(queries.items())[:_MOST_IDEAS]:
            rows.append(features)
            right.append(scores(table, await self._answering.gold(sparql)).column_f1)
        return Example(
            dataset=record.dataset,
            fold=record.fold(FOLDS),
            features=np.array(rows, dtype=np.float64),
            right=np.array(right, dtype=np.float64),
        )

    def _work(self, text: str, record: Record) -> Work:
        question = Question(text=text, endpoint=ENDPOINT, language="en")
        shape = read_shape(question)
        clock = self._context.clock
        budget = Budget(clock=clock, started=clock(), queries=_MANY, actions=_MANY)
        self._knowledge.learned = self._lessons(record)
        tools = Tools(self._context, self._knowledge, Caller(address="bench"), question, shape, budget)
        return Work(question=question, shape=shape, tools=tools, budget=budget)
