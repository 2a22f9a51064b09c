"""Domains and ranges: how a suspicion is put to the graph, and what is left of one that the graph refutes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import Store

from plugins.schema.index import Index
from plugins.schema.model import Side
from tests.unit.schema.demo_schema import demo_draft, item
from tests.unit.schema.test_guard_judge import Graph, brief, judged


@pytest.fixture
def graph(demo_store: Path) -> Graph:
    return Graph(Store.read_only(str(demo_store)))


def capitals_are_people() -> Index:
    """Return the demo schema with a range that the graph's own facts break."""
    draft = demo_draft()
    capital = draft.properties[item("P36")]
    draft.add_property(replace(capital, range=Side(classes=(item("Q5"),))))
    return draft.index()


async def test_a_range_that_the_graph_itself_breaks_accuses_nobody(graph: Graph) -> None:
    index = capitals_are_people()
    assert brief(await judged("SELECT * { wd:Q142 wdt:P36 wd:Q90 }", graph, index)) == []
    found = brief(await judged("SELECT * { wd:Q142 wdt:P36 wd:Q64 }", graph, index))
    assert ("range", "warn", True) in found


async def test_a_range_that_nobody_could_ask_about_in_time_warns(graph: Graph) -> None:
    text = "SELECT * { ?x wdt:P31 wd:Q515 . wd:Q142 wdt:P36 ?x }"
    graph.wait_s = 5.0
    assert brief(await judged(text, graph, capitals_are_people())) == [("range", "warn", False)]


@pytest.mark.parametrize(
    "where",
    [
        "?x wdt:P31/wdt:P279* wd:Q515 . ?x wdt:P569 ?d",
        "?x wdt:P569 ?d . ?x wdt:P31/wdt:P279* wd:Q515",
        "VALUES ?c { wd:Q515 wd:Q6256 } ?x wdt:P31/wdt:P279* ?c . ?x wdt:P569 ?d",
    ],
)
async def test_the_graph_is_asked_for_the_rare_part_first(graph: Graph, where: str) -> None:
    # A store without statistics walks a path over all instances of a class otherwise, which takes it seconds.
    assert brief(await judged(f"SELECT * {{ {where} }}", graph)) == [("domain", "block", True)]
    (proof,) = [text for text in graph.asked if text.startswith("ASK") and "P569" in text]
    assert proof.index("P569") < proof.index("P279")


async def test_beside_a_range_the_other_direction_is_told(graph: Graph) -> None:
    found = await judged("SELECT * { ?x wdt:P36 wd:Q142 }", graph)
    assert [each.code for each in found.findings if each.code != "direction"] in ([], ["range"])
    (turned,) = [each for each in found.findings if each.code == "direction"]
    assert "wd:Q142 wdt:P36 ?x" in turned.message


async def test_more_than_five_classes_are_counted(graph: Graph) -> None:
    draft = demo_draft()
    birth = draft.properties[item("P569")]
    for number in range(8):
        draft.add_superclass(item(f"Q90000{number}"), item("Q35120"))
    draft.add_property(replace(birth, domain=Side(classes=tuple(item(f"Q90000{number}") for number in range(8)))))
    (finding,) = (await judged("SELECT ?d { wd:Q142 wdt:P569 ?d }", graph, draft.index())).findings
    assert len(finding.expected) == 5
    assert "Q900004 and 3 more; France (Q142) is a " in finding.reason


async def test_an_exception_of_a_range_is_who_makes_the_statement(graph: Graph) -> None:
    draft = demo_draft()
    capital = draft.properties[item("P36")]
    people = Side(classes=(item("Q5"),), exceptions=frozenset({item("Q142")}))
    draft.add_property(replace(capital, range=people))
    index = draft.index()
    codes = [
        [each.code for each in (await judged(f"SELECT * {{ {subject} wdt:P36 wd:Q64 }}", graph, index)).findings]
        for subject in ("wd:Q142", "wd:Q30")
    ]
    assert "range" not in codes[0]
    assert "range" in codes[1]
