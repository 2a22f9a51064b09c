"""The checks of count and date."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Shape
from tests.gated import Bench, mentions


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?s { ?s wdt:P1346 wd:Q128109 }",
        "SELECT DISTINCT ?s ?l WHERE { ?s wdt:P1346 wd:Q128109 ; rdfs:label ?l } ORDER BY ?l LIMIT 1",
        "SELECT (COUNT(?s) AS ?n) { ?s wdt:P1346 wd:Q128109 . ?s ?any ?thing }",
        "SELECT * { ?s wdt:P1346 wd:Q128109 }",
    ],
)
async def test_things_are_counted_once(gate: Bench, query: str) -> None:
    question = "How many NBA Finals did the Chicago Bulls win?"
    shape = Shape(form="count", mentions=mentions(question, "Chicago Bulls"))
    gated = await gate.gated(question, shape, query)
    assert gated.fixes == ["count"]
    assert gated.values == ["2"]
    await gate.kept(question, shape, "SELECT (COUNT(?s) AS ?n) { ?s wdt:P1346 wd:Q128109 }")


async def test_a_number_that_the_graph_states(gate: Bench) -> None:
    question = "How many children did Benjamin Franklin have?"
    shape = Shape(form="count", mentions=mentions(question, "Benjamin Franklin"))
    counted = "SELECT (COUNT(DISTINCT ?c) AS ?n) { wd:Q34969 wdt:P40 ?c }"
    both = await gate.kept(question, shape, counted)
    assert both.why("count") == "number of children says 3, counted are 2"
    question = "What is the number of children of Benjamin Franklin?"
    stated = await gate.gated(question, Shape(form="count", mentions=mentions(question, "Benjamin Franklin")), counted)
    assert (stated.fixes, stated.values) == (["count"], ["3"])
    await gate.kept(question, shape, "SELECT ?n { wd:Q34969 wdt:P1971 ?n }")


async def test_a_count_of_nothing_says_why(gate: Bench) -> None:
    question = "How many teams did Tom Hanks play for?"
    shape = Shape(form="count", mentions=mentions(question, "Tom Hanks"))
    gated = await gate.gated(question, shape, "SELECT (COUNT(?t) AS ?n) { wd:Q2263 wdt:P31 wd:Q5 ; wdt:P54 ?t }")
    assert gated.asks == ["count"]
    assert "wd:Q2263 wdt:P54" in gated.why("count")


async def test_a_count_by_groups_is_no_number(gate: Bench) -> None:
    query = "SELECT ?t (COUNT(?s) AS ?n) { ?s wdt:P1346 ?t } GROUP BY ?t"
    gated = await gate.gated("How many finals were there?", Shape(form="count"), query)
    assert "count" in gated.asks
    assert gated.sparql == query


async def test_the_month(gate: Bench) -> None:
    question = "In which month was The Visitors published?"
    shape = Shape(form="date", date_part="month", mentions=mentions(question, "The Visitors"))
    gated = await gate.gated(question, shape, "SELECT ?d { wd:Q338553 wdt:P577 ?d }")
    assert (gated.fixes, gated.values) == (["date"], ["11"])
    await gate.kept(question, shape, "SELECT (MONTH(?d) AS ?m) { wd:Q338553 wdt:P577 ?d }")


async def test_a_date_that_is_exact_to_the_year(gate: Bench) -> None:
    month = Shape(form="date", date_part="month")
    day = Shape(form="date")
    old, new = "SELECT ?d { wd:Q91 wdt:P577 ?d }", "SELECT ?d { wd:Q92 wdt:P577 ?d }"
    assert (await gate.gated("In which month did the Old Almanac appear?", month, old)).asks == ["date"]
    assert "year" in (await gate.kept("When did the Old Almanac appear?", day, old)).why("date")
    assert (await gate.gated("In which month did the New Almanac appear?", month, new)).values == ["1"]
    assert (await gate.kept("When did the New Almanac appear?", day, new)).why("date") == ""
