"""Rows 1 to 15 of cases/questions.md that shape or gate can decide: the fault, and a twin that must not change."""

# ruff: noqa: N802 - the numbers of the rows keep their capital letter

from __future__ import annotations

import pytest

from plugins.nl.contract import Bound, Shape
from tests.gated import Bench, mentions


async def test_Q01_still_alive_is_no_death_date(gate: Bench) -> None:
    question = "Is Frank Herbert still alive?"
    shape = Shape(
        form="ask", negated=True, polarity=("alive",), span="now", mentions=mentions(question, "Frank Herbert")
    )
    gated = await gate.gated(question, shape, "SELECT ?d { wd:Q7934 wdt:P570 ?d }")
    assert gated.fixes == ["form", "polarity"]
    assert gated.table.boolean is False
    assert gated.candidate.confidence < 1
    living = await gate.gated("Is Tom Hanks still alive?", shape, "ASK { wd:Q2263 wdt:P570 ?d }")
    assert living.table.boolean is True
    nobody = await gate.gated("Is Nobody still alive?", shape, "ASK { wd:Q999999 wdt:P570 ?d }")
    assert nobody.table.boolean is False
    await gate.kept(question, shape, "ASK { wd:Q7934 wdt:P31 wd:Q5 FILTER NOT EXISTS { wd:Q7934 wdt:P570 ?d } }")
    dead = Shape(form="ask", mentions=shape.mentions)
    await gate.kept("Is Frank Herbert dead?", dead, "ASK { wd:Q7934 wdt:P570 ?d }")


async def test_Q02_a_city_is_not_its_population(gate: Bench) -> None:
    question = "How many people live in the capital of Australia?"
    shape = Shape(form="number", mentions=mentions(question, "Australia"))
    gated = await gate.gated(question, shape, "SELECT ?c { wd:Q408 wdt:P36 ?c }")
    assert gated.asks == ["hops"]
    assert "Canberra" in gated.why("hops")
    assert "city" in gated.why("hops")
    await gate.kept(question, shape, "SELECT ?n { wd:Q408 wdt:P36/wdt:P1082 ?n }")


async def test_Q07_another_class_than_the_one_that_is_named(gate: Bench) -> None:
    question = "Does the Isar flow into a lake?"
    shape = Shape(form="ask", mentions=mentions(question, "Isar", "lake"))
    gated = await gate.gated(question, shape, "ASK { wd:Q106588 wdt:P403 ?m . ?m wdt:P31/wdt:P279* wd:Q131681 }")
    assert gated.asks == ["coverage"]
    assert "'lake'" in gated.why("coverage")
    evidence = await gate.gated(question, shape, "SELECT ?m { wd:Q106588 wdt:P403 ?m }")
    assert evidence.fixes == ["form"]
    assert evidence.table.boolean is False
    kind = Shape(form="ask", type_label="lake", mentions=mentions(question, "Isar"))
    assert (await gate.gated(question, kind, "SELECT ?m { wd:Q106588 wdt:P403 ?m }")).table.boolean is False
    await gate.kept(question, shape, "ASK { wd:Q106588 wdt:P403 ?m . ?m wdt:P31/wdt:P279* wd:Q23397 }")


@pytest.mark.parametrize(
    "evidence",
    [
        "SELECT ?a ?b { wd:Q5513 wdt:P2046 ?a . wd:Q5525 wdt:P2046 ?b }",
        "SELECT ?lake ?area { VALUES ?lake { wd:Q5513 wd:Q5525 } ?lake wdt:P2046 ?area } ORDER BY DESC(?area)",
    ],
)
async def test_Q09_bigger_is_a_comparison(gate: Bench, evidence: str) -> None:
    first, second = "Lake Baikal", "Great Bear Lake"
    question = f"Is {first} bigger than the {second}?"
    shape = Shape(
        form="ask",
        superlative="max",
        measure="size",
        compare=(first, second),
        mentions=mentions(question, first, second),
    )
    gated = await gate.gated(question, shape, evidence)
    assert gated.fixes == ["form"]
    assert gated.table.boolean is True
    smaller = Shape(form="ask", superlative="max", measure="size", compare=(second, first), mentions=shape.mentions)
    assert (await gate.gated(question, smaller, evidence)).table.boolean is False
    least = Shape(form="ask", superlative="min", measure="size", compare=(second, first), mentions=shape.mentions)
    assert (await gate.gated(question, least, evidence)).table.boolean is True
    right = "ASK { wd:Q5513 wdt:P2046 ?a . wd:Q5525 wdt:P2046 ?b FILTER(?a > ?b) }"
    await gate.kept(question, shape, right)


@pytest.mark.parametrize(
    "both",
    [
        "SELECT ?p ?birth { VALUES ?p { wd:Q615 wd:Q11571 } ?p wdt:P569 ?birth }",
        "SELECT ?p { VALUES ?p { wd:Q615 wd:Q11571 } ?p wdt:P569 ?birth }",
        "SELECT ?a ?b { wd:Q615 wdt:P569 ?a . wd:Q11571 wdt:P569 ?b }",
        "SELECT ?p ?birth { VALUES ?p { wd:Q615 wd:Q11571 } ?p wdt:P569 ?birth } ORDER BY DESC(?birth)",
    ],
)
async def test_Q10_the_older_of_two_is_born_first(gate: Bench, both: str) -> None:
    question = "Which is older, Messi or Ronaldo?"
    shape = Shape(
        form="winner",
        superlative="min",
        measure="time",
        compare=("Messi", "Ronaldo"),
        mentions=mentions(question, "Messi", "Ronaldo"),
    )
    gated = await gate.gated(question, shape, both)
    assert gated.fixes == ["winner"]
    assert gated.values == ["Q11571"]
    assert len(gated.table.variables) == 1
    right = "SELECT ?p { VALUES ?p { wd:Q615 wd:Q11571 } ?p wdt:P569 ?birth } ORDER BY ASC(?birth) LIMIT 1"
    await gate.kept(question, shape, right)


@pytest.mark.parametrize(
    "evidence",
    [
        "SELECT ?s { ?s wdt:P1346 wd:Q128109 }",
        "SELECT (COUNT(?s) AS ?n) { ?s wdt:P1346 wd:Q128109 }",
        "SELECT DISTINCT ?s WHERE { ?s wdt:P1346 wd:Q128109 } ORDER BY ?s LIMIT 10",
    ],
)
@pytest.mark.parametrize(("least", "holds"), [(2, True), (3, False)])
async def test_Q12_at_least_two_are_counted(gate: Bench, evidence: str, least: int, holds: bool) -> None:
    question = f"Did the Chicago Bulls win at least {least} seasons of the NBA championship?"
    shape = Shape(form="ask", bound=Bound(comparison=">=", value=least), mentions=mentions(question, "Chicago Bulls"))
    gated = await gate.gated(question, shape, evidence)
    assert gated.fixes == ["form"]
    assert gated.table.boolean is holds
    right = f"ASK {{ {{ SELECT (COUNT(?s) AS ?c) {{ ?s wdt:P1346 wd:Q128109 }} }} FILTER(?c >= {least}) }}"
    await gate.kept(question, shape, right)


async def test_Q15_evidence_of_an_overlap_is_a_yes(gate: Bench) -> None:
    question = "Was Shaquille O'Neal the teammate of Kobe Bryant in 2000?"
    shape = Shape(form="ask", span="year", year=2000, mentions=mentions(question, "Shaquille O'Neal", "Kobe Bryant"))
    overlap = (
        "wd:Q169452 p:P54 ?a . ?a ps:P54 ?team ; pq:P580 ?a1 ; pq:P582 ?a2 . "
        "wd:Q25369 p:P54 ?b . ?b ps:P54 ?team ; pq:P580 ?b1 ; pq:P582 ?b2 . "
        "FILTER(YEAR(?a1) <= 2000 && YEAR(?a2) >= 2000 && YEAR(?b1) <= 2000 && YEAR(?b2) >= 2000)"
    )
    gated = await gate.gated(question, shape, f"SELECT ?team ?a1 ?a2 WHERE {{ {overlap} }}")
    assert gated.fixes == ["form"]
    assert gated.table.boolean is True
    await gate.kept(question, shape, f"ASK {{ {overlap} }}")
