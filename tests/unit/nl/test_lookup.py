"""What `lookup`, `search` and `examples` say of the real demo graph, as data and in words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plugins.nl.contract import OutOfBudget, Table
from plugins.nl.tools import Tools
from plugins.nl.tools.wording import MOST_CHARS, clipped
from proxy.results.terms import Term
from tests.toolbox import WD, Toolbox, demo_index, toolbox

MERKEL, GERMANY, RIVER, DANUBE = (f"{WD}{each}" for each in ("Q567", "Q183", "Q4022", "Q1653"))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_index(tmp_path_factory.mktemp("lookup") / "demo.search")


@pytest.fixture
async def box(demo_store: Path, index: Path) -> AsyncIterator[Toolbox]:
    async with toolbox(demo_store, index) as made:
        yield made


def tools(box: Toolbox, text: str, language: str = "en") -> Tools:
    return box.work(text, language).tools


async def test_the_asked_property_comes_first_with_its_value_and_what_it_is_for(box: Toolbox) -> None:
    own = tools(box, "Where was Angela Merkel born?")
    found = await own.lookup(MERKEL)
    assert found.types == (f"{WD}Q5",)
    assert found.ordered.shown[0].property.id in ("P19", "P569")
    assert found.out["P19"].values[0].value == f"{WD}Q1055"
    text = own.wording.neighbourhood(found)
    assert text.startswith("Angela Merkel (wd:Q567): ")
    assert "types: human (wd:Q5)" in text
    assert "place of birth (P19) | = Hamburg (wd:Q1055)" in text


async def test_edges_add_up_and_both_directions_are_seen(box: Toolbox) -> None:
    found = await tools(box, "Which rivers are in Germany?").lookup(GERMANY)
    edges = found.edges
    assert edges["seen"] == edges["shown"] + edges["folded"] + edges["removed"]
    assert edges["seen"] == len(found.out) + len(found.into)
    assert found.into["P17"].direction == "in"
    assert found.into["P17"].count > 1
    only_out = await tools(box, "Which rivers are in Germany?").lookup(GERMANY, "out")
    assert not only_out.into
    assert set(only_out.out) == set(found.out)


async def test_qualifiers_and_ranks_are_told(box: Toolbox) -> None:
    own = tools(box, "When was Angela Merkel chancellor?")
    found = await own.lookup(MERKEL)
    assert {"P580", "P582"} <= set(found.out["P39"].qualifiers)
    assert "qualifiers: " in own.wording.neighbourhood(found)


async def test_a_class_is_told_from_a_thing_and_is_not_suspected(box: Toolbox) -> None:
    own = tools(box, "What is a river?")
    found = await own.lookup(RIVER)
    assert found.is_class
    assert not found.suspicion
    assert "is a class, a kind of: watercourse" in own.wording.neighbourhood(found)
    assert not (await own.lookup(DANUBE)).is_class


async def test_only_the_two_modes_of_the_papers_remove_anything(box: Toolbox) -> None:
    own = tools(box, "Who is the head of government of Germany?")
    whole = await own.lookup(GERMANY, "out", "off")
    demoted = await own.lookup(GERMANY, "out", "demote")
    strict = await own.lookup(GERMANY, "out", "strict")
    assert set(whole.out) == set(demoted.out)
    assert whole.removed == demoted.removed == 0
    assert set(strict.out) < set(whole.out)
    assert strict.removed == len(whole.out) - len(strict.out)
    assert f"{strict.removed} properties whose domain does not fit were removed." in own.wording.neighbourhood(strict)


async def test_an_entity_that_has_nothing_is_suspected_and_its_namesakes_are_named(box: Toolbox) -> None:
    """Of two that are called Paris, the one that is unknown to the graph says: there are others."""
    own = tools(box, "What is Mercury?")
    hits = await own.search("Mercury", "entity")
    assert len(hits) >= 2
    thin = [hit for hit in hits if (await own.lookup(hit.iri)).suspicion]
    assert thin, "at least one Mercury of the demo has hardly any property"
    found = await own.lookup(thin[0].iri)
    assert {hit.iri for hit in found.others} == {hit.iri for hit in hits[:4]} - {found.iri}
    said = own.wording.neighbourhood(found)
    assert "[wrong entity?]" in said
    assert "Others of that name: " in said


async def test_an_entity_that_is_not_there_is_empty_and_says_so(box: Toolbox) -> None:
    own = tools(box, "What is this?")
    found = await own.lookup(f"{WD}Q999999999")
    assert not found.out
    assert "types: none known" in own.wording.neighbourhood(found)


async def test_labels_are_in_the_language_of_the_question(box: Toolbox) -> None:
    own = tools(box, "Was ist die Hauptstadt von Deutschland?", "de")
    found = await own.lookup(GERMANY)
    assert "Deutschland" in own.wording.neighbourhood(found)
    assert own.labels.of(GERMANY) == "Deutschland"


async def test_examples_show_direction_and_kind_of_value(box: Toolbox) -> None:
    own = tools(box, "Who directed it?")
    schema = box.knowledge.schema
    assert schema is not None
    record = schema.property("P57")
    assert record is not None
    pairs = await own.examples(record)
    assert 0 < len(pairs) <= 5
    assert all(first.kind == second.kind == "iri" for first, second in pairs)


async def test_what_came_up_is_known_and_what_did_not_is_not(box: Toolbox) -> None:
    own = tools(box, "Where was Angela Merkel born?")
    assert own.seen == set()
    own.link(["Angela Merkel"])
    assert own.seen == {MERKEL}
    await own.lookup(MERKEL)
    assert f"{WD}Q1055" in own.seen
    assert f"{WD}P19" in own.seen
    assert DANUBE not in own.seen


async def test_a_lookup_costs_queries_and_ends_with_the_budget(box: Toolbox) -> None:
    work = box.work("Where was Angela Merkel born?")
    work.budget.queries = 2
    with pytest.raises(OutOfBudget):
        await work.tools.lookup(MERKEL)


def test_a_table_is_shown_with_its_totals_and_its_two_ends(box: Toolbox) -> None:
    rows = tuple((Term("literal", str(number)),) for number in range(40))
    text = tools(box, "q").wording.table(Table(variables=("x",), rows=rows, total=4_000, complete=False))
    lines = text.splitlines()
    assert lines[0] == "4,000 or more rows: the answer is not complete." or "not complete" in lines[0]
    assert lines[2] == "0"
    assert lines[-1] == "39"
    assert "..." in lines


def test_text_is_clipped_at_a_line_and_says_what_is_missing() -> None:
    text = clipped(["x" * 99] * 200)
    assert len(text) <= MOST_CHARS + 40
    assert text.splitlines()[-1] == "(120 more lines are left out)"
    assert clipped(["short"]) == "short"
