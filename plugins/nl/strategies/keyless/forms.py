"""What a question's form makes of ideas: counts, yes or no, the most and the least, one of two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from plugins.nl.contract import Shape
from plugins.nl.strategies.keyless.ideas import Idea, Measure, says_kind
from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.strategies.keyless.surroundings import VALUED, Edge
from plugins.nl.tools import Knowledge
from plugins.schema.model import Property

_MEASURED = frozenset(("quantity", "time"))
_TIMES = frozenset(("date", "year"))
_MOST_MEASURES = 6
_MOST_KINDS = 3
_MOST_ASKED = 4


def formed(ideas: Iterable[Idea], shape: Shape, knowledge: Knowledge) -> Iterator[Idea]:
    """Yield what answers in the form that is asked for."""
    given = [idea for idea in ideas if not idea.half]
    match shape.form:
        case "ask":
            yield from _compared(given, shape) if shape.compare else _whether(given, knowledge)
        case "count":
            for idea in _things(given, shape, knowledge):
                yield idea if _is_number(idea) else replace(idea, ask="count")
        case "winner":
            yield from _either(given, shape)
            yield from _things(given, shape, knowledge)
        case _:
            yield from _things(given, shape, knowledge)


def _things(ideas: Iterable[Idea], shape: Shape, knowledge: Knowledge) -> Iterator[Idea]:
    for idea in ideas:
        if idea.ask != "things":
            continue
        if shape.negated and idea.way == "meet" and not idea.statement:
            yield _denied(idea)
            continue
        yield idea
        if shape.superlative != "none" and shape.measure == "time" and shape.form in _TIMES and _is_time(idea):
            yield replace(idea, measure=Measure(idea.uses[-1], "answer", modifiers=ranked("?x", shape)))
        elif shape.superlative != "none" and not shape.compare:
            for record in _measures(idea, shape, knowledge):
                yield replace(idea, measure=Measure(record, modifiers=ranked("?value", shape)))
        elif shape.bound is not None:
            condition = f"FILTER(?value {shape.bound.comparison} {shape.bound.value:g})"
            for record in _measures(idea, shape, knowledge):
                if record.kind == "quantity":
                    yield replace(idea, measure=Measure(record, condition=condition))


def _denied(idea: Idea) -> Idea:
    """Return what is so by one of two conditions alone, the other is denied: films of Nolan without superheroes."""
    one, other = idea.anchors
    if one.span.first < other.span.first:
        return replace(idea, negated=True)
    edge = replace(idea.edge, anchors=(other, one), predicates=idea.edge.predicates[::-1])
    return replace(idea, edge=edge, uses=idea.uses[::-1], negated=True)


def _is_number(idea: Idea) -> bool:
    return idea.uses[-1].kind == "quantity" and idea.way in ("out", "chain")


def _is_time(idea: Idea) -> bool:
    return idea.uses[-1].kind == "time" and idea.way in VALUED


def _measures(idea: Idea, shape: Shape, knowledge: Knowledge) -> list[Property]:
    """Return what can be measured of the answers, by what others of their kind have."""
    index = knowledge.schema
    if index is None or idea.edge.way not in ("in", "meet", "out"):
        return []
    classes = [idea.constraint.iri] if idea.constraint else []
    classes += [each.iri for each in idea.anchors if each.hit.is_class] + list(idea.kinds[:_MOST_KINDS])
    counts: dict[str, tuple[int, Property]] = {}
    for each in classes:
        for record, count in index.typical(each):
            if _measurable(record, shape) and counts.get(record.id, (0, record))[0] < count:
                counts[record.id] = (count, record)
    return [record for _, record in sorted(counts.values(), key=lambda pair: (-pair[0], pair[1].id))[:_MOST_MEASURES]]


def _measurable(record: Property, shape: Shape) -> bool:
    if shape.measure == "time":
        return record.kind == "time"
    return record.kind == "quantity" or (record.kind == "time" and not shape.measure)


def ranked(expression: str, shape: Shape) -> str:
    """Return the solution modifiers that leave the ones that a superlative wants."""
    by = f"DESC({expression})" if shape.superlative == "max" else expression
    offset = f" OFFSET {shape.place - 1}" if shape.place > 1 else ""
    return f"ORDER BY {by} LIMIT {shape.top or 1}{offset}"


def _whether(ideas: Sequence[Idea], knowledge: Knowledge) -> Iterator[Idea]:
    """Yield whether something is so; what is so by one property that says a kind is not asked by another."""
    joined = {idea.anchors for idea in ideas if idea.way == "link" and says_kind(idea.uses[0], knowledge)}
    for idea in _asked(ideas, knowledge):
        if idea.edge.count or idea.anchors not in joined or not says_kind(idea.uses[0], knowledge):
            yield idea


def _asked(ideas: Sequence[Idea], knowledge: Knowledge) -> Iterator[Idea]:
    """Yield whether something is so: what is linked, what is there at all, and what might be linked and is not."""
    linked = {(idea.anchors, idea.edge.predicates) for idea in ideas if idea.way == "link"}
    anchors = list(dict.fromkeys(anchor for idea in ideas for anchor in idea.anchors))
    yield from _usual(anchors, knowledge)
    for idea in ideas:
        if idea.statement:
            continue
        yield replace(idea, ask="whether")
        if idea.way != "out" or idea.uses[0].kind not in ("item", ""):
            continue
        for other in anchors[:4]:
            pair = (idea.anchors[0], other)
            if not pair[0].span.overlaps(other.span) and (pair, idea.edge.predicates) not in linked:
                yield Idea(Edge("link", pair, idea.edge.predicates, 0, None), idea.uses, idea.roles, ask="whether")


def _either(ideas: Sequence[Idea], shape: Shape) -> Iterator[Idea]:
    """Yield which of two has more or less of what both have."""
    for idea in _both(ideas, shape):
        yield replace(idea, measure=Measure(idea.uses[0], modifiers=ranked("?value", shape)))


def _usual(anchors: Sequence[Anchor], knowledge: Knowledge) -> Iterator[Idea]:
    """Yield whether two things are joined by what things of the first one's kind usually have."""
    index = knowledge.schema
    if index is None or not knowledge.direct:
        return
    for one, other in permutations(anchors[:_MOST_ASKED], 2):
        if one.span.overlaps(other.span):
            continue
        yield from _of_class(one, other, knowledge)
        if one.hit.is_class or other.hit.is_class:
            continue
        known = {record.id: record for each in one.hit.classes for record, _ in index.typical(each.iri)}
        for record in known.values():
            if record.kind == "item":
                edge = Edge("link", (one, other), (f"{knowledge.direct}{record.id}",), 0, None)
                yield Idea(edge, (record,), ("direct",), ask="whether")


def _of_class(one: Anchor, other: Anchor, knowledge: Knowledge) -> Iterator[Idea]:
    """Yield whether a thing, or what is of a class, is of another class."""
    step = knowledge.vocabulary.types[0]
    record = knowledge.property(step)
    if other.hit.is_class and record is not None:
        yield Idea(Edge("link", (one, other), (step,), 0, None), (record,), ("direct",), ask="whether")


def _compared(ideas: Sequence[Idea], shape: Shape) -> Iterator[Idea]:
    """Yield whether the first of two has more, or less, than the second."""
    sign = ">" if shape.superlative == "max" else "<"
    for idea in _both(ideas, shape):
        yield replace(idea, ask="whether", measure=Measure(idea.uses[0], condition=f"FILTER(?value {sign} ?other)"))


def _both(ideas: Sequence[Idea], shape: Shape) -> Iterator[Idea]:
    """Yield what two things have that can be measured, in the order of the question."""
    out = [idea for idea in ideas if idea.way == "out" and idea.uses[0].kind in _MEASURED and not idea.constraint]
    for one, other in combinations(out, 2):
        if one.edge.predicates == other.edge.predicates and not one.anchors[0].span.overlaps(other.anchors[0].span):
            pair = tuple(sorted((*one.anchors, *other.anchors), key=lambda each: each.span.first))
            if _measurable(one.uses[0], shape):
                edge = Edge("either", pair, one.edge.predicates, 1, None)
                yield Idea(edge, one.uses, one.roles)
