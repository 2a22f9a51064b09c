"""Which labels look alike: by the trigrams that they share, whatever their words are."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from heapq import nlargest
from itertools import islice

from plugins.schema.model import Property
from plugins.schema.words import fold

# A larger schema has its first ones in the index.
_MOST_LABELS = 50_000
# A trigram of more labels tells none of them apart.
_MOST_HOLDERS = 5_000
_STEP = 100


def trigrams(text: str) -> frozenset[str]:
    """Return the trigrams of a text; its ends count as white space."""
    padded = f" {text} "
    return frozenset(padded[place : place + 3] for place in range(len(padded) - 2))


def label_trigrams(label: str) -> frozenset[str]:
    """Return the trigrams of a label as labels are compared; none of an empty one."""
    folded = fold(label)
    return trigrams(folded) if folded else frozenset()


class Trigrams:
    """Find labels by their trigrams. The index is made when it is first needed, in short steps.

    Identifiers of other databases are left out: they are most of a large schema, and stand in for nothing else.
    """

    def __init__(self, properties: Iterable[Property]) -> None:
        """Take what is read later."""
        self._left = islice(properties, _MOST_LABELS)
        self._ids: list[str] = []
        self._sizes = array("H")
        self._holders: dict[str, array[int]] = {}

    def growing(self) -> Iterator[None]:
        """Read what is not in the index yet. Several may do so by turns: each takes the next."""
        for prop in self._left:
            if prop.kind != "external-id":
                self._add(prop)
            yield

    def nearest(self, label: str, least: float, most: int) -> Generator[None, None, list[str]]:
        """Find the ids of the labels that are most like one; ``least`` is what they share, from 0 to 1."""
        mine = label_trigrams(label)
        shared: Counter[int] = Counter()
        for each in mine:
            holders = self._holders.get(each, ())
            if len(holders) <= _MOST_HOLDERS:
                shared.update(holders)
            yield
        rated: list[tuple[float, str]] = []
        for place, (number, count) in enumerate(shared.items()):
            like = 2 * count / (len(mine) + self._sizes[number])
            if like >= least:
                rated.append((like, self._ids[number]))
            if place % _STEP == 0:
                yield
        return [name for _, name in nlargest(most, rated)]

    def _add(self, prop: Property) -> None:
        grams = label_trigrams(prop.label)
        number = len(self._ids)
        self._ids.append(prop.id)
        self._sizes.append(min(len(grams), 0xFFFF))
        for each in grams:
            self._holders.setdefault(each, array("I")).append(number)
