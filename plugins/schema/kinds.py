"""The kind of answer that a question asks for, and whether a property gives one: a person, a place, a time, a number.

It lifts properties in the order of a look-up; it never takes one away.
"""

from __future__ import annotations

from functools import lru_cache

from plugins.schema.index import Index
from plugins.schema.model import Property
from plugins.schema.order import Answer
from plugins.schema.words import words

_KEPT = 16_384
# Of two question words the first one that is found decides: `how many people` asks for a number.
_PHRASES: tuple[tuple[str, Answer], ...] = (
    ("how many", "quantity"), ("how much", "quantity"), ("how tall", "quantity"), ("how high", "quantity"),
    ("how deep", "quantity"), ("how big", "quantity"), ("how large", "quantity"), ("how long", "quantity"),
    ("how far", "quantity"), ("how heavy", "quantity"), ("how fast", "quantity"), ("number of", "quantity"),
    ("how old", "time"), ("when", "time"), ("what year", "time"), ("which year", "time"), ("what date", "time"),
    ("what day", "time"), ("what time", "time"), ("birthday", "time"),
    ("where", "place"), ("what city", "place"), ("which city", "place"), ("what country", "place"),
    ("which country", "place"), ("what state", "place"), ("which state", "place"), ("what county", "place"),
    ("what continent", "place"), ("which continent", "place"), ("what town", "place"), ("what place", "place"),
    ("who", "person"), ("whom", "person"), ("whose", "person"),
)  # fmt: skip
# What classes of persons and places are called, or one above them is.
_PERSONS = frozenset(("human", "person", "people"))
_PLACES = frozenset(("location", "place", "geographic location", "geographical feature", "geographic region",
                     "human settlement", "administrative territorial entity", "territory"))  # fmt: skip


def kinds(question: str) -> frozenset[Answer]:
    """Return the kinds of answer that the words of a question ask for, in English; none where they do not tell."""
    text = f" {' '.join(words(question))} "
    return frozenset(kind for phrase, kind in _PHRASES if f" {phrase} " in text)


class Kinds:
    """Say which kind of answer the properties of an index give: by datatype, and by the classes of the range."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._names = lru_cache(_KEPT)(self._above)

    def fits(self, record: Property, answer: Answer) -> bool:
        """Whether a property gives this kind of answer."""
        if answer in ("time", "quantity"):
            return record.kind == answer
        names = _PERSONS if answer == "person" else _PLACES
        classes = record.range.classes if record.range else ()
        return any(not names.isdisjoint(self._names(each)) for each in classes)

    def _above(self, class_iri: str) -> frozenset[str]:
        """Return what a class and all above it are called."""
        hierarchy = self._index.hierarchy
        numbers = hierarchy.up(class_iri)
        infos = (self._index.class_info(hierarchy.iri(number)) for number in numbers)
        return frozenset(info.label.casefold() for info in infos if info is not None)
