"""What classes are called, and what those above them are: which are of persons, and which of places."""

from __future__ import annotations

from functools import lru_cache

from plugins.nl.strategies.keyless.sense import name_stems
from plugins.schema.index import Index

PERSONS = frozenset(("human", "person", "people", "organization", "organisation", "fictional character", "band"))
PLACES = frozenset(("location", "place", "geographic location", "geographical feature", "geographic region",
                    "human settlement", "administrative territorial entity", "territory"))  # fmt: skip
_KEPT = 16_384


@lru_cache(_KEPT)
def called(index: Index, class_iri: str) -> frozenset[str]:
    """Return the stems of a class's name."""
    info = index.class_info(class_iri)
    return name_stems(info.label) if info else frozenset()


@lru_cache(_KEPT)
def above(index: Index, class_iri: str) -> frozenset[str]:
    """Return what a class and all above it are called."""
    hierarchy = index.hierarchy
    infos = (index.class_info(hierarchy.iri(number)) for number in hierarchy.up(class_iri))
    return frozenset(info.label.casefold() for info in infos if info is not None)
