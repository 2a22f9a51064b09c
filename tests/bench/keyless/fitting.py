"""Weights that put the right idea first, and a confidence that means what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from plugins.nl.strategies.keyless.judging import NAMES
from tests.bench.keyless.examples import Example, Numbers

# Where the fit begins, and what it is held to: what we believed before any data. The rest begins at 0.
PRIOR: Mapping[str, float] = {
    "anchored": 6, "known": 1.5, "label": 0.7, "place": -2, "inner": -2, "short": -0.5, "propertyish": -1.5,
    "named": 4, "linked": 4, "cued": 3, "learned": 3, "fits": 1, "usage": 0.5, "evident": 1.5, "evident_least":
    1, "covered": 3, "missed": -1.5, "unsaid": -3.5, "constraint": 0.7, "constraint_typed": 1, "kind_word": 1,
    "kind_fits": 1, "range_fits": 0.5, "statement": -1, "chain": -1.2, "chain_in": -2, "either": 1, "count_in":
    -0.5, "existing": -1, "typish": -1, "typish_in": 0.5, "plural_typish": 2, "by_in": 0.5, "own_out": 0.5,
    "measured": 0.3, "measure_said": 3, "unmeasured": -1, "meet_on": -1, "stated": -1, "shared": -1,
    "role": -0.5, "owner": -0.5, "where_in": -4, "constraint_unsure": -2, "sort_in": 1, "left": -5,
    "left_named": -4, "left_first": 0,
}  # fmt: skip
SURE = (
    "bias",
    "score",
    "share",
    "margin",
    "anchored",
    "covered",
    "unexplained",
    "evident",
    "short",
    "known",
    "left",
    "left_first",
)
# Not fitted: every question here has an answer in the graph, so that words which nothing says cost nothing here.
_PINNED = tuple(NAMES.index(name) for name in ("left", "left_named", "left_first"))
_LEARNED = tuple(NAMES.index(name) for name in NAMES if name.startswith("learned"))
_HELD = 0.002
_STEPS, _RATE = 400, 0.05
_LEAST_RIGHT = 0.3


def untaught(examples: Sequence[Example]) -> list[Example]:
    """Return the examples as they are without learned words."""
    found = []
    for each in examples:
        features = each.features.copy()
        if features.size:
            features[:, _LEARNED] = 0.0
        found.append(Example(dataset=each.dataset, fold=each.fold, features=features, right=each.right))
    return found


def weights(examples: Sequence[Example]) -> Numbers:
    """Return weights under which the right ideas take as much of a softmax as can be.

    Each data set counts by the square root of its size, so that a large one does not drown the others.
    """
    sizes = Counter(each.dataset for each in examples)
    used = [
        (each, sizes[each.dataset] ** -0.5) for each in examples if each.right.size and each.right.max() >= _LEAST_RIGHT
    ]
    prior = np.array([PRIOR.get(name, 0.0) for name in NAMES])
    total = sum(share for _, share in used)

    def slope(now: Numbers) -> Numbers:
        ascent = np.zeros_like(now)
        for each, share in used:
            chances = _softmax(each.features @ now)
            wanted = chances * each.right
            ascent += share * ((wanted / max(wanted.sum(), 1e-9) - chances) @ each.features)
        result: Numbers = ascent / total - 2 * _HELD * (now - prior)
        result[list(_PINNED)] = 0.0
        return result

    return _climb(prior, slope, _STEPS, _RATE)


def sure(examples: Sequence[Example], fitted: Numbers) -> Numbers:
    """Return the coefficients of a logistic function that says how right the first idea is."""
    sizes = Counter(each.dataset for each in examples)
    used = [each for each in examples if each.right.size]
    rows = np.array([says(each, fitted) for each in used])
    right = np.array([first(each, fitted) for each in used])
    shares = np.array([sizes[each.dataset] ** -0.5 for each in used])
    shares /= shares.sum()

    def slope(now: Numbers) -> Numbers:
        result: Numbers = rows.T @ (shares * (right - _logistic(rows @ now))) - 2e-4 * now
        return result

    return _climb(np.zeros(len(SURE)), slope, 3_000, 0.02)


def chances(examples: Sequence[Example], fitted: Numbers, coefficients: Numbers) -> Numbers:
    """Return the confidence in the first idea of each example."""
    return _logistic(np.array([says(each, fitted) for each in examples]) @ coefficients)


def first(example: Example, fitted: Numbers) -> float:
    """Return the F1 of the idea that comes first, 0 where there is none."""
    return float(example.right[np.argmax(example.features @ fitted)]) if example.right.size else 0.0


def says(example: Example, fitted: Numbers) -> list[float]:
    """Return what the confidence is made of, in the order of SURE, as `certainty` has it."""
    scores = example.features @ fitted
    order = np.argsort(-scores)[:12]
    best = order[0]
    margin = min(3.0, float(scores[best] - scores[order[1]])) if len(order) > 1 else 3.0
    made = {"bias": 1.0, "score": scores[best] / 10, "share": _softmax(scores[order])[0], "margin": margin}
    return [float(made[name] if name in made else example.features[best][NAMES.index(name)]) for name in SURE]


def _softmax(scores: Numbers) -> Numbers:
    raised: Numbers = np.exp(scores - scores.max())
    result: Numbers = raised / raised.sum()
    return result


def _logistic(values: Numbers) -> Numbers:
    result: Numbers = 1 / (1 + np.exp(-values))
    return result


def _climb(start: Numbers, slope: Callable[[Numbers], Numbers], steps: int, rate: float) -> Numbers:
    """Go uphill. Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015."""
    now, mean, spread = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, steps + 1):
        ascent = slope(now)
        mean = 0.9 * mean + 0.1 * ascent
        spread = 0.999 * spread + 0.001 * ascent**2
        now = now + rate * (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
    return now
