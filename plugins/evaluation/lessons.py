"""Words learned five-fold: for a question of one fold, from the questions of the four others."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from plugins.evaluation.records import Record
from plugins.search.learned import Learned
from plugins.search.lessons import Lessons as Book
from proxy.contract import Context

FOLDS = 5
Lessons = Callable[[Record], Learned | None]


class FiveFold:
    """Learn of the records given as `saga search learn` does, of each data set for itself, by the fold of the group."""

    def __init__(self, records: Sequence[Record], context: Context, endpoint: str) -> None:
        self._graph = context.tables[endpoint].graph
        self._prefixes = context.prefixes[endpoint]
        self._learned: dict[tuple[str, int], Learned] = {}
        for dataset in dict.fromkeys(record.dataset for record in records):
            own = [record for record in records if record.dataset == dataset]
            for fold in range(FOLDS):
                self._learned[dataset, fold] = self._learn(each for each in own if each.fold(FOLDS) != fold)

    def __call__(self, record: Record) -> Learned:
        """Return what the other folds teach."""
        return self._learned[record.dataset, record.fold(FOLDS)]

    def _learn(self, records: Iterable[Record]) -> Learned:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "questions.jsonl"
            lines = (json.dumps({"question": each.questions, "sparql": each.sparql}) for each in records)
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            return Book([path], self._graph, self._prefixes).learned()
