"""Properties that are called nearly alike on the same thing: cause of death and manner of death.

Domain and range cannot tell them apart, so both are shown with what they mean before a yes or no is believed.
Source: SAGA, appendix E.6; strategies.md section 1, "Neighbour predicates".
"""

from __future__ import annotations

from collections.abc import Sequence

from plugins.nl.tools import Neighbourhood
from plugins.schema.annotation import tidy
from plugins.schema.model import Property
from plugins.schema.words import stems

MOST_BESIDE = 2
_LEAST_STEM = 4


def beside(record: Property, around: Neighbourhood) -> tuple[Property, ...]:
    """Return the properties of a thing that share a word of the name with one, and have the same kind of value."""
    said = _telling(record.label)
    near = [
        line.property
        for line in around.out.values()
        if line.property.id != record.id and line.property.kind == record.kind and not line.conflicts
    ]
    alike = [each for each in near if said & _telling(each.label)]
    alike.sort(key=lambda each: (-len(said & _meaning(each)), -each.usage, each.id))
    return tuple(alike[:MOST_BESIDE])


def worded(record: Property, others: Sequence[Property], thing: str) -> str:
    """Say what else may be meant."""
    listed = "; ".join(map(_described, others))
    return f"Near {_described(record)}, {thing} also has: {listed}. Use the one that the question means."


def _telling(text: str) -> frozenset[str]:
    return frozenset(each for each in stems(text) if len(each) >= _LEAST_STEM or not each.isascii())


def _meaning(record: Property) -> frozenset[str]:
    return _telling(" ".join((record.label, record.description, *record.aliases)))


def _described(record: Property) -> str:
    described = f": {tidy(record.description)}" if record.description else ""
    return f"{tidy(record.name)} ({record.id}){described}"
