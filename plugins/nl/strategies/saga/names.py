"""What a model calls by an id: `Q76`, `wd:Q76`, `<http://...>`, `Barack Obama (wd:Q76)`."""

from __future__ import annotations

import re

from plugins.nl.tools import Knowledge
from plugins.schema.body import askable
from plugins.schema.model import Property

_IRI = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
_NAME = re.compile(r"\b([A-Za-z][\w-]*):([\w./-]*\w)")
_ITEM = re.compile(r"\b[QPL][1-9]\d*\b")
# How Freebase names a thing.
_MID = re.compile(r"\b[mg]\.[0-9a-z_]+")


def entity(argument: str, knowledge: Knowledge) -> str | None:
    """Return the IRI that an argument names by an id, that of a property in the form of its entity; else None."""
    if match := _IRI.search(argument):
        return _checked(match.group().rstrip(").,"))
    for prefix, local in _NAME.findall(argument):
        if prefix in knowledge.prefixes:
            return _checked(knowledge.prefixes[prefix] + local)
    mids = knowledge.graph == "freebase"
    space = knowledge.prefixes.get("ns", "") if mids else knowledge.vocabulary.entities
    match = (_MID if mids else _ITEM).search(argument) if space else None
    return f"{space}{match.group()}" if match else None


def declared_property(argument: str, knowledge: Knowledge) -> Property | None:
    """Return the property that an argument names by an id, in any of its variants, as far as the schema has it."""
    index = knowledge.schema
    if index is None:
        return None
    return index.property(entity(argument, knowledge) or argument.strip()) or index.property(argument.strip())


def any_property(argument: str, knowledge: Knowledge) -> Property | None:
    """Return the property that an argument names, also one that no schema has; None for what can be no property."""
    record, iri = declared_property(argument, knowledge), entity(argument, knowledge)
    if record is not None or iri is None:
        return record
    space = knowledge.vocabulary.entities
    if not space:
        return knowledge.property(iri)
    local = iri.rpartition("/")[2]
    return knowledge.property(knowledge.direct + local) if local.startswith("P") else None


def _checked(iri: str) -> str | None:
    return iri if askable(iri) else None
