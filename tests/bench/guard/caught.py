"""How many wrong properties the guard finds, blocks, and whether one of the blocked queries would have had rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from plugins.schema.findings import Finding
from tests.bench.guard.gold import Gold, gold, sampled, unique, without_simple
from tests.bench.guard.place import Place, each
from tests.bench.guard.swaps import Choice, Position, Shop, Swap, disjoint, plausible, typed
from tests.bench.guard.table import Row, at_least, counted, none_of, plain

# So many queries are tried; not every one has a property to exchange.
SWAPPED = 2_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Caught:
    """A swap, and what the guard says of the property that does not belong there."""

    swap: Swap
    findings: tuple[Finding, ...]

    def found(self, *codes: str) -> bool:
        """Whether a finding of one of these kinds is confirmed by the graph."""
        return any(each.verified and each.code in codes for each in self.findings)

    @property
    def blocked(self) -> bool:
        """Whether the query is stopped in block mode."""
        return any(each.severity == "block" for each in self.findings)


async def swaps(shop: Shop, choose: Choice, positions: Sequence[Position], most: int | None = None) -> list[Swap]:
    """Make the swaps of a sample of queries."""

    async def made(query: Gold) -> Swap | None:
        return await shop.swap(query, choose, positions)

    queries = sampled(without_simple(unique(gold(shop.place.graph))), most or SWAPPED)
    return [swap for swap in await each(f"{choose.__name__} swaps", queries, made) if swap is not None]


async def caught(place: Place, most: int | None) -> list[Row]:
    """Judge both kinds of swaps."""
    shop = Shop(place)
    rows = await _disjoint(place, shop, most)
    return rows + await _plausible(place, shop, most)


async def _disjoint(place: Place, shop: Shop, most: int | None) -> list[Row]:
    made = [swap for swap in await swaps(shop, disjoint, ("constant", "variable"), most) if typed(swap)]
    found = await judged(place, made)
    blocked = [case for case in found if case.blocked]
    outcomes = await each("blocked ones, run", [case.swap.text for case in blocked], place.outcome)
    rows = [plain("disjoint domains, typed subjects", f"{len(found):,} swaps")]
    for name, cases in (
        ("all", found),
        ("constants", _at(found, "constant")),
        ("typed variables", _at(found, "variable")),
    ):
        share = sum(case.found("domain") for case in cases)
        stopped = sum(case.blocked for case in cases)
        if name == "all":
            rows += [at_least("found by its domain, verified", share, len(cases), 97)]
            rows += [at_least("blocked", stopped, len(cases), 90)]
        else:
            rows += [plain(f"{name}: found", counted(share, len(cases)))]
            rows += [plain(f"{name}: blocked", counted(stopped, len(cases)))]
    anyhow = sum(case.found(*ALL) for case in found)
    rows += [plain("found by any kind of finding, verified", counted(anyhow, len(found)))]
    rows += [none_of("blocked, and returns rows", outcomes.count("rows"), len(blocked))]
    return rows


ALL = ("domain", "range", "datatype", "model", "direction", "empty", "unknown_id")


async def _plausible(place: Place, shop: Shop, most: int | None) -> list[Row]:
    made = await swaps(shop, plausible, ("constant", "variable", "object"), most)
    found = await judged(place, made)
    constants = _at(found, "constant")
    rows = [plain("plausible names", f"{len(found):,} swaps")]
    wanted = ("empty", "direction", "domain")
    rows += [at_least("constant subjects: empty, direction or domain", _sum(constants, wanted), len(constants), 90)]
    rows += [plain(f"  by {code}", counted(_sum(constants, (code,)), len(constants))) for code in wanted]
    objects = _at(found, "object")
    rows += [plain("constant objects: empty, direction or domain", counted(_sum(objects, wanted), len(objects)))]
    variables = _at(found, "variable")
    rows += [plain("typed variables: domain", counted(_sum(variables, ("domain",)), len(variables)))]
    blocked = [case for case in found if case.blocked]
    outcomes = await each("blocked ones, run", [case.swap.text for case in blocked], place.outcome)
    rows += [plain("blocked", counted(len(blocked), len(found)))]
    rows += [none_of("blocked, and returns rows", outcomes.count("rows"), len(blocked))]
    return rows


async def judged(place: Place, made: Sequence[Swap]) -> list[Caught]:
    """Judge swapped queries; only findings about the property that was put in count."""

    async def judge(swap: Swap) -> Caught:
        report = await place.judged(swap.text, absence=True)
        mine = tuple(each for each in report.findings if each.prop.id == swap.other.id)
        return Caught(swap=swap, findings=mine)

    return await each("swapped queries, judged", made, judge)


def _at(found: Sequence[Caught], position: Position) -> list[Caught]:
    return [case for case in found if case.swap.position == position]


def _sum(found: Sequence[Caught], codes: Collection[str]) -> int:
    return sum(case.found(*codes) for case in found)
