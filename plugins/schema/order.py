"""The order in which the properties of an entity are shown: nothing is removed, what does not fit comes last.

Source: the project's own measurements of what holds the wanted property among the first lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from plugins.schema.lexicon import Lexicon, Question
from plugins.schema.model import Property

Answer = Literal["person", "place", "time", "quantity"]
FIRST = 20
_USAGE, _TYPICAL, _KIND, _VALUE, _CONFLICT, _DESCRIPTION = 4.0, 2.0, 2.0, 6.0, 6.0, 0.25
_FULL_USAGE = 7
_FUSION = 10
_LEARNED_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A property that an entity has.

    Shapes: ``values`` are the labels of its values, as far as they are known; ``share`` is the part of the instances
    of the entity's class that have the property; ``conflicts`` says that a declared domain does not fit; ``learned`` is
    the weight of the question's words for this property, from pairs of questions and queries.
    """

    property: Property
    values: tuple[str, ...] = ()
    share: float = 0.0
    conflicts: bool = False
    learned: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """Edges in order. ``shown`` come with values, ``folded`` in one line, ``ids`` as a count and the named ones."""

    shown: tuple[Edge, ...]
    folded: tuple[Edge, ...]
    ids: tuple[Edge, ...] = field(default=())


def order(
    edges: Iterable[Edge],
    question: str,
    lexicon: Lexicon,
    *,
    entity: str = "",
    answers: frozenset[Answer] = frozenset(),
    fits: Callable[[Property, Answer], bool] | None = None,
    first: int = FIRST,
) -> Ordered:
    """Return all edges, the likely ones first; external ids apart.

    ``entity`` is the entity's label, whose words say nothing; ``answers`` are the kinds of answer that the question
    wants, and ``fits`` says whether a property gives one. Two properties that are equal stand in the order of usage
    and id.
    """
    given = list(edges)
    ids = [each for each in given if each.property.kind == "external-id"]
    plain = [each for each in given if each.property.kind != "external-id"]
    asked = lexicon.question(question, entity)
    scores = {id(each): score(each, asked, lexicon, answers, fits or kind_fits) for each in plain}
    ranked = sorted(plain, key=lambda each: (-scores[id(each)], -each.property.usage, each.property.id))
    if any(each.learned > 0 for each in plain):
        ranked = _fused(ranked, plain)
    # A misfit is worth its line only after everything else.
    ranked = [each for each in ranked if not each.conflicts] + [each for each in ranked if each.conflicts]
    ids.sort(key=lambda each: (-lexicon.likeness(asked, each.property), -each.property.usage, each.property.id))
    return Ordered(shown=tuple(ranked[:first]), folded=tuple(ranked[first:]), ids=tuple(ids))


def folded_line(edges: Sequence[Edge]) -> str:
    """Return the rest in one line of `label (Pid)`."""
    return ", ".join(
        f"{each.property.name} ({each.property.id}){' [does not fit]' if each.conflicts else ''}" for each in edges
    )


def kind_fits(record: Property, answer: Answer) -> bool:
    """Whether a property gives this kind of answer, by its kind alone."""
    return {"time": "time", "quantity": "quantity", "person": "item", "place": "item"}[answer] == record.kind


def score(
    edge: Edge, asked: Question, lexicon: Lexicon, answers: frozenset[Answer], fits: Callable[[Property, Answer], bool]
) -> float:
    """Return how much speaks for one property: the question's words, usage, its class, its kind and its values."""
    record = edge.property
    value = lexicon.likeness(asked, record) + _DESCRIPTION * lexicon.weight_found(asked, record.description)
    value += _USAGE * min(1.0, math.log10(1 + record.usage) / _FULL_USAGE)
    value += _TYPICAL * math.sqrt(max(0.0, min(1.0, edge.share)))
    if any(fits(record, answer) for answer in answers):
        value += _KIND / math.sqrt(len(answers))
    if any(asked.names(label) for label in edge.values):
        value += _VALUE
    return value - (_CONFLICT if edge.conflicts else 0.0)


def _fused(ranked: Sequence[Edge], plain: Sequence[Edge]) -> list[Edge]:
    """Join the order with that of learned words by reciprocal ranks."""
    places: Mapping[int, int] = {id(each): place for place, each in enumerate(ranked)}
    learned = sorted((each for each in plain if each.learned > 0), key=lambda each: (-each.learned, places[id(each)]))
    score = {id(each): 1 / (_FUSION + 1 + place) for place, each in enumerate(ranked)}
    for place, each in enumerate(learned, 1):
        score[id(each)] += _LEARNED_SHARE / (_FUSION + place)
    return sorted(ranked, key=lambda each: (-score[id(each)], places[id(each)]))
