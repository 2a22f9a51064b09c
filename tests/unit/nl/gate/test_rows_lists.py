"""Rows 17 to 35 of cases/questions.md that shape or gate can decide: the fault, and a twin that must not change."""

# ruff: noqa: N802 - the numbers of the rows keep their capital letter

from __future__ import annotations

import pytest

from plugins.nl.contract import Bound, Shape, TextMatch
from tests.gated import Bench, mentions


async def test_Q17_a_list_from_memory_is_not_an_answer(gate: Bench) -> None:
    question = "How many General Secretaries of the CPSU were there before Brezhnev?"
    shape = Shape(form="count", mentions=mentions(question, "General Secretaries of the CPSU", "Brezhnev"))
    gated = await gate.gated(
        question, shape, "SELECT ?x { VALUES ?x { wd:Q855 wd:Q35314 wd:Q44071 } ?x wdt:P31 wd:Q5 }", seen=()
    )
    assert gated.fixes == ["count"]
    assert "known" in gated.asks
    assert "3 ids" in gated.why("known")
    await gate.kept(
        question,
        shape,
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { wd:Q765165 p:P39 ?b . ?b ps:P39 wd:Q827801 ; pq:P580 ?from . "
        "?x p:P39 ?s . ?s ps:P39 wd:Q827801 ; pq:P580 ?before . FILTER(?before < ?from) }",
    )


async def test_Q19_three_remembered_ids_are_not_all_dragons(gate: Bench) -> None:
    question = "How many dragons are in Game of Thrones?"
    shape = Shape(form="count", type_label="dragons", mentions=mentions(question, "Game of Thrones"))
    remembered = "SELECT (COUNT(DISTINCT ?d) AS ?n) { VALUES ?d { wd:Q51 wd:Q52 wd:Q53 } ?d wdt:P1441 wd:Q23572 }"
    gated = await gate.gated(question, shape, remembered, seen=())
    assert "known" in gated.asks
    await gate.kept(
        question,
        shape,
        "SELECT (COUNT(DISTINCT ?d) AS ?n) { ?d wdt:P31/wdt:P279* wd:Q2775236 ; wdt:P1441 wd:Q23572 }",
    )


async def test_Q21_feet_and_metres_and_volcanoes(gate: Bench) -> None:
    question = "How many countries have mountains above 2000 m?"
    shape = Shape(form="count", type_label="countries", bound=Bound(comparison=">", value=2000))
    mixed = "SELECT (COUNT(DISTINCT ?c) AS ?n) { ?m wdt:P31 wd:Q8502 ; wdt:P17 ?c ; wdt:P2044 ?h FILTER(?h > 2000) }"
    gated = await gate.gated(question, shape, mixed)
    assert gated.fixes == ["class", "winner"]
    assert gated.values == ["2"]
    assert "normalised" in gated.why("winner")
    await gate.kept(
        question,
        shape,
        "SELECT (COUNT(DISTINCT ?c) AS ?n) { ?m wdt:P31/wdt:P279* wd:Q8502 ; wdt:P17 ?c ; "
        "p:P2044/psn:P2044/wikibase:quantityAmount ?h FILTER(?h > 2000) }",
    )


@pytest.mark.parametrize(
    ("present", "every"),
    [
        ("SELECT (COUNT(?x) AS ?n) { wd:Q794 wdt:P35 ?x }", ["2"]),
        ("SELECT ?x { wd:Q794 wdt:P35 ?x . }", ["2"]),
        ("SELECT ?x { wd:Q794 wdt:P31 wd:Q6256 ; wdt:P35 ?x ; rdfs:label ?l }", ["2"]),
    ],
)
async def test_Q22_all_heads_of_state_that_ever_were(gate: Bench, present: str, every: list[str]) -> None:
    question = "How many heads of state has Iran ever had?"
    shape = Shape(form="count", span="ever", mentions=mentions(question, "Iran"))
    gated = await gate.gated(question, shape, present)
    assert "rank" in gated.fixes
    assert gated.values == every
    question = "How many heads of state does Iran have now?"
    now = Shape(form="count", span="now", mentions=mentions(question, "Iran"))
    await gate.kept(question, now, "SELECT (COUNT(?x) AS ?n) { wd:Q794 wdt:P35 ?x }")


async def test_Q22_countries_that_were_never_members(gate: Bench) -> None:
    question = "Which countries have never been UN members?"
    shape = Shape(
        form="list",
        type_label="countries",
        negated=True,
        polarity=("never",),
        span="ever",
        mentions=mentions(question, "UN"),
    )
    gated = await gate.gated(question, shape, "SELECT ?c { ?c wdt:P31 wd:Q6256 ; wdt:P463 wd:Q1065 }")
    # Taiwan is no member, and was one.
    assert gated.fixes == ["polarity", "rank"]
    assert gated.values == ["Q183", "Q237", "Q794"]
    await gate.kept(
        question, shape, "SELECT ?c { ?c wdt:P31 wd:Q6256 FILTER NOT EXISTS { ?c p:P463/ps:P463 wd:Q1065 } }"
    )
    plain = Shape(form="list", type_label="countries", mentions=shape.mentions)
    await gate.kept("Which countries are UN members?", plain, "SELECT ?c { ?c wdt:P31 wd:Q6256 ; wdt:P463 wd:Q1065 }")


@pytest.mark.parametrize(
    "dated",
    [
        "SELECT ?d { wd:Q338553 wdt:P577 ?d }",
        "SELECT DISTINCT ?d WHERE { wd:Q338553 wdt:P577 ?d } ORDER BY ?d",
        "SELECT (MIN(?d) AS ?first) { wd:Q338553 wdt:P577 ?d }",
        "SELECT * { wd:Q338553 wdt:P577 ?d }",
    ],
)
async def test_Q24_the_year_and_not_the_day(gate: Bench, dated: str) -> None:
    question = "In what year did ABBA publish The Visitors?"
    named = mentions(question, "ABBA", "The Visitors")
    shape = Shape(form="year", date_part="year", mentions=named)
    gated = await gate.gated(question, shape, dated)
    assert gated.fixes == ["date"]
    assert gated.values == ["1981"]
    right = "SELECT ?y { wd:Q338553 wdt:P577 ?d BIND(YEAR(?d) AS ?y) }"
    await gate.kept(question, shape, right)
    question = "When did ABBA publish The Visitors?"
    whole = Shape(form="date", mentions=mentions(question, "ABBA", "The Visitors"))
    await gate.kept(question, whole, "SELECT ?d { wd:Q338553 wdt:P577 ?d }")


async def test_Q26_no_cap_on_bridges(gate: Bench) -> None:
    question = "Which bridges are of the same type as the Manhattan Bridge?"
    shape = Shape(form="list", type_label="bridges", mentions=mentions(question, "Manhattan Bridge"))
    body = "WHERE { wd:Q125050 wdt:P31 ?type . ?b wdt:P31 ?type . FILTER(?b != wd:Q125050) }"
    gated = await gate.gated(question, shape, f"SELECT ?b {body} LIMIT 2")
    assert gated.fixes == ["preview"]
    assert gated.values == ["Q125006", "Q44440", "Q71"]
    await gate.kept(question, shape, f"SELECT ?b {body}")
    await gate.kept(question, shape, f"SELECT ?b {body} LIMIT 1000")
    question = "Name two bridges of the same type as the Manhattan Bridge."
    two = Shape(form="list", type_label="bridges", top=2, mentions=mentions(question, "Manhattan Bridge"))
    await gate.kept(question, two, f"SELECT ?b {body} LIMIT 2")


@pytest.mark.parametrize("type_path", ["wdt:P31", "<http://www.wikidata.org/prop/direct/P31>"])
async def test_Q27_films_of_every_kind(gate: Bench, type_path: str) -> None:
    question = "Give me all Argentine films."
    shape = Shape(form="list", type_label="films", mentions=mentions(question, "Argentine"))
    gated = await gate.gated(question, shape, f"SELECT ?f {{ ?f {type_path} wd:Q11424 ; wdt:P495 wd:Q414 }}")
    assert gated.fixes == ["class"]
    assert gated.values == ["Q61", "Q62", "Q63"]
    assert "1 of the class itself, 3 with its subclasses" in gated.why("class")
    await gate.kept(question, shape, "SELECT ?f { ?f wdt:P31/wdt:P279* wd:Q11424 ; wdt:P495 wd:Q414 }")
    question = "Give me all Argentine feature films."
    narrow = Shape(form="list", type_label="feature films", mentions=mentions(question, "Argentine"))
    await gate.kept(question, narrow, "SELECT ?f { ?f wdt:P31 wd:Q24869 ; wdt:P495 wd:Q414 }")


@pytest.mark.parametrize(
    "wrong",
    [
        'ASK { wd:Q2706 wdt:P473 ?c FILTER(STRSTARTS(?c, "0")) }',
        'SELECT ?c { wd:Q2706 wdt:P473 ?c FILTER(REGEX(?c, "^0")) }',
        "SELECT ?c { wd:Q2706 wdt:P473 ?c }",
    ],
)
async def test_Q31_starts_with_four(gate: Bench, wrong: str) -> None:
    question = "Does Bremerhaven's dialling code start with 4?"
    shape = Shape(
        form="ask",
        text_matches=TextMatch(where="start", text="4"),
        mentions=mentions(question, "Bremerhaven"),
    )
    gated = await gate.gated(question, shape, wrong)
    assert gated.fixes == ["form"]
    assert gated.table.boolean is False
    question = "Does Bremerhaven's dialling code start with 04?"
    longer = Shape(form="ask", text_matches=TextMatch(where="start", text="04"), mentions=shape.mentions)
    assert (await gate.gated(question, longer, wrong)).table.boolean is True
    await gate.kept(question, longer, 'ASK { wd:Q2706 wdt:P473 ?c FILTER(REGEX(?c, "^04")) }')


async def test_Q34_all_siblings_but_two(gate: Bench) -> None:
    question = "What are the siblings of Jane Austen except George and Cassandra?"
    shape = Shape(
        form="list",
        negated=True,
        polarity=("except",),
        excluded=("George", "Cassandra"),
        mentions=mentions(question, "Jane Austen", "George", "Cassandra"),
    )
    gated = await gate.gated(question, shape, "SELECT ?s { wd:Q36322 wdt:P3373 ?s }")
    assert gated.fixes == ["polarity"]
    assert gated.values == ["Q13", "Q14"]
    # Two that have the same names and are no siblings.
    homonyms = "SELECT ?s { wd:Q36322 wdt:P3373 ?s FILTER(?s NOT IN (wd:Q15, wd:Q16)) }"
    assert (await gate.gated(question, shape, homonyms)).values == ["Q13", "Q14"]
    await gate.kept(question, shape, "SELECT ?s { wd:Q36322 wdt:P3373 ?s FILTER(?s NOT IN (wd:Q11, wd:Q12)) }")
    question = "What are the siblings of Jane Austen?"
    everyone = Shape(form="list", mentions=mentions(question, "Jane Austen"))
    await gate.kept(question, everyone, "SELECT ?s { wd:Q36322 wdt:P3373 ?s }")


async def test_Q35_municipalities_that_still_exist(gate: Bench) -> None:
    question = "Which municipalities of Austria still exist?"
    shape = Shape(form="list", type_label="municipalities of Austria", negated=True, polarity=("alive",), span="now")
    gated = await gate.gated(question, shape, "SELECT ?m { ?m wdt:P31 wd:Q667509 }")
    assert gated.fixes == ["rank"]
    assert gated.values == ["Q42"]
    await gate.kept(
        question,
        shape,
        "SELECT ?m { ?m p:P31 ?s . ?s ps:P31 wd:Q667509 FILTER NOT EXISTS { ?s pq:P582 ?end } }",
    )
    plain = Shape(form="list", type_label="municipalities of Austria")
    await gate.kept("Which municipalities of Austria are there?", plain, "SELECT ?m { ?m wdt:P31 wd:Q667509 }")
