"""How much the words of a question speak for a property: its names, weighted by how rare their words are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from plugins.schema.model import Property
from plugins.schema.trigrams import trigrams
from plugins.schema.words import fold, stems, words

_LIKE = 0.4
_LIKE_WEIGHT = 0.8
_LEAST, _SHARE = 0.4, 0.6
_TRIGRAM_STEM = 4
# What questions say, and the names of properties do not. Both sides are stemmed.
_IRREGULAR = {
    "born": "birth", "wife": "spouse", "husband": "spouse", "married": "spouse", "marry": "spouse", "wed": "spouse",
    "alive": "death", "dead": "death", "died": "death", "die": "death", "people": "population",
    "inhabitants": "population", "live": "residence", "lives": "residence", "lived": "residence", "tall": "height",
    "high": "height", "deep": "depth", "long": "length", "wide": "width", "heavy": "mass", "weigh": "mass",
    "old": "birth", "older": "birth", "younger": "birth", "wrote": "author", "written": "author", "kids": "child",
    "children": "child", "son": "child", "daughter": "child", "sang": "performer", "sung": "performer",
    "song": "performer", "won": "award", "taught": "student", "school": "educated", "studied": "educated",
    "made": "manufacturer", "big": "area", "cost": "price", "founded": "inception", "began": "start", "begin": "start",
    "ended": "end", "job": "occupation", "profession": "occupation", "speak": "language", "spoken": "language",
    "money": "currency", "dollar": "currency", "dollars": "currency", "taller": "height", "bigger": "area",
    "larger": "area", "president": "position", "governor": "position", "senator": "position", "minister": "position",
    "king": "position", "queen": "position", "elected": "position", "inaugurated": "position", "rule": "position",
    "reign": "position", "play": "team", "plays": "team", "played": "team", "political": "government",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """The words of a question, without those of the entity that it is about.

    Shapes: ``found`` is by stem how well the question has it, as far as somebody asked.
    """

    stems: frozenset[str]
    text: str
    found: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    def names(self, value: str) -> bool:
        """Whether a value's label stands in the question as whole words."""
        folded = " ".join(words(value))
        return bool(folded) and f" {folded} " in f" {self.text} "


class Lexicon:
    """Weights of words over the names of all properties of an index."""

    def __init__(self, properties: Iterable[Property]) -> None:
        counts: Counter[str] = Counter()
        total = 0
        for record in properties:
            total += 1
            counts.update({each for name in (record.label, *record.aliases) for each in stems(name)})
        self._total = total
        self._counts = counts
        self._weigh = lru_cache(65_536)(self._idf)
        self._grams = lru_cache(65_536)(trigrams)
        self._parts = lru_cache(32_768)(self._weighed)

    def question(self, text: str, entity: str = "") -> Question:
        """Read a question. The words of the entity's own label are taken out of it."""
        own = set(stems(entity))
        found = {each for each in stems(text) if each not in own}
        for word in words(text):
            if word in _IRREGULAR and word not in words(entity):
                found.update(stems(_IRREGULAR[word]))
        return Question(frozenset(found), " ".join(words(fold(text))))

    def likeness(self, asked: Question, record: Property) -> float:
        """Return how well the best name of a property is covered by the question."""
        return max((self._covered(asked, name) for name in (record.label, *record.aliases) if name), default=0.0)

    def weight_found(self, asked: Question, text: str) -> float:
        """Return the weight of the words of a text that the question has."""
        return sum(weight for part, weight in self._parts(text)[0] if part in asked.stems)

    def _covered(self, asked: Question, name: str) -> float:
        parts, whole = self._parts(name)
        if not whole:
            return 0.0
        found = sum(weight * self._found(asked, part) for part, weight in parts)
        return found * (_LEAST + _SHARE * found / whole)

    def _weighed(self, name: str) -> tuple[tuple[tuple[str, float], ...], float]:
        """Return the stems of a name with the weight of each, and the sum of these."""
        parts = tuple((part, self._weigh(part)) for part in dict.fromkeys(stems(name)))
        return parts, sum(weight for _, weight in parts)

    def _found(self, asked: Question, part: str) -> float:
        known = asked.found.get(part)
        if known is None:
            known = asked.found[part] = self._look(asked, part)
        return known

    def _look(self, asked: Question, part: str) -> float:
        """Return how well a question has a stem: itself, or one that looks like it."""
        if part in asked.stems:
            return 1.0
        if len(part) < _TRIGRAM_STEM:
            return 0.0
        mine = self._grams(part)
        theirs = (self._grams(each) for each in asked.stems if len(each) >= _TRIGRAM_STEM)
        best = max((_similarity(mine, each) for each in theirs), default=0.0)
        return _LIKE_WEIGHT * best if best >= _LIKE else 0.0

    def _idf(self, part: str) -> float:
        return math.log(1 + self._total / (1 + self._counts[part]))


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard index of the trigrams of two words."""
    both = len(one & other)
    return both / (len(one) + len(other) - both)
