"""The checks of form and polarity: what they change, ask, and leave as it is."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Bound, Shape
from tests.gated import Bench, mentions

LIST = Shape(form="list")


@pytest.mark.parametrize(("city", "holds"), [("Berlin", True), ("Canberra", False)])
async def test_evidence_is_held_against_what_the_question_names(gate: Bench, city: str, holds: bool) -> None:
    question = f"Is {city} the capital of Germany?"
    shape = Shape(form="ask", mentions=mentions(question, city, "Germany"))
    gated = await gate.gated(question, shape, "SELECT ?c WHERE { wd:Q183 wdt:P36 ?c } LIMIT 10")
    assert gated.fixes == ["form"]
    assert gated.table.boolean is holds
    named = {"Berlin": "wd:Q64", "Canberra": "wd:Q3114"}[city]
    await gate.kept(question, shape, f"ASK {{ wd:Q183 wdt:P36 {named} }}")


@pytest.mark.parametrize(("bound", "holds"), [(300_000, True), (400_000, False)])
async def test_a_value_is_held_against_a_bound(gate: Bench, bound: float, holds: bool) -> None:
    question = f"Do more than {bound} people live in Canberra?"
    shape = Shape(form="ask", bound=Bound(comparison=">", value=bound), mentions=mentions(question, "Canberra"))
    gated = await gate.gated(question, shape, "SELECT ?n { wd:Q3114 wdt:P1082 ?n }")
    assert gated.table.boolean is holds
    await gate.kept(question, shape, f"ASK {{ wd:Q3114 wdt:P1082 ?n FILTER(?n > {bound}) }}")


@pytest.mark.parametrize(
    "evidence",
    [
        "SELECT ?s (COUNT(?t) AS ?n) { ?s wdt:P54 ?t } GROUP BY ?s HAVING(COUNT(?t) >= 2)",
        "SELECT ?s { { SELECT ?s (COUNT(?t) AS ?n) { ?s wdt:P54 ?t } GROUP BY ?s } FILTER(?n >= 2) }",
    ],
)
async def test_groups_become_a_yes(gate: Bench, evidence: str) -> None:
    gated = await gate.gated("Has anyone played for two teams?", Shape(form="ask"), evidence)
    assert gated.fixes == ["form"]
    assert gated.table.boolean is True


async def test_a_yes_where_things_are_asked_for_is_asked_about(gate: Bench) -> None:
    gated = await gate.gated("Which countries are there?", LIST, "ASK { ?c wdt:P31 wd:Q6256 }")
    assert (gated.asks, gated.fixes) == (["form"], [])
    counted = await gate.gated("Which countries are there?", LIST, "SELECT (COUNT(?c) AS ?n) { ?c wdt:P31 wd:Q6256 }")
    assert "form" in counted.asks


async def test_a_name_in_one_language(gate: Bench) -> None:
    question = "What is Germany called in German?"
    shape = Shape(form="label", label_language="de", mentions=mentions(question, "Germany"))
    gated = await gate.gated(question, shape, "SELECT ?l { wd:Q183 rdfs:label ?l }")
    assert gated.fixes == ["form"]
    assert gated.values == ["Deutschland"]
    await gate.kept(question, shape, 'SELECT ?l { wd:Q183 rdfs:label ?l FILTER(LANG(?l) = "de") }')


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?c { ?c wdt:P31 wd:Q6256 . ?c wdt:P463 wd:Q1065 . }",
        "SELECT ?c { ?c wdt:P463 wd:Q1065 ; wdt:P31 wd:Q6256 }",
        "SELECT ?c { ?c wdt:P31 wd:Q6256 ; wdt:P463 wd:Q1065 ; }",
        "SELECT ?c { ?c wdt:P463 wd:Q1065 . ?c wdt:P31 wd:Q6256 # the members\n }",
    ],
)
async def test_not_moves_one_pattern_however_it_is_written(gate: Bench, query: str) -> None:
    question = "Which countries are not in the UN?"
    shape = Shape(form="list", negated=True, polarity=("not",), mentions=mentions(question, "UN"))
    gated = await gate.gated(question, shape, query)
    assert gated.fixes == ["polarity"]
    assert gated.values == ["Q183", "Q237", "Q794", "Q865"]


async def test_not_is_asked_about_where_it_may_mean_several_things(gate: Bench) -> None:
    question = "Which countries without a capital are not in the UN?"
    shape = Shape(form="list", negated=True, polarity=("not",))
    query = "SELECT ?c { ?c wdt:P31 wd:Q6256 ; wdt:P463 wd:Q1065 ; wdt:P36 wd:Q3114 }"
    gated = await gate.gated(question, shape, query)
    assert (gated.fixes, gated.sparql) == ([], query)
    assert "polarity" in gated.asks


async def test_what_is_left_out_must_be_one_thing(gate: Bench) -> None:
    question = "Which siblings has Jane Austen except Austen?"
    shape = Shape(form="list", excluded=("Austen",), mentions=mentions(question, "Jane Austen"))
    gated = await gate.gated(question, shape, "SELECT ?s { wd:Q36322 wdt:P3373 ?s }")
    assert gated.asks == ["polarity"]
