"""The class hierarchy of the shared sample in two other ways, to compare rules: P279 alone, and with all ancestors."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass

from plugins.schema.draft import Draft
from plugins.schema.fit import Answer, Entity, fit
from plugins.schema.hierarchy import Hierarchy
from plugins.schema.index import Index
from plugins.schema.model import Property
from tests.bench.guard.place import Place
from tests.bench.stores import shared

_WD = "http://www.wikidata.org/entity/"
_ROOT = f"{_WD}Q35120"


class Bare:
    """An index with another hierarchy and no table of evidence, to see what a rule does alone."""

    def __init__(self, index: Index, hierarchy: Hierarchy) -> None:
        self.trigrams = index.trigrams
        self.graph = index.graph
        self.hierarchy = hierarchy
        self.property = index.property
        self.role_of = index.role_of
        self.class_info = index.class_info
        self.find = index.find
        self.typical = index.typical
        self.parts_apart = index.parts_apart

    def evidence(self, class_iri: str, property_id: str) -> tuple[int, int] | None:
        """Return nothing: nobody counted."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchies:
    """``plain`` is P279 alone, ``joined`` with `class_ancestors` in every closure."""

    plain: Bare
    joined: Bare


async def hierarchies(place: Place) -> Hierarchies:
    """Read the superclasses of the store and of the table of classes; then join the ancestors."""
    drafts = [Draft("wikidata", {_WD: ""}) for _ in range(2)]
    edges = [(row["a"]["value"], row["b"]["value"]) for row in await _rows(place)]
    edges += [(row[0], each) for row in _table("classes", 2) for each in row[1]]
    for draft in drafts:
        draft.roots.add(_ROOT)
        for below, above in edges:
            draft.add_superclass(below, above)
    for below, ancestors in _table("class_ancestors", 1):
        drafts[1].add_ancestors(below, ancestors)
    drafts[1].join_ancestors()
    plain, joined = (Bare(place.index, draft.index().hierarchy) for draft in drafts)
    return Hierarchies(plain=plain, joined=joined)


async def _rows(place: Place) -> Sequence[dict[str, dict[str, str]]]:
    return await place.rows("SELECT ?a ?b { ?a wdt:P279 ?b FILTER(ISIRI(?b)) }")


def _table(name: str, column: int) -> list[tuple[str, list[str]]]:
    with gzip.open(shared() / "data" / "wikidata" / f"{name}.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        rows = [line.rstrip("\n").split("\t") for line in lines]
    return [(_WD + row[0], [_WD + each for each in row[column].split()]) for row in rows if len(row) > column]


def shares(schema: Bare, prop: Property, entity: Entity) -> bool:
    """Whether a property stays by the closure alone: a class of the domain is above one of the entity's."""
    side = prop.domain
    if side is None or side.source != "declared" or not side.classes or not entity.classes:
        return True
    is_under = schema.hierarchy.is_under
    return any(is_under(cls, each) for cls in entity.classes for each in side.classes)


def stays(schema: Bare | Index, prop: Property, entity: Entity) -> bool:
    """Whether a property stays by `fit`: only a sure conflict takes it away."""
    return fit(schema, prop, prop.domain, entity) is not Answer.CONFLICTS
