"""Words that people use for properties, learned of the questions of other benchmarks than the one that is asked."""

from __future__ import annotations

from plugins.search.learned import Learned, learn
from tests.bench.guard.gold import gold
from tests.bench.guard.place import Place


class Lessons:
    """Words learned from all benchmarks but one, whose own questions are asked."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._pairs = [
            (query.dataset, query.question, self._used(query.text)) for query in gold(place.graph) if query.question
        ]
        self._learned: dict[str, Learned] = {}

    def __call__(self, dataset: str) -> Learned:
        if dataset not in self._learned:
            self._learned[dataset] = learn((asked, used) for name, asked, used in self._pairs if name != dataset)
        return self._learned[dataset]

    def _used(self, text: str) -> frozenset[str]:
        syntax = self._place.read(text)
        if syntax is None:
            return frozenset()
        found = (self._place.index.role_of(name.iri) for name in syntax.names if name.iri)
        return frozenset(each[0].iri for each in found if each is not None)
