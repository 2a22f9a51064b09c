"""A ratio of medians, and how sure it is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain
from statistics import median

_DRAWS = 1_000


def ratio(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Return the ratio of the medians of two groups, and the ends of its 95 % bootstrap interval.

    Shapes: a list per round; rounds are drawn as wholes, both groups of one together, since what disturbs a machine
    lasts longer than a request.
    """
    dice = random.Random(1)
    drawn = []
    for _ in range(_DRAWS):
        rounds = dice.choices(range(len(ours)), k=len(ours))
        drawn.append(_ratio([ours[each] for each in rounds], [theirs[each] for each in rounds]))
    drawn.sort()
    return _ratio(ours, theirs), drawn[int(_DRAWS * 0.025)], drawn[int(_DRAWS * 0.975)]


def _ratio(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]) -> float:
    return median(chain.from_iterable(ours)) / median(chain.from_iterable(theirs))
