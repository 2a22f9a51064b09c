"""How much each thing that speaks for an idea counts, with learned words and without.

Fitted by `python -m tests.bench.keyless` on the halves of five benchmarks that are for development; it says how. Ideas
are ranked by a weighted sum; confidence is a logistic function of what `certainty` names. Set by hand is what
words that an idea does not use cost (`left`, `left_first`): all questions of benchmarks have an answer, those of people
have not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plugins.nl.tools import Knowledge

# Below it a question stays unanswered.
LEAST_CONFIDENCE = 0.3


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of what speaks for an idea, and of what makes the best one sure."""

    ideas: Mapping[str, float]
    sure: Mapping[str, float]


_PLAIN = Weights(
    ideas={
        "anchored": 5.91, "known": 1.3, "label": 0.612, "place": -1.98, "inner": -0.94, "capital": -1.51,
        "short": -1.05, "propertyish": -0.756, "anchors": 0.432, "named": 3.06, "named_least": -0.89, "linked": 2.66,
        "cued": 3.17, "cued_least": 0.231, "learned": 3, "learned_least": 0, "fits": 0.742, "described": 0.873,
        "usage": 0.509, "evident": 0.828, "evident_least": 0.743, "covered": 2.02, "missed": -1.39, "unsaid": -1.45,
        "unexplained": 0.647, "constraint": -0.154, "constraint_typed": 0.802, "constraint_unsure": -2.68,
        "kind_word": 0.501, "kind_fits": 1.38, "out": 1.11, "in": -0.126, "through": 0.038, "meet": 0.338,
        "link": 0.195, "chain": -2.83, "chain_in": -1.91, "either": 1, "meet_on": -1.12, "stated": -0.839,
        "role": -0.5, "owner": -0.535, "shared": -1.02, "statement": -0.607, "count": 1.35, "count_in": 0.188,
        "count_form": 0.277, "typish": -1, "existing": -0.715, "measured": 0.296, "measure_said": 3.08,
        "unmeasured": -0.996, "plural": 0.197, "plural_typish": 2.79, "typish_in": 0.233, "range_fits": 2.77,
        "by_in": 0.953, "own_out": 0.5, "of_out": 0.979, "where_in": -3.99, "sort_in": 2.09, "left": -5,
        "left_named": -4, "left_first": 0,
    },
    sure={
        "bias": -4.21, "score": 1.58, "share": 3.18, "margin": -0.237, "anchored": -1.17, "covered": 2.55,
        "unexplained": 0.476, "evident": 0.122, "short": -0.341, "known": -0.143, "left": -1, "left_first": -1.5,
    },
)  # fmt: skip
_TAUGHT = Weights(
    ideas={
        "anchored": 6.07, "known": 1.62, "label": 0.747, "place": -2.07, "inner": -1.31, "capital": -0.854,
        "short": -0.36, "propertyish": -0.767, "anchors": 0.527, "named": 3.39, "named_least": 0.231, "linked": 2.59,
        "cued": 2.5, "cued_least": -0.203, "learned": 2.72, "learned_least": 0.201, "fits": 0.646, "described": 0.528,
        "usage": 0.445, "evident": 0.365, "evident_least": 0.216, "covered": 1.35, "missed": -1.31, "unsaid": -1.18,
        "unexplained": 0.218, "constraint": -0.203, "constraint_typed": 1.04, "constraint_unsure": -2.12,
        "kind_word": 0.626, "kind_fits": 1.72, "out": 1.34, "in": -0.074, "through": -0.118, "meet": 0.823,
        "link": 0.132, "chain": -2.32, "chain_in": -2.78, "either": 1, "meet_on": -1.28, "stated": -0.829,
        "role": -0.5, "owner": -0.569, "shared": -1.03, "statement": -0.746, "count": 1.2, "count_in": -0.35,
        "count_form": 0, "typish": -0.944, "existing": -0.388, "measured": 0.369, "measure_said": 3.14,
        "unmeasured": -1.07, "plural": -0.002, "plural_typish": 2.36, "typish_in": 0.045, "range_fits": 1.61,
        "by_in": 1.2, "own_out": 0.5, "of_out": 0.507, "where_in": -3.96, "sort_in": 2.79, "left": -5,
        "left_named": -4, "left_first": 0,
    },
    sure={
        "bias": -3.92, "score": 1.66, "share": 2.62, "margin": -0.148, "anchored": -0.974, "covered": 2.46,
        "unexplained": 0.3, "evident": -0.165, "short": -0.298, "known": -0.229, "left": -1, "left_first": -1.5,
    },
)  # fmt: skip


def weights_of(knowledge: Knowledge) -> Weights:
    """Return the weights that go with what is known of a graph."""
    return _PLAIN if knowledge.learned is None else _TAUGHT
