"""How likely the best of all ideas is the right one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from plugins.nl.strategies.keyless.cues import placed
from plugins.nl.strategies.keyless.ideas import Idea
from plugins.nl.strategies.keyless.judging import Judged
from plugins.nl.strategies.keyless.sense import name_stems
from plugins.schema.words import fold

# Ideas that share what there is of certainty.
_RIVALS = 12
_MOST_MARGIN = 3.0


def certainty(ranked: Sequence[Judged], weights: Mapping[str, float]) -> float:
    """Return it, from 0 to 1; ``ranked`` has the best first, and at least one."""
    best = ranked[0]
    others = [best.score, *(each.score for each in ranked[1:_RIVALS] if not _says_the_same(best.idea, each.idea))]
    says = {
        "bias": 1.0,
        "score": best.score / 10,
        "share": 1 / sum(math.exp(each - best.score) for each in others),
        "margin": min(best.score - others[1], _MOST_MARGIN) if len(others) > 1 else _MOST_MARGIN,
    }
    exponent = sum(weight * (says[name] if name in says else best.of(name)) for name, weight in weights.items())
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, exponent))))


def _says_the_same(one: Idea, other: Idea) -> bool:
    """Whether two ideas are two ways to say one thing: capital and capital of, at a place by whichever property."""
    if {one.way, other.way} == {"chain", "chain in"}:
        called = name_stems(one.uses[0].label) & name_stems(other.uses[0].label)
        return bool(called) and _but_for_the_first_step(one) == _but_for_the_first_step(other)
    return {one.way, other.way} <= {"meet", "in"} and _conditions(one) == _conditions(other)


def _but_for_the_first_step(idea: Idea) -> tuple[object, ...]:
    return idea.anchors, idea.uses[1:], idea.constraint, idea.ask, idea.measure, idea.negated


def _conditions(idea: Idea) -> tuple[object, ...]:
    """Return what must be so of an answer, in no order."""
    names = ("at" if fold(record.label) in placed() else record.id for record in idea.uses)
    given = list(zip(names, idea.anchors, strict=False))
    values = {(name, anchor.iri) for name, anchor in given if not anchor.hit.is_class}
    classes = {anchor.iri for _, anchor in given if anchor.hit.is_class}
    if idea.constraint is not None:
        classes.add(idea.constraint.iri)
    return values, classes, idea.ask, idea.negated, idea.measure
