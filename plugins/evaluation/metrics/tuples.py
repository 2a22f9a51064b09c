"""Sets of tuples, and which column of one answer is which of the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from plugins.evaluation.metrics.answer import Answer, Row
from plugins.evaluation.metrics.assignment import assigned

# So many tuples are made at most to try orders of columns; beyond, columns are put together by the values they share.
_MOST_TRIED = 1_000_000


def common(gold: Answer, given: Answer) -> tuple[int, int, int]:
    """Return how many tuples two answers share, how many gold has, and how many the other has.

    Tuples are over gold's variables, in whatever order the other has its columns: what they are called says nothing.
    Where the other has more columns, among them all of gold's by name, those count; else answers of different widths
    share no tuple.
    """
    wanted = frozenset(gold.rows)
    rows = _over(gold.names, given)
    found = frozenset(rows)
    if not rows or len(rows[0]) != len(gold.names):
        return 0, len(wanted), len(found)
    shared = 0
    for order in _orders(gold.rows, rows):
        shared = max(shared, len(wanted & {tuple(row[place] for place in order) for row in found}))
        if shared == min(len(wanted), len(found)):
            break
    return shared, len(wanted), len(found)


def _over(names: Sequence[str], given: Answer) -> tuple[Row, ...]:
    if len(given.names) <= len(names) or not set(names) <= set(given.names):
        return given.rows
    places = [given.names.index(name) for name in names]
    kept = (tuple(row[place] for place in places) for row in given.rows)
    return tuple(row for row in kept if any(each is not None for each in row))


def _orders(gold: Sequence[Row], given: Sequence[Row]) -> Iterator[Iterable[int]]:
    """Yield the orders of columns that are tried, the given one first."""
    width = len(given[0])
    if math.factorial(width) * len(given) <= _MOST_TRIED:
        yield from permutations(range(width))
        return
    yield range(width)
    ours = [set(column) for column in zip(*gold, strict=True)]
    theirs = [set(column) for column in zip(*given, strict=True)]
    pairs = {(one, two): len(a & b) for one, a in enumerate(ours) for two, b in enumerate(theirs) if a & b}
    chosen = assigned(pairs)
    free = [place for place in range(width) if place not in chosen.values()]
    yield [chosen[place] if place in chosen else free.pop() for place in range(width)]
