"""Whether the property that a gold query needs is among the first lines of a look-up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from plugins.schema.fit import strict
from plugins.schema.kinds import Kinds, kinds
from plugins.schema.lexicon import Lexicon
from plugins.schema.model import Property
from plugins.schema.order import Edge, order
from plugins.search.learned import Learned
from tests.bench.guard.hierarchies import Bare, Hierarchies, shares, stays
from tests.bench.guard.lessons import Lessons
from tests.bench.guard.neighbours import LookUp
from tests.bench.guard.place import Place
from tests.bench.guard.table import Row, at_least, counted, plain

Rule = Literal["strict", "closure", "demote"]
Teach = Callable[[str], Learned]
_LINES = (10, 20, 40)
# Lines to which a neighbourhood is filled up: none, since the store has it so, or as many as real entities have.
_AS_IT_IS, _PADDED = 0, 60
_TARGETS = {("demote", _AS_IT_IS, 10): 94.0, ("demote", _AS_IT_IS, 20): 97.5, ("demote", _PADDED, 20): 90.0}


@dataclass(slots=True)
class Ranked:
    """The places of gold properties in their look-ups; None for one that a rule took away."""

    places: list[int | None]
    lines: list[int]


class Orderer:
    """Order neighbourhoods as a strategy sees them."""

    def __init__(self, place: Place, plain_hierarchy: Bare) -> None:
        self._index = place.index
        self._plain = plain_hierarchy
        self._lexicon = Lexicon(place.index.properties())
        self._kinds = Kinds(place.index)
        self._most_used = sorted(
            (each for each in place.index.properties() if each.kind != "external-id"),
            key=lambda each: (-each.usage, each.id),
        )[:500]

    def ranked(self, found: Sequence[LookUp], rule: Rule, lessons: Teach | None, lines: int) -> Ranked:
        """Return where the gold properties stand that their entities have."""
        result = Ranked([], [])
        for each in found:
            wanted = [prop for prop in each.wanted if prop.id in each.around.values and prop.kind != "external-id"]
            if not wanted or not each.query.question:
                continue
            ids = self._ids(each, rule, lessons, lines)
            result.lines.append(len(ids))
            result.places += [ids.index(prop.id) + 1 if prop.id in ids else None for prop in wanted]
        return result

    def _ids(self, each: LookUp, rule: Rule, lessons: Teach | None, lines: int) -> list[str]:
        around = each.around
        here = [prop for name in around.values if (prop := self._index.property(name)) is not None]
        padding = self._padding(each, {prop.id for prop in here}, lines)
        learned = lessons(each.query.dataset).rank(each.query.question) if lessons else {}
        edges = [
            Edge(
                property=prop,
                values=tuple(filter(None, around.values.get(prop.id, {}).values())),
                share=self._share(each, prop),
                conflicts=rule == "demote" and not stays(self._index, prop, around.entity),
                learned=learned.get(prop.iri, 0.0),
            )
            for prop in (*here, *padding)
            if rule == "demote" or self._keeps(rule, prop, each)
        ]
        question = each.query.question
        done = order(
            edges,
            question,
            self._lexicon,
            entity=around.label,
            answers=kinds(question),
            fits=self._kinds.fits,
        )
        return [edge.property.id for edge in (*done.shown, *done.folded)]

    def _keeps(self, rule: Rule, prop: Property, each: LookUp) -> bool:
        if rule == "strict":
            return strict(prop.domain, each.around.entity.classes)
        return shares(self._plain, prop, each.around.entity)

    def _share(self, each: LookUp, prop: Property) -> float:
        counts = (self._index.evidence(cls, prop.id) for cls in each.around.entity.classes)
        return max((having / instances for having, instances in filter(None, counts)), default=0.0)

    def _padding(self, each: LookUp, here: set[str], lines: int) -> list[Property]:
        """Return what is frequent on the entity's class, then what is most used: real entities have more."""
        counts: dict[str, tuple[int, Property]] = {}
        for cls in each.around.entity.classes:
            for prop, count in self._index.typical(cls):
                if prop.kind != "external-id" and counts.get(prop.id, (0, prop))[0] < count:
                    counts[prop.id] = (count, prop)
        typical = [prop for _, prop in sorted(counts.values(), key=lambda pair: (-pair[0], pair[1].id))]
        plain_here = sum(1 for name in here if (found := self._index.property(name)) and found.kind != "external-id")
        more = [prop for prop in _once((*typical, *self._most_used)) if prop.id not in here]
        return more[: max(0, lines - plain_here)]


def _once(props: Sequence[Property]) -> list[Property]:
    return list({prop.id: prop for prop in props}.values())


def recalled(found: Sequence[LookUp], ways: Hierarchies, place: Place) -> list[Row]:
    """Order every neighbourhood by its question, in three ways, as the store has it and padded to 60 lines."""
    orderer = Orderer(place, ways.plain)
    rules: tuple[Rule, ...] = ("strict", "closure", "demote")
    rows = []
    for padded in (_AS_IT_IS, _PADDED):
        for rule in rules:
            rows += _rows(orderer.ranked(found, rule, None, padded), rule, padded, "")
    lessons = Lessons(place)
    for padded in (_AS_IT_IS, _PADDED):
        ranked = orderer.ranked(found, "demote", lessons, padded)
        rows += _rows(ranked, "demote", padded, ", words learned of the other benchmarks")
    return rows


def _rows(ranked: Ranked, rule: Rule, padded: int, more: str) -> list[Row]:
    whole = len(ranked.places)
    mean = sum(ranked.lines) / max(1, len(ranked.lines))
    name = f"{rule}{f' padded to {padded}' if padded else ''}{more}"
    rows = [plain(f"{name}: units, mean lines", f"{whole:,}, {mean:.1f}")]
    for lines in _LINES:
        part = sum(place is not None and place <= lines for place in ranked.places)
        shown = sum(min(lines, each) for each in ranked.lines) / max(1, len(ranked.lines))
        label = f"{name}: first {lines} ({shown:.1f} lines shown)"
        target = None if more else _TARGETS.get((rule, padded, lines))
        rows.append(plain(label, counted(part, whole)) if target is None else at_least(label, part, whole, target))
    return rows
