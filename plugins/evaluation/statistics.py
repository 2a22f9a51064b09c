"""Figures over the questions of a run: means, ranks, bootstrap."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

_DRAWS = 10_000
_SEED = 7
# Of many questions fewer draws say as much: so many values are drawn in all, a part of a second's work, unless that
# makes too few draws.
_MOST_DRAWN = 2_000_000
_LEAST_DRAWS = 1_000
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def mean(values: Sequence[float]) -> float:
    """Return the mean, not a number for nothing."""
    return math.fsum(values) / len(values) if values else math.nan


def median(values: Sequence[float]) -> float:
    """Return the value in the middle, of an even number the mean of the two there; not a number for nothing."""
    if not values:
        return math.nan
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that so great a share is not above: the nearest rank."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else math.nan


def interval(
    values: Sequence[float], level: float = 0.95, draws: int = _DRAWS, seed: int = _SEED
) -> tuple[float, float]:
    """Return a confidence interval of the mean by the percentile bootstrap over questions.

    Source: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
    """
    if not values:
        return math.nan, math.nan
    means = sorted(_means(values, draws, seed))
    outside = (1 - level) / 2
    return percentile(means, outside), percentile(means, 1 - outside)


def better(one: Sequence[float], other: Sequence[float], draws: int = _DRAWS, seed: int = _SEED) -> float:
    """Return the p-value of `one is better`, by the paired bootstrap over questions; not a number for no question.

    It is the share of resampled sets of questions in which the first is not better on average.
    Source: Koehn, "Statistical Significance Tests for Machine Translation Evaluation", 2004.
    """
    differences = [first - second for first, second in zip(one, other, strict=True)]
    if not differences:
        return math.nan
    means = _means(differences, draws, seed)
    return (sum(each <= 0 for each in means) + 1) / (len(means) + 1)


def precision_by_share(
    confidences: Sequence[float | None], values: Sequence[float]
) -> list[tuple[float, float, float]]:
    """Return by share of all questions the mean value of the answers that are surest, and the least confidence.

    Questions without a confidence were not answered; the list ends where there are no more answers.
    """
    answered = sorted(
        ((sure, value) for sure, value in zip(confidences, values, strict=True) if sure is not None),
        key=lambda pair: -pair[0],
    )
    found: list[tuple[float, float, float]] = []
    for share in SHARES:
        size = min(round(share * len(values)), len(answered))
        if size and (not found or size / len(values) > found[-1][0]):
            part = answered[:size]
            found.append((size / len(values), mean([value for _, value in part]), part[-1][0]))
    return found


def _means(values: Sequence[float], draws: int, seed: int) -> list[float]:
    """Return the means of resampled values; of many values fewer draws than wanted."""
    size = len(values)
    times = min(draws, max(_LEAST_DRAWS, _MOST_DRAWN // size))
    if len(set(values)) == 1:
        return [values[0]] * times
    chance = random.Random(seed)
    # Whole sums, so that no rounding makes a difference of nothing.
    return [math.fsum(chance.choices(values, k=size)) / size for _ in range(times)]
