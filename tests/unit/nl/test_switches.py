"""What can be switched off: each switch changes what it names on the real demo graph, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from plugins.nl.contract import ALL_ON
from plugins.schema.model import Property
from tests.toolbox import WD, Toolbox, demo_index, toolbox

BERLIN = f"{WD}Q64"
MISFIT = "SELECT ?d { wd:Q183 wdt:P569 ?d }"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_index(tmp_path_factory.mktemp("switches") / "demo.search")


@pytest.fixture
async def box(demo_store: Path, index: Path) -> AsyncIterator[Toolbox]:
    async with toolbox(demo_store, index) as made:
        yield made


async def test_without_the_hierarchy_only_the_very_class_fits(box: Toolbox) -> None:
    whole = await box.work("Berlin?").tools.lookup(BERLIN, "out")
    flat = await box.work("Berlin?", switches=replace(ALL_ON, hierarchy=False)).tools.lookup(BERLIN, "out")
    assert set(whole.out) == set(flat.out)
    assert sum(each.conflicts for each in flat.out.values()) > sum(each.conflicts for each in whole.out.values())


async def test_without_the_guard_a_query_that_cannot_match_is_run(box: Toolbox) -> None:
    judged = await box.work("When was Germany born?").tools.execute(MISFIT)
    run = await box.work("When was Germany born?", switches=replace(ALL_ON, guard=False)).tools.execute(MISFIT)
    assert judged.outcome == "blocked"
    assert run.table is not None
    assert run.table.empty


async def test_the_filter_is_that_of_the_switches(box: Toolbox) -> None:
    kept = {}
    for mode in ("strict", "demote"):
        work = box.work("Berlin?", switches=replace(ALL_ON, filter=mode))
        kept[mode] = await work.tools.lookup(BERLIN, "out")
    assert kept["strict"].removed > kept["demote"].removed == 0


async def test_of_a_part_of_the_schema_the_same_part_is_known_and_more_of_a_greater_one(box: Toolbox) -> None:
    knowledge = box.knowledge
    known: dict[float, set[str]] = {}
    for share in (0.0, 0.25, 0.5, 1.0):
        part = replace(knowledge, coverage=share, seed=3)
        known[share] = {each.id for each in declared(part.schema and part.schema.properties())}
    assert not known[0.0]
    assert known[0.0] < known[0.25] < known[0.5] < known[1.0]
    again = replace(knowledge, coverage=0.25, seed=3)
    assert {each.id for each in declared(again.schema and again.schema.properties())} == known[0.25]
    other = replace(knowledge, coverage=0.25, seed=4)
    assert {each.id for each in declared(other.schema and other.schema.properties())} != known[0.25]


async def test_what_is_not_covered_is_unknown_by_every_name_and_the_rest_of_it_stays(box: Toolbox) -> None:
    whole, none = box.knowledge.schema, replace(box.knowledge, coverage=0.0).schema
    assert whole is not None
    assert none is not None
    for name in ("P569", f"{WD}P569"):
        found = none.property(name)
        assert found is not None
        assert (found.domain, found.range, found.label) == (None, None, "date of birth")
    role = none.role_of("http://www.wikidata.org/prop/direct/P569")
    assert role is not None
    assert role[0].domain is None
    before = whole.property("P569")
    assert before is not None
    assert before.domain is not None


def declared(properties: object) -> list[Property]:
    assert properties is not None
    return [each for each in properties if each.domain or each.range]  # type: ignore[attr-defined]
