"""Ideas about all things of a class, which no look at what stands around one thing brings: the schema allows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plugins.nl.contract import Shape
from plugins.nl.strategies.keyless.cues import anywhere, degrees, placed
from plugins.nl.strategies.keyless.forms import ranked
from plugins.nl.strategies.keyless.ideas import Idea, Measure
from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.strategies.keyless.naming import PLACES, above
from plugins.nl.strategies.keyless.surroundings import Edge
from plugins.nl.tools import Knowledge
from plugins.schema.index import Index
from plugins.schema.model import Property
from plugins.schema.words import fold

_THINGS = frozenset(("entity", "list", "winner"))
# Of what stands around a place, no more than so many were looked at.
_CROWDED = 1_000
# A property that so few things of a class have is not worth a query.
_LEAST_SEEN = 3


def at_places(anchors: Sequence[Anchor], shape: Shape, knowledge: Knowledge) -> Iterator[Idea]:
    """Yield what of a class is at a place around which too much stands to be looked at: castles of a country."""
    index = knowledge.schema
    if index is None or not knowledge.direct:
        return
    for place in anchors:
        if place.hit.is_class or place.hit.popularity < _CROWDED or not _is_place(place, index):
            continue
        for kind in _classes(anchors, place, shape.language):
            for record in _placing(kind, place, index):
                edge = Edge("in", (place,), (knowledge.direct + record.id,), 1, None, (kind.iri,), seen=False)
                yield Idea(edge, (record,), ("direct",), constraint=kind)


def tallies(
    anchors: Sequence[Anchor], shape: Shape, knowledge: Knowledge, is_said: Callable[[Anchor, Property], bool]
) -> Iterator[Idea]:
    """Yield what has most of something, or more than so many: which country has the most languages.

    What has least of it is not among them: what has none of it stands in no such query. ``is_said`` tells whether words
    beside those of a class say a property.
    """
    index, step = knowledge.schema, knowledge.vocabulary.types[0]
    kind_of = knowledge.property(step)
    if index is None or kind_of is None or not knowledge.direct or not _wants_many(shape):
        return
    for kind in anchors:
        # The languages of "official languages" are some of them only.
        for record in _usual(kind, index) if kind.hit.is_class and not kind.inner else ():
            if not is_said(kind, record):
                continue
            having = Edge("in", (kind,), (step,), 1, None, seen=False)
            values = Measure(record, "values", modifiers=_many("?value", shape))
            yield Idea(having, (kind_of,), ("direct",), measure=values)
            if shape.bound is None:
                held = Edge("chain in", (kind,), (step, knowledge.direct + record.id), 1, None, seen=False)
                holders = Measure(record, "holders", modifiers=_many("?middle", shape))
                yield Idea(held, (kind_of, record), ("direct", "direct"), measure=holders)


def _wants_many(shape: Shape) -> bool:
    """Whether things are asked for of which there is the most, or more than so many, of something."""
    if shape.form not in _THINGS or shape.compare:
        return False
    if shape.bound is not None:
        return shape.bound.comparison in (">", ">=") and shape.bound.value > 0
    return shape.superlative == "max" and shape.measure == "count"


def _many(counted: str, shape: Shape) -> str:
    """Return the solution modifiers that leave those of which so much is counted."""
    number = f"COUNT(DISTINCT {counted})"
    if shape.bound is not None:
        return f"HAVING({number} {shape.bound.comparison} {shape.bound.value:g})"
    return ranked(number, shape)


def _placing(kind: Anchor, place: Anchor, index: Index) -> list[Property]:
    """Return the properties by which things of a class are at a place; where none were seen, those of anything."""
    seen = [record for record in _usual(kind, index) if fold(record.label) in placed()]
    known = seen or [each for name in anywhere() for each in index.find(name, 1) if fold(each.label) == fold(name)]
    return [each for each in known if _leads_to(each, place, index)]


def _leads_to(record: Property, place: Anchor, index: Index) -> bool:
    """Whether a place may be a value of a property: no country is a continent."""
    wanted = record.range.classes if record.range else ()
    given = [each.iri for each in place.hit.classes]
    return any(one == kind or index.hierarchy.is_under(one, kind) for one in given for kind in wanted)


def _classes(anchors: Sequence[Anchor], place: Anchor, language: str) -> Iterator[Anchor]:
    """Yield what words beside a place most likely mean as classes; the largest city is one of the cities."""
    given = (each for each in anchors if each.hit.is_class and not each.place)
    return (
        each for each in given if not each.span.overlaps(place.span) and not degrees(fold(each.span.text), language)
    )


def _usual(kind: Anchor, index: Index) -> Iterator[Property]:
    """Yield the properties whose values are things that things of a class have."""
    return (record for record, count in index.typical(kind.iri) if record.kind == "item" and count >= _LEAST_SEEN)


def _is_place(anchor: Anchor, index: Index) -> bool:
    return any(not PLACES.isdisjoint(above(index, each.iri)) for each in anchor.hit.classes)
