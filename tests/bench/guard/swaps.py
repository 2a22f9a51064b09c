"""Wrong properties in right queries: one property of a gold query, exchanged for another of the same kind.

`disjoint`: chosen domain against domain, without a look at the subject. `plausible`: one of the eight nearest names.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from plugins.schema.case import FORWARD, Case, Use
from plugins.schema.fit import Entity, Subject, Typed
from plugins.schema.lookups import Lookups
from plugins.schema.model import Property, Side
from proxy.contract import Dataset
from proxy.syntax import Blank, Iri, Syntax, Variable
from tests.bench.guard.gold import SEED, Gold
from tests.bench.guard.place import Place
from tests.bench.stores import shared

Position = Literal["constant", "variable", "object"]
_LEAST_USAGE = 50
_NEAREST = 8
_PATIENCE_S = 10.0
_STATEMENT = ("claim", "statement", "statement_value", "statement_normalized")


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """A gold query with one property exchanged.

    Shapes: ``position`` is the end that the query knows: a constant subject, a variable with a type pattern, or a
    constant object before which stands a variable; ``subject`` is what the schema knows of the subject, as far as it
    does; ``original`` is the use as it was, ``other`` the property that stands there now.
    """

    query: Gold
    text: str
    original: Use
    other: Property
    position: Position
    subject: Subject | None


Choice = Callable[["Shop", Property, random.Random], Property | None]


class Shop:
    """Find wrong properties: the used ones of an index, those that identify things in other databases left out."""

    def __init__(self, place: Place) -> None:
        self.place = place
        used = _used()
        records = (place.index.property(each) for each in sorted(used))
        self.pool = [each for each in records if each is not None and each.kind != "external-id"]
        self._grams = {each.id: _grams(each.label) for each in self.pool}
        self._near: dict[str, list[Property]] = {}

    def near(self, prop: Property) -> list[Property]:
        """Return the properties of the same kind with the nearest labels."""
        if prop.id not in self._near:
            self._near[prop.id] = self._nearest(prop)
        return self._near[prop.id]

    def _nearest(self, prop: Property) -> list[Property]:
        mine = _grams(prop.label)
        same = (each for each in self.pool if each.kind == prop.kind and each.id != prop.id)
        return sorted(same, key=lambda each: (-_jaccard(mine, self._grams[each.id]), each.id))[:_NEAREST]

    def apart(self, one: Side, other: Side) -> bool:
        """Whether no class of one side is a class of the other, or above or below one."""
        is_under = self.place.index.hierarchy.is_under
        return not any(is_under(a, b) or is_under(b, a) for a in one.classes for b in other.classes)

    async def swap(self, query: Gold, choose: Choice, positions: Sequence[Position]) -> Swap | None:
        """Exchange one property of a query, drawn with a fixed seed; None where there is none to exchange."""
        syntax = self.place.read(query.text)
        if syntax is None or not syntax.checked:
            return None
        chance = random.Random(f"{SEED} {query.text}")
        case = Case(syntax, self.place.index, Lookups(None))
        uses = [
            use for use in case.uses if use.edge.required and use.role in FORWARD and not case.says_type(use.property)
        ]
        for use in chance.sample(uses, len(uses)):
            found = await self._known(case, use)
            other = choose(self, use.property, chance) if found and found[0] in positions else None
            if found is None or other is None or any(each.property.id == other.id for each in case.uses):
                continue
            text = exchanged(syntax, use, other, self.place)
            if text is not None:
                position, subject = found
                return Swap(query=query, text=text, original=use, other=other, position=position, subject=subject)
        return None

    async def _known(self, case: Case, use: Use) -> tuple[Position, Subject | None] | None:
        """Return which end of a use the query knows, and the subject's classes where they are known."""
        subject, scope = use.edge.subject, use.edge.pattern.scope
        if isinstance(subject, Iri):
            about = (await self.place.facts.about([subject.value], Dataset(), _PATIENCE_S)).get(subject.value)
            return "constant", about.entity if about else None
        if not isinstance(subject, Variable | Blank):
            return None
        patterns = case.variables.types(subject, scope)
        if patterns:
            classes = tuple(dict.fromkeys(cls for each in patterns for cls in each.classes))
            return "variable", Typed(classes=classes)
        return ("object", None) if isinstance(use.edge.object, Iri) else None


def disjoint(shop: Shop, prop: Property, chance: random.Random) -> Property | None:
    """Choose a property of the same kind whose domain is disjoint from that of another."""
    if prop.domain is None or prop.domain.source != "declared":
        return None
    domain = prop.domain
    fitting = [each for each in shop.pool if each.kind == prop.kind and each.domain is not None]
    for each in chance.sample(fitting, len(fitting)):
        side = each.domain
        if side and side.source == "declared" and side.status != "suggestion" and shop.apart(domain, side):
            return each
    return None


def plausible(shop: Shop, prop: Property, chance: random.Random) -> Property | None:
    """Choose one of the properties with the nearest names, whatever its domain."""
    near = shop.near(prop)
    return chance.choice(near) if near else None


def typed(swap: Swap | None) -> bool:
    """Whether the subject of a swap is known to have a class."""
    return swap is not None and swap.subject is not None and bool(swap.subject.classes)


def exchanged(syntax: Syntax, use: Use, other: Property, place: Place) -> str | None:
    """Write the other property in the place of one; `p:` and `ps:` together, in the whole text."""
    pattern = use.edge.pattern
    places: list[tuple[int, int]] = []
    for start, end, iri in _written(syntax):
        found = place.index.role_of(iri)
        if found is None or found[0].id != use.property.id:
            continue
        within = pattern.start <= start < pattern.end and found[1] == use.role
        if within or (use.role == "claim" and found[1] in _STATEMENT):
            places.append((start, end))
    if not places or (use.role != "claim" and len(places) != 1):
        return None
    text, last = [], 0
    for start, end in sorted(set(places)):
        written = syntax.text[start:end]
        if use.property.id not in written:
            return None
        text += [syntax.text[last:start], written.replace(use.property.id, other.id)]
        last = end
    return "".join((*text, syntax.text[last:]))


def _written(syntax: Syntax) -> Iterator[tuple[int, int, str]]:
    """Yield the names of a text, and the IRIs that its patterns hold."""
    for name in syntax.names:
        if name.iri is not None:
            yield name.start, name.end, name.iri
    for iri in {step.value for pattern in syntax.patterns for step in (pattern.predicate,) if isinstance(step, Iri)}:
        start = syntax.text.find(f"<{iri}>")
        while start >= 0:
            yield start, start + len(iri) + 2, iri
            start = syntax.text.find(f"<{iri}>", start + 1)


def _used() -> set[str]:
    """Return the properties that Wikidata used fifty times or more, by the counts of the shared data."""
    with gzip.open(shared() / "data" / "wikidata" / "properties.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = map(json.loads, lines)
        return {each["id"] for each in records if each.get("usage_2021", 0) >= _LEAST_USAGE}


def _grams(text: str) -> frozenset[str]:
    padded = f" {text.casefold()} "
    return frozenset(padded[place : place + 3] for place in range(len(padded) - 2))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def known(subject: Subject | None) -> frozenset[str]:
    """Return the IRIs of the properties that a constant has."""
    return (subject.present or frozenset()) if isinstance(subject, Entity) else frozenset()
