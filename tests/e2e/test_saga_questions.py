"""The rows of the shared list of questions that neither shape nor gate can decide: what the loop does about each kind.

The number of a row is in the name of its test; contract/test_questions.py checks that none is missing.
"""

# ruff: noqa: N802 - the numbers of the rows keep their capital letter
from __future__ import annotations

import asyncio

import pytest

from tests.saga import Place, asked, does, expecting, judges, mistakes, prepared


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return asyncio.run(prepared(tmp_path_factory.mktemp("saga")))


async def test_Q04_of_two_neighbouring_properties_both_are_shown(place: Place) -> None:
    question = "Was torture the cause of death for Anthony Bourdain?"
    near = (
        "Near cause of death (P509): underlying or immediate cause of death, Anthony Bourdain (wd:Q312083) also has: "
        "manner of death (P1196): general circumstances of a death, whatever its medical cause; place of death (P20)"
    )
    script = [
        expecting("ask", "boolean"),
        does("search", "torture"),
        does("execute", "ASK { wd:Q312083 wdt:P509 wd:Q132781 }"),
        does("execute", "ASK { wd:Q312083 wdt:P1196 wd:Q132781 }", expects=["⟦false", near]),
        does("stop", expects=["⟦true"]),
        judges(),
    ]
    got = await asked(place, script, question)
    assert got.boolean is True
    assert await mistakes(place, script, question, {"mode": "paper"})


async def test_Q06_a_class_is_known_by_what_is_above_it_and_counts_with_what_is_below(place: Place) -> None:
    question = "Give me all communist countries."
    states = "SELECT ?c { ?c wdt:P31 wd:Q849866 }"
    script = [
        expecting("list", "communist country", "Q849866"),
        does("search", "communist country"),
        # The class next to it, and a property that does not say it: nothing is there.
        does("execute", "SELECT ?c { ?c wdt:P122 wd:Q7278 . ?c wdt:P31 wd:Q3624078 }"),
        does("lookup", "wd:Q849866", expects=["[WARNING] 0 rows: ?c wdt:P122 wd:Q7278 leaves nothing."]),
        does(
            "execute",
            states,
            expects=[
                "is a class, a kind of: country (wd:Q6256)",
                "- ⟦communist state (wd:Q849866): country (wd:Q6256)⟧",
            ],
        ),
        does("stop", expects=["Cuba (wd:Q241)"]),
        judges(),
    ]
    got = await asked(place, script, question)
    assert got.values == ["Q241", "Q881"]
    assert [each["check"] for each in got.answer["gate"] if each["verdict"] == "fix"] == ["class"]
    ungated = await asked(place, script[:-1], question, {"gate": False})
    assert ungated.values == ["Q241"]


async def test_Q14_when_is_not_before(place: Place) -> None:
    """Both queries are well formed; only who reads the question can tell them apart."""
    question = "Did Kobe Bryant leave the Lakers when LeBron James joined?"
    left = "wd:Q25369 p:P54 ?a . ?a ps:P54 wd:Q121783 ; pq:P582 ?end"
    joined = "wd:Q36159 p:P54 ?b . ?b ps:P54 wd:Q121783 ; pq:P580 ?start"
    before, when = (f"ASK {{ {left} . {joined} FILTER(YEAR(?end) {sign} YEAR(?start)) }}" for sign in "<=")
    script = [
        expecting("ask", "boolean"),
        does("search", "Lakers"),
        does("lookup", "wd:Q25369"),
        does("execute", before, expects=["qualifiers: start time (P580), end time (P582)"]),
        does("stop", expects=["⟦true"]),
        judges("refine", "'When' asks for the same year, not for an earlier one.", when, expects=[before]),
        judges(expects=[when, "Answer: ⟦false⟧"]),
    ]
    got = await asked(place, script, question)
    assert (got.boolean, got.answer["sparql"]) == (False, when)
    assert got.answer["gate"][-1]["before"] == before
    assert (await asked(place, script[:-2], question, {"gate": False})).boolean is True


async def test_Q29_what_is_not_on_the_whole_may_be_on_its_parts(place: Place) -> None:
    script = [
        expecting("ask", "boolean"),
        does("search", "ALDI"),
        does("execute", "ASK { wd:Q125054 wdt:P17 wd:Q38 }", expects=["ALDI Nord (Q1061)", "ALDI Süd (Q1062)"]),
        does("lookup", "wd:Q125054", expects=["⟦false"]),
        does(
            "execute",
            "ASK { wd:Q125054 wdt:P527/wdt:P17 wd:Q38 }",
            expects=["has part(s) (P527) | = ALDI Nord (wd:Q1061), ALDI Süd (wd:Q1062)"],
        ),
        does("stop", expects=["⟦true"]),
        judges(),
    ]
    assert (await asked(place, script, "Is ALDI also in Italy?")).boolean is True


async def test_Q37_a_service_of_another_engine_is_told_so_and_plain_words_do(place: Place) -> None:
    habit = (
        'SELECT ?x ?xLabel { ?x rdfs:label "Madonna and Child"@en . '
        'SERVICE wikibase:label { bd:serviceParam wikibase:language "fr" } FILTER(!BOUND(?xLabel)) }'
    )
    plain = (
        'SELECT ?x { ?x rdfs:label "Madonna and Child"@en '
        'FILTER NOT EXISTS { ?x rdfs:label ?name FILTER(LANG(?name) = "fr") } }'
    )
    script = [
        expecting("list", "painting", "Q3305213"),
        does("execute", habit, expects=["say the same with rdfs:label, LANG and arithmetic"]),
        does("execute", plain, expects=["[fail]: ⟦[ERROR]"]),
        does("stop", expects=["2 rows."]),
        judges(),
    ]
    got = await asked(
        place, script, "Which items are labelled 'Madonna and Child' in English and have no French label?"
    )
    assert got.values == ["Q1072", "Q1073"]


async def test_Q38_a_distance_is_computed_where_the_engine_has_no_function_for_it(place: Place) -> None:
    near = (
        "SELECT ?x { ?x wdt:P31 wd:Q811979 . SERVICE wikibase:around { ?x wdt:P625 ?p . "
        'bd:serviceParam wikibase:center "Point(13.38 52.52)"^^geo:wktLiteral ; wikibase:radius "5" } }'
    )
    function = (
        "PREFIX geof: <http://www.opengis.net/def/function/geosparql/> "
        "SELECT ?x { ?x wdt:P31 wd:Q811979 ; wdt:P625 ?p "
        'FILTER(geof:distance(?p, "Point(13.38 52.52)"^^geo:wktLiteral) < 5) }'
    )
    plain = (
        "SELECT ?x { ?x wdt:P31 wd:Q811979 ; wdt:P625 ?p "
        'BIND(xsd:decimal(STRBEFORE(STRAFTER(STR(?p), "("), " ")) AS ?lon) '
        'BIND(xsd:decimal(STRBEFORE(STRAFTER(STRAFTER(STR(?p), "("), " "), ")")) AS ?lat) '
        "FILTER((?lon - 13.38) * (?lon - 13.38) * 4580 + (?lat - 52.52) * (?lat - 52.52) * 12365 < 25) }"
    )
    script = [
        expecting("list", "architectural structure", "Q811979"),
        does("execute", near),
        does("execute", function, expects=["[fail]: ⟦[ERROR]"]),
        does("execute", plain, expects=["Observation 2 [fail]: "]),
        does("stop", expects=["Old Gate (wd:Q1081)", "New Tower (wd:Q1082)"]),
        judges(),
    ]
    got = await asked(place, script, "Which architectural structures are within 5 km of the point 13.38 52.52?")
    assert got.values == ["Q1081", "Q1082"]


async def test_Q40_a_way_that_leads_nowhere_is_told_from_a_wrong_wording(place: Place) -> None:
    """Three queries in other words, one property: that is the fault, and not the words."""
    question = "Which phylum does strain JCM 1002 belong to?"
    stuck = "[WARNING] No query with phylum (P6) has found anything so far: it is the wrong way."
    script = [
        expecting("entity", "taxon", "Q16521"),
        does("search", "JCM 1002"),
        does("execute", "SELECT ?p { wd:Q1091 wdt:P6 ?p }"),
        does("execute", "SELECT ?p { wd:Q1091 wdt:P1433/wdt:P6 ?p }", refuses=[stuck]),
        does("execute", "SELECT ?p { ?p wdt:P6 wd:Q1091 }", refuses=[stuck]),
        does("lookup", "wd:Q1091", expects=[stuck]),
        does("lookup", "wd:Q1092", expects=["about strain (P1433) | = strain 1002 (wd:Q1092)"]),
        does("lookup", "wd:Q1093", expects=["strain of (P1899) | = Lactobacillus (wd:Q1093)"]),
        does(
            "execute",
            "SELECT ?t { wd:Q1091 wdt:P1433/wdt:P1899/wdt:P171* ?t . ?t wdt:P105 wd:Q38348 }",
            expects=["parent taxon (P171)"],
        ),
        does("stop", expects=["Bacillota (wd:Q1094)"]),
        judges(),
    ]
    got = await asked(place, script, question)
    assert got.values == ["Q1094"]
    assert await mistakes(place, script, question, {"mode": "paper"})
