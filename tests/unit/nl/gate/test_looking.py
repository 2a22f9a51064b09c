"""The checks that only look: hops, coverage, known."""

from __future__ import annotations

from typing import Any

import pytest

from plugins.nl.contract import Shape
from tests.gated import Bench, mentions


async def test_a_thing_of_another_class(gate: Bench) -> None:
    question = "Which rivers are in Germany?"
    shape = Shape(form="list", type_label="rivers", mentions=mentions(question, "Germany"))
    gated = await gate.gated(question, shape, "SELECT ?x { wd:Q183 wdt:P36 ?x }")
    assert gated.asks == ["hops"]
    assert "Berlin" in gated.why("hops")
    question = "Which city is the capital of Germany?"
    await gate.kept(
        question,
        Shape(form="entity", type_label="city", mentions=mentions(question, "Germany")),
        "SELECT ?x { wd:Q183 wdt:P36 ?x }",
    )


@pytest.mark.parametrize(
    ("form", "query"),
    [
        ("entity", "SELECT ?n { wd:Q3114 wdt:P1082 ?n }"),
        ("date", "SELECT ?t { wd:Q7934 wdt:P31 ?t }"),
        ("number", "SELECT ?d { wd:Q7934 wdt:P569 ?d }"),
    ],
)
async def test_a_value_of_another_kind(gate: Bench, form: Any, query: str) -> None:
    gated = await gate.gated("What about Frank Herbert or Canberra?", Shape(form=form), query)
    assert "hops" in gated.asks


async def test_codes_are_numbers_and_dates_need_no_datatype(gate: Bench) -> None:
    question = "What is the area code of Berlin?"
    number = Shape(form="number", mentions=mentions(question, "Berlin"))
    await gate.kept(question, number, "SELECT ?c { wd:Q64 wdt:P473 ?c }")
    question = "When was Frank Herbert born?"
    date = Shape(form="date", mentions=mentions(question, "Frank Herbert"))
    await gate.kept(question, date, "SELECT ?d { wd:Q7934 wdt:P569 ?t BIND(STR(?t) AS ?d) }")


async def test_an_ordinal_in_a_name_chooses_nothing(gate: Bench) -> None:
    question = "When was the Fifth Republic founded by Frank Herbert?"
    shape = Shape(form="date", superlative="max", place=5, mentions=mentions(question, "Frank Herbert"))
    await gate.kept(question, shape, "SELECT ?d { wd:Q7934 wdt:P569 ?d }")


async def test_an_answer_about_something_else(gate: Bench) -> None:
    question = "What is the capital of Germany?"
    shape = Shape(form="entity", mentions=mentions(question, "Germany"))
    gated = await gate.gated(question, shape, "SELECT ?d { wd:Q51 wdt:P1441 ?d }")
    assert "coverage" in gated.asks
    assert "Start again" in gated.why("coverage")
    half = await gate.gated(question, shape, "SELECT ?c { wd:Q408 wdt:P36 ?c }")
    assert half.asks == ["coverage"]
    assert "'Germany'" in half.why("coverage")
    await gate.kept(question, shape, "SELECT ?c { wd:Q183 wdt:P36 ?c }")


async def test_a_choice_of_three_is_no_list_from_memory(gate: Bench) -> None:
    question = "Which is longest, the Nile, the Rhine or the Danube?"
    names = ("Nile", "Rhine", "Danube")
    shape = Shape(form="winner", superlative="max", compare=names, mentions=mentions(question, *names))
    values = "VALUES ?r { wd:Q3392 wd:Q584 wd:Q1653 } ?r wdt:P2043 ?l"
    gated = await gate.gated(question, shape, f"SELECT ?r ?l {{ {values} }}")
    assert (gated.fixes, gated.asks, gated.values) == (["winner"], [], ["Q3392"])
    await gate.kept(question, shape, f"SELECT ?r {{ {values} }} ORDER BY DESC(?l) LIMIT 1")


async def test_ids_that_never_came_up(gate: Bench) -> None:
    question = "What is the capital of Germany?"
    shape = Shape(form="entity", mentions=mentions(question, "Germany"))
    made_up = await gate.gated(
        question, shape, "SELECT ?c { wd:Q183 wdt:P36 ?c OPTIONAL { ?c wdt:P9876543 ?x } }", seen=()
    )
    assert "known" in made_up.asks
    assert "wdt:P9876543" in made_up.why("known")
    remembered = await gate.gated(question, shape, "SELECT ?c { wd:Q183 wdt:P36 ?c }", seen=())
    assert "known" not in remembered.asks
    assert "Germany (wd:Q183)" in remembered.why("known")
