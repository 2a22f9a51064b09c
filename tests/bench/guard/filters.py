"""What a filter of properties would take away, and what of that the gold queries need: the paper's rule, and ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from plugins.schema.fit import strict
from plugins.schema.model import Property
from tests.bench.guard.hierarchies import Hierarchies, shares, stays
from tests.bench.guard.neighbours import LookUp, Neighbourhood
from tests.bench.guard.place import Place
from tests.bench.guard.table import Row, near, plain

Keeps = Callable[[Property, Neighbourhood], bool]
# Properties removed, edges removed, gold kept, gold kept where the entity has it.
# Source: guard_numbers.md section 2, [shared].
_EXPECTED: Mapping[str, tuple[float, float, float, float]] = {
    "strict": (33.2, 65.4, 70.0, 59.6),
    "closure": (2.3, 0.6, 99.5, 99.5),
    "closure + ancestry": (2.1, 0.6, 99.8, 99.9),
    "closure + ancestry + class_ancestors": (0.9, 0.3, 99.9, 99.9),
}
_NAMES = ("properties removed", "edges removed", "gold kept", "gold kept, present")


@dataclass(slots=True)
class Tally:
    """What a rule does to look-ups."""

    properties: int = 0
    properties_removed: int = 0
    edges: int = 0
    edges_removed: int = 0
    gold: int = 0
    gold_kept: int = 0
    present: int = 0
    present_kept: int = 0

    def percent(self) -> tuple[float, float, float, float]:
        """Return the four shares in percent."""
        pairs = (
            (self.properties_removed, self.properties),
            (self.edges_removed, self.edges),
            (self.gold_kept, self.gold),
            (self.present_kept, self.present),
        )
        first, second, third, fourth = (100 * part / max(1, whole) for part, whole in pairs)
        return first, second, third, fourth


def filtered(found: Sequence[LookUp], ways: Hierarchies, place: Place) -> list[Row]:
    """Apply each rule to the neighbourhood of every constant subject."""
    rules: dict[str, Keeps] = {
        "strict": lambda prop, around: strict(prop.domain, around.entity.classes),
        "closure": lambda prop, around: shares(ways.plain, prop, around.entity),
        "closure + ancestry": lambda prop, around: stays(ways.plain, prop, around.entity),
        "closure + ancestry + class_ancestors": lambda prop, around: stays(ways.joined, prop, around.entity),
        "ours: what is marked as a misfit": lambda prop, around: stays(place.index, prop, around.entity),
    }
    rows = [plain("look-ups (a query and a constant subject)", f"{len(found):,}; expected 2,675")]
    for name, keeps in rules.items():
        shares_ = tally(found, keeps, place).percent()
        expected = _EXPECTED.get(name)
        for number, (what, share) in enumerate(zip(_NAMES, shares_, strict=True)):
            label = f"{name}: {what}"
            rows.append(near(label, share, expected[number]) if expected else plain(label, f"{share:.1f} %"))
    return rows


def tally(found: Sequence[LookUp], keeps: Keeps, place: Place) -> Tally:
    """Count what a rule takes away."""
    total = Tally()
    for each in found:
        around = each.around
        kept: dict[str, bool] = {}
        for name, values in around.values.items():
            prop = place.index.property(name)
            assert prop is not None
            kept[name] = keeps(prop, around)
            total.properties += 1
            total.properties_removed += not kept[name]
            total.edges += len(values)
            total.edges_removed += 0 if kept[name] else len(values)
        for prop in each.wanted:
            stay = kept.get(prop.id)
            stay = keeps(prop, around) if stay is None else stay
            total.gold += 1
            total.gold_kept += stay
            total.present += prop.id in around.values
            total.present_kept += stay and prop.id in around.values
    return total
