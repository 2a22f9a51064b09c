"""Who goes with whom, so that the sum of what pairs are worth is greatest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Pairs = Mapping[tuple[int, int], int]


def assigned(pairs: Pairs) -> dict[int, int]:
    """Return for the left side its partners on the right; nobody has two, pairs without worth are not made.

    The time grows with the square of the smaller side times the larger: 140 on both sides take some 0.3 s. A library
    for this needs an array library, which nothing else here does.
    Source: Kuhn, "The Hungarian Method for the Assignment Problem", 1955, with the potentials of Edmonds and Karp.
    """
    left, right = sorted({one for one, _ in pairs}), sorted({two for _, two in pairs})
    if len(left) > len(right):
        turned = assigned({(two, one): worth for (one, two), worth in pairs.items()})
        return {one: two for two, one in turned.items()}
    worth = [[pairs.get((one, two), 0) for two in right] for one in left]
    found = ((left[one], right[two]) for one, two in _exact(worth))
    return {one: two for one, two in found if pairs.get((one, two))}


def _exact(worth: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return the best partner of every row of a table that is no higher than wide."""
    if not worth:
        return []
    height, width = len(worth), len(worth[0])
    above, beside = [0] * (height + 1), [0] * (width + 1)
    # Rows and columns count from 1; the column 0 holds the row that looks for a place.
    partner = [0] * (width + 1)
    for row in range(1, height + 1):
        partner[0] = row
        column, came_from = _path(worth, partner, above, beside)
        while column:
            partner[column] = partner[came_from[column]]
            column = came_from[column]
    return [(partner[column] - 1, column - 1) for column in range(1, width + 1) if partner[column]]


def _path(
    worth: Sequence[Sequence[int]], partner: Sequence[int], above: list[int], beside: list[int]
) -> tuple[int, list[int]]:
    """Return a free column at the end of the cheapest alternating path, and how it is reached; adjusts potentials."""
    width = len(worth[0])
    far = 1 << 60
    least, came_from, seen = [far] * (width + 1), [0] * (width + 1), [False] * (width + 1)
    column = 0
    while partner[column]:
        seen[column] = True
        row = partner[column]
        values, height = worth[row - 1], above[row]
        step, nearest = far, 0
        for other in range(1, width + 1):
            if not seen[other]:
                cost = -values[other - 1] - height - beside[other]
                if cost < least[other]:
                    least[other], came_from[other] = cost, column
                if least[other] < step:
                    step, nearest = least[other], other
        for other in range(width + 1):
            if seen[other]:
                above[partner[other]] += step
                beside[other] -= step
            else:
                least[other] -= step
        column = nearest
    return column, came_from
