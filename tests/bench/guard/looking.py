"""Look-ups of gold queries: what rules take away of them, and what their first lines hold."""

from __future__ import annotations

from tests.bench.guard.filters import filtered
from tests.bench.guard.gold import gold
from tests.bench.guard.hierarchies import hierarchies
from tests.bench.guard.neighbours import compared, look_ups
from tests.bench.guard.place import Place
from tests.bench.guard.recall import recalled
from tests.bench.guard.table import Row


async def looking(place: Place, most: int | None) -> list[Row]:
    """Read the neighbourhoods once, for both tables."""
    found = await look_ups(place, compared(gold(place.graph))[:most])
    ways = await hierarchies(place)
    return filtered(found, ways, place) + recalled(found, ways, place)
