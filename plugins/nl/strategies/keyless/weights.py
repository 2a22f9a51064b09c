"""How much each thing that speaks for an idea counts, with learned words and without.

Fitted by `python -m tests.bench.keyless` on the halves of five benchmarks that are for development; it says how. Ideas
are ranked by a weighted sum; confidence is a logistic function of what `Judge.confidence` names.
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
        "anchored": 5.01, "known": 1.85, "label": 0.485, "place": -2.15, "inner": -1.32, "capital": -0.0909,
        "short": -0.409, "propertyish": -1.1, "anchors": 0.101, "named": 1.95, "named_least": -0.71,
        "linked": 1.68, "cued": 2.41, "cued_least": -0.478, "learned": 3, "learned_least": 0, "fits": 2.09,
        "described": 1.17, "usage": 0.336, "evident": 0.818, "evident_least": 1.44, "covered": 2.68,
        "unsaid": -3.5, "missed": -0.498, "unexplained": -0.619, "constraint": -0.105, "constraint_typed": 0.222,
        "kind_word": 0.907, "kind_fits": 1.61, "out": 0.11, "in": -0.297, "through": -0.135, "meet": 0.275,
        "link": -0.061, "chain": -1.85, "chain_in": -1.26, "either": 1.02, "statement": -0.919, "count":
        0.782, "count_in": -0.379, "count_form": 0.508, "typish": -1.7, "existing": -0.939, "measured":
        0.137, "measure_said": 3.71, "unmeasured": -0.837, "plural": 0.152, "plural_typish": 2.51,
        "typish_in": 0.926, "range_fits": 0.739, "by_in": 0.824, "own_out": 0.5, "of_out": 0.312,
    },
    sure={
        "bias": -4.21, "score": 1.58, "share": 3.18, "margin": -0.237, "anchored": -1.17, "covered": 2.55,
        "unexplained": 0.476, "evident": 0.122, "short": -0.341, "known": -0.143,
    },
)  # fmt: skip
_TAUGHT = Weights(
    ideas={
        "anchored": 4.95, "known": 1.79, "label": 0.509, "place": -2.16, "inner": -1.41, "capital": -0.012,
        "short": -0.455, "propertyish": -1.12, "anchors": 0.0798, "named": 2.26, "named_least": -0.408,
        "linked": 1.81, "cued": 2.45, "cued_least": -0.333, "learned": 2.03, "learned_least": -0.48, "fits":
        2.03, "described": 1.33, "usage": 0.331, "evident": 0.256, "evident_least": 0.985, "covered": 2.77,
        "unsaid": -3.5, "missed": -0.455, "unexplained": -0.369, "constraint": -0.058, "constraint_typed": 0.291,
        "kind_word": 0.905, "kind_fits": 1.61, "out": 0.149, "in": -0.317, "through": -0.266, "meet": 0.358,
        "link": -0.0473, "chain": -1.81, "chain_in": -1.31, "either": 1.04, "statement": -0.95, "count":
        0.751, "count_in": -0.374, "count_form": 0.502, "typish": -1.84, "existing": -0.953, "measured":
        0.21, "measure_said": 3.72, "unmeasured": -0.91, "plural": 0.148, "plural_typish": 2.52,
        "typish_in": 1.04, "range_fits": 0.673, "by_in": 0.957, "own_out": 0.5, "of_out": 0.354,
    },
    sure={
        "bias": -3.92, "score": 1.66, "share": 2.62, "margin": -0.148, "anchored": -0.974, "covered": 2.46,
        "unexplained": 0.3, "evident": -0.165, "short": -0.298, "known": -0.229,
    },
)  # fmt: skip


def weights_of(knowledge: Knowledge) -> Weights:
    """Return the weights that go with what is known of a graph."""
    return _PLAIN if knowledge.learned is None else _TAUGHT
