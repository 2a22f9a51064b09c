"""The checks of rank, class and preview: how much of the graph a query takes in."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Shape, Table
from tests.gated import Bench, mentions

LIST = Shape(form="list")


async def test_now_leaves_out_what_has_ended(gate: Bench) -> None:
    question = "For which team does Shaquille O'Neal play since 1996?"
    shape = Shape(form="entity", span="now", mentions=mentions(question, "Shaquille O'Neal"))
    query = "SELECT ?t { wd:Q169452 wdt:P54 ?t }"
    # All have ended: to find nothing is no better answer.
    await gate.kept(question, shape, query)


@pytest.mark.parametrize(("year", "team"), [(1994, "Q166105"), (2000, "Q121783")])
async def test_a_year_chooses_the_statement(gate: Bench, year: int, team: str) -> None:
    question = f"For which team did Shaquille O'Neal play in {year}?"
    shape = Shape(form="entity", span="year", year=year, mentions=mentions(question, "Shaquille O'Neal"))
    gated = await gate.gated(question, shape, "SELECT ?t { wd:Q169452 wdt:P54 ?t }")
    assert (gated.fixes, gated.values) == (["rank"], [team])
    right = (
        "SELECT ?t { wd:Q169452 p:P54 ?s . ?s ps:P54 ?t ; pq:P580 ?from ; pq:P582 ?to "
        f"FILTER(YEAR(?from) <= {year} && YEAR(?to) >= {year}) }}"
    )
    await gate.kept(question, shape, right)
    best = Shape(form="list", mentions=shape.mentions)
    await gate.kept("Which teams did Shaquille O'Neal play for?", best, "SELECT ?t { wd:Q169452 wdt:P54 ?t }")


async def test_a_closure_that_takes_in_everything_is_refused(gate: Bench) -> None:
    query = "SELECT ?x { ?x wdt:P31 wd:Q35120 }"
    empty = await gate.gated("Which things are there?", LIST, query)
    assert empty.fixes == ["class"]
    narrow = "SELECT ?r { ?r wdt:P31 wd:Q4022 }"
    await gate.kept("Which rivers are there?", LIST, narrow)


async def test_limits_of_a_preview(gate: Bench) -> None:
    countries = "SELECT ?c { ?c wdt:P31 wd:Q6256 }"
    for cut in (" LIMIT 2", " ORDER BY ?c LIMIT 2", " LIMIT 2 OFFSET 1", " OFFSET 3"):
        gated = await gate.gated("Which countries are there?", LIST, countries + cut)
        assert gated.table.total == 6, cut
        assert gated.fixes == ["preview"]
    inner = "SELECT ?c { { SELECT ?c { ?c wdt:P31 wd:Q6256 } LIMIT 3 } }"
    assert (await gate.gated("Which countries are there?", LIST, inner)).table.total == 6
    await gate.kept("Which countries are there?", LIST, countries)
    await gate.kept("Which countries are there?", LIST, countries + " LIMIT 6")
    oldest = "SELECT ?p { ?p wdt:P569 ?d } ORDER BY ?d LIMIT 1"
    await gate.kept("Who was born before all others?", Shape(form="entity"), oldest)
    three = Shape(form="list", top=3)
    assert (await gate.gated("Name three countries.", three, countries + " LIMIT 2")).table.total == 3


async def test_an_answer_that_was_cut_is_said_to_be(gate: Bench) -> None:
    query = "SELECT ?c { ?c wdt:P31 wd:Q6256 }"
    cut = Table(variables=("c",), rows=(), total=7, complete=False)
    gated = await gate.gated("Which countries are there?", LIST, query, table=cut)
    assert "preview" in gated.asks


async def test_limits_go_before_what_compares_whole_answers(gate: Bench) -> None:
    shape = Shape(form="list", span="now")
    gated = await gate.gated(
        "Which municipalities are there now?", shape, "SELECT ?m { ?m wdt:P31 wd:Q667509 } LIMIT 1"
    )
    assert (gated.fixes, gated.values) == (["preview", "rank"], ["Q42"])
