"""Row-wise F1: rows are paired so that they share as many values as can be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from math import comb

from plugins.evaluation.metrics.answer import Answer, Row
from plugins.evaluation.metrics.assignment import assigned

# GRASP compares whole rows beyond so many in either answer.
MOST_ROWS = 1024
# So many pairs of rows are put together as well as can be, in a part of a second.
_MOST_PAIRS = 20_000
_MOST_PARTS = 64


def rowwise_f1(gold: Answer, given: Answer) -> float:
    """Return the F1 of rows, each counted by the share of gold's values that its partner has.

    A row that shares nothing takes the place of one of gold's: it is missed recall, and no loss of precision unless
    there are more rows than in gold. Rows may repeat; order of columns, and further columns of the given answer, do
    not matter. A gold Boolean is compared with whether the given answer has a row; a Boolean for a gold that is none
    is wrong. Two empty answers are equal.

    Beyond 1,024 rows in either answer only whole rows count. Equal rows are partners; the rest is paired with the
    greatest sum while there are at most 20,000 pairs (141 rows on both sides), beyond that greedily, the pairs that
    share most first: the sum is then at least half of the greatest.
    Source: Walter and Bast, GRASP, 2025: its evaluation, which GRISP follows (section 4); SPINACH for leaving labels
    out of gold.
    """
    if gold.rows == given.rows:
        return 1.0
    if gold.boolean:
        said = given.rows[0][0] if given.boolean else str(bool(given.rows)).lower()
        return float(said == gold.rows[0][0])
    if given.boolean or not gold.rows or not given.rows:
        return 0.0
    size, other = len(gold.rows), len(given.rows)
    if max(size, other) > MOST_ROWS:
        same = sum((_bags(gold.rows) & _bags(given.rows)).values())
        return 2 * same / (size + other)
    shared = _shared(gold.rows, given.rows)
    return 2 * shared / (shared + size + max(0, other - size))


def _shared(gold: Sequence[Row], given: Sequence[Row]) -> float:
    """Return the sum over pairs of rows of the shares of gold's values."""
    width, same = len(gold[0]), 0
    if len(given[0]) <= width:
        # An equal row is a best partner, unless it has further columns: |A & B| + |B & C| <= |B| + |A & C|.
        same, gold, given = _without_equals(gold, given)
    if not gold or not given:
        return same
    if len(gold) * len(given) > _MOST_PAIRS:
        return same + _greedy(gold, given) / width
    pairs = _overlaps(gold, given)
    return same + sum(pairs[pair] for pair in assigned(pairs).items()) / width


def _greedy(gold: Sequence[Row], given: Sequence[Row]) -> int:
    """Return how many values are shared when rows with most in common are paired first.

    Rows are found by their parts of so many values; sizes of which a row has more than 64 parts are passed over.
    """
    left, right = dict(enumerate(gold)), dict(enumerate(given))
    shared = 0
    for size in range(min(len(gold[0]), len(given[0])), 0, -1):
        if max(comb(len(gold[0]), size), comb(len(given[0]), size)) > _MOST_PARTS:
            continue
        waiting: defaultdict[Row, list[int]] = defaultdict(list)
        for two, row in right.items():
            for part in _parts(row, size):
                waiting[part].append(two)
        for one, row in list(left.items()):
            chosen = next((two for part in _parts(row, size) for two in waiting.get(part, ()) if two in right), None)
            if chosen is not None:
                shared += sum((Counter(row) & Counter(right.pop(chosen))).values())
                del left[one]
    return shared


def _parts(row: Row, size: int) -> set[Row]:
    return set(combinations(sorted(row, key=repr), size))


def _without_equals(gold: Sequence[Row], given: Sequence[Row]) -> tuple[int, list[Row], list[Row]]:
    both = _bags(gold) & _bags(given)
    return sum(both.values()), _less(gold, both), _less(given, both)


def _less(rows: Sequence[Row], taken: Counter[frozenset[object]]) -> list[Row]:
    left = Counter(taken)
    kept = []
    for row in rows:
        bag = _bag(row)
        if left[bag] > 0:
            left[bag] -= 1
        else:
            kept.append(row)
    return kept


def _overlaps(gold: Sequence[Row], given: Sequence[Row]) -> dict[tuple[int, int], int]:
    """Return how many values the pairs of rows share that share any."""
    places: defaultdict[object, list[tuple[int, int]]] = defaultdict(list)
    for two, row in enumerate(given):
        for cell, count in Counter(row).items():
            places[cell].append((two, count))
    found: defaultdict[tuple[int, int], int] = defaultdict(int)
    for one, row in enumerate(gold):
        for cell, count in Counter(row).items():
            for two, other in places.get(cell, ()):
                found[one, two] += min(count, other)
    return dict(found)


def _bags(rows: Sequence[Row]) -> Counter[frozenset[object]]:
    return Counter(map(_bag, rows))


def _bag(row: Row) -> frozenset[object]:
    return frozenset(Counter(row).items())
