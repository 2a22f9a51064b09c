"""How good answers are: pure figures over sets and lists."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from plugins.nl.contract import Table
from proxy.results.terms import Term

_DRAWS = 10_000
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def answers(table: Table | None) -> frozenset[str]:
    """Return an answer as a set: the values of the first column that has any, numbers in one form; or a Boolean."""
    if table is None:
        return frozenset()
    if table.boolean is not None:
        return frozenset((str(table.boolean).lower(),))
    for place in range(len(table.variables)):
        found = frozenset(_value(cell) for row in table.rows if (cell := row[place]) is not None)
        if found:
            return found
    return frozenset()


def is_nothing(table: Table) -> bool:
    """Whether a gold query says nothing here: no row, or one number that is 0."""
    if table.boolean is not None:
        return False
    return table.total == 0 or (table.total == 1 and answers(table) <= {"0"})


def f1(gold: frozenset[str], given: frozenset[str]) -> float:
    """Return the harmonic mean of precision and recall of two sets."""
    return 2 * len(gold & given) / (len(gold) + len(given)) if gold or given else 1.0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that so great a share is not above: the nearest rank."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else math.nan


def mean(values: Sequence[float]) -> float:
    """Return the mean, not a number for nothing."""
    return math.fsum(values) / len(values) if values else math.nan


def better(one: Sequence[float], other: Sequence[float], draws: int = _DRAWS, seed: int = 7) -> float:
    """Return the p-value of `one is better`, by the paired bootstrap over questions.

    It is the share of resampled sets of questions in which the first is not better on average.
    Source: Koehn, "Statistical Significance Tests for Machine Translation Evaluation", 2004.
    """
    differences = [first - second for first, second in zip(one, other, strict=True)]
    chance = random.Random(seed)
    size = len(differences)
    not_better = sum(math.fsum(chance.choices(differences, k=size)) <= 0 for _ in range(draws))
    return (not_better + 1) / (draws + 1)


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


def _value(term: Term) -> str:
    if term.kind == "literal" and term.datatype:
        try:
            return f"{float(term.value):g}"
        except ValueError:
            return term.value
    return term.value
