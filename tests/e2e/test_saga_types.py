"""What types do for the loop: forward from what was seen, backward from what is expected, for this run only."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.llm import Turn
from tests.saga import Place, asked, does, expecting, judges, mistakes, prepared, prunes


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return asyncio.run(prepared(tmp_path_factory.mktemp("saga")))


CITY = "How many people live in the capital of Australia?"


def short(*, told: bool = True) -> Sequence[Turn]:
    """Stop at the city first, as the paper's agent did."""
    note = "[WARNING] ?c is city (wd:Q515); the question asks for a number. One more step may be missing."
    return [
        expecting("number", "quantity"),
        does("lookup", "wd:Q408"),
        does("execute", "SELECT ?c { wd:Q408 wdt:P36 ?c }", expects=["- ⟦Australia (wd:Q408): country (wd:Q6256)⟧"]),
        does(
            "execute",
            "SELECT ?n { wd:Q408 wdt:P36/wdt:P1082 ?n }",
            expects=["Canberra (wd:Q3114)", *([note, "[info] ⟦?c is city (wd:Q515)⟧"] if told else [])],
        ),
        does("stop", expects=["395790"]),
        judges(),
    ]


async def test_the_type_of_what_is_projected_tells_that_a_step_is_missing(place: Place) -> None:
    got = await asked(place, short(), CITY)
    assert got.values == ["395790"]
    assert got.answer["types"]["?c"] == ["http://www.wikidata.org/entity/Q515"]


@pytest.mark.parametrize("switches", [{"type_state": False}, {"answer_prior": False}])
async def test_the_script_of_a_missing_step_fails_without_type_state_or_prior(
    place: Place, switches: Mapping[str, Any]
) -> None:
    wrong = await mistakes(place, short(), CITY, switches)
    assert wrong


def montenegro(note: str) -> Sequence[Turn]:
    """Stop at a person where a city is asked for: both are things, only their types tell them apart."""
    return [
        expecting("entity", "city", "Q515"),
        does("search", "Montenegro"),
        does("execute", "SELECT ?p { wd:Q236 wdt:P35 ?p }"),
        does("execute", "SELECT ?c { wd:Q236 wdt:P35/wdt:P19 ?c }", expects=[note]),
        does("stop", expects=["Podgorica (wd:Q23564)"]),
        judges(),
    ]


async def test_the_expected_type_is_held_against_the_projected_variable(place: Place) -> None:
    question = "In which city was the president of Montenegro born?"
    note = "[WARNING] ?p is human (wd:Q5); the question asks for city (wd:Q515). One more step may be missing."
    assert (await asked(place, montenegro(note), question)).values == ["Q23564"]
    assert await mistakes(place, montenegro(note), question, {"type_state": False})


async def test_a_thing_of_no_known_type_is_pruned_by_the_model(place: Place) -> None:
    script = [
        expecting("entity", "human", "Q5"),
        does("search", "Lovelace Engine"),
        does("lookup", "wd:Q1100"),
        prunes("P112, P999", expects=["inception (P571) = 1843-01-01", "founded by (P112) = Ada Lovelace (wd:Q7259)"]),
        does(
            "execute",
            "SELECT ?f { wd:Q1100 wdt:P112 ?f }",
            expects=["types: none known", "founded by (P112) | = Ada Lovelace", "more: "],
        ),
        does("stop"),
        judges(),
    ]
    got = await asked(place, script, "Who founded the Lovelace Engine?")
    assert got.values == ["Q7259"]
    paper = [
        *script[:4],
        does("execute", "SELECT ?f { wd:Q1100 wdt:P112 ?f }", refuses=["inception (P571)"]),
        *script[5:],
    ]
    assert (await asked(place, paper, "Who founded the Lovelace Engine?", {"mode": "paper"})).values == ["Q7259"]


async def test_a_property_that_does_not_fit_what_is_known_is_found_last_and_marked(place: Place) -> None:
    """What was looked up before says for which of two properties of one name the thing can be the subject."""
    script = [
        expecting("entity", "war", "Q198"),
        does("lookup", "wd:Q212"),
        does("search", "conflict"),
        does("lookup", "wd:Q11817", expects=["conflict (P607): battles and wars", "[does not fit what you hold]"]),
        does("search", "war"),
        does("execute", "SELECT ?w { wd:Q11817 wdt:P607 ?w }", expects=["range: conflict (Q180684)] (found as war)⟧"]),
        does("stop"),
        judges(),
    ]
    question = "In which war did Andrew Jackson fight?"
    assert (await asked(place, script, question)).values == ["Q1001"]
    assert await mistakes(place, script, question, {"type_state": False})


async def test_what_leads_to_the_expected_answer_stands_further_up(place: Place) -> None:
    places = {}
    for prior in (True, False):
        script = [
            *([expecting("entity", "city", "Q515")] if prior else []),
            does("lookup", "wd:Q359"),
            does("execute", "SELECT ?c { wd:Q359 wdt:P159 ?c }"),
            does("stop"),
            judges(),
        ]
        got = await asked(place, script, "Where does WikiLeaks sit?", {"answer_prior": prior})
        lines = [line.strip() for line in got.observations[0].splitlines() if line.startswith("  ")]
        places[prior] = next(n for n, line in enumerate(lines) if line.startswith("headquarters location"))
        assert len(lines) == 5
    assert places[True] < places[False]


async def test_evidence_of_this_run_takes_the_place_of_a_range_that_nobody_declared(place: Place) -> None:
    """With no record of any domain or range, the values that were returned say what a property leads to."""
    script = [
        expecting("entity", "city", "Q515"),
        does("lookup", "wd:Q11817"),
        does("execute", "SELECT ?x { wd:Q11817 wdt:P19 ?x }"),
        does("search", "place of birth", expects=["- ⟦?x: city (wd:Q515), by what was returned⟧"]),
        does("stop", expects=["place of birth (P19)", "city (wd:Q515) (seen in this run)"]),
        judges(),
    ]
    got = await asked(place, script, "Where was Andrew Jackson born?", {"coverage": 0.0})
    assert got.values == ["Q62"]
    assert await mistakes(place, script, "Where was Andrew Jackson born?", {"coverage": 0.0, "type_state": False})


@pytest.mark.parametrize(
    ("switches", "edges"),
    [
        ({"filter": "strict"}, (3, 3)),
        ({"filter": "closure"}, (5, 1)),
        ({"filter": "demote"}, (6, 0)),
        ({"filter": "off"}, (6, 0)),
        ({"hierarchy": False}, (6, 0)),
        ({"coverage": 0.0}, (6, 0)),
        ({"coverage": 0.5, "seed": 7}, (6, 0)),
        ({"mode": "paper"}, (3, 3)),
        ({"mode": "paper", "filter": "closure"}, (5, 1)),
        ({"mode": "paper", "coverage": 0.0}, (6, 0)),
    ],
    ids=str,
)
async def test_every_switch_leaves_a_way_to_the_answer(
    place: Place, switches: Mapping[str, Any], edges: tuple[int, int]
) -> None:
    """Shown and removed properties of a state with one that does not fit, and two that only fit a kind above it."""
    script = [
        expecting("ask", "boolean"),
        does("lookup", "wd:Q212"),
        does("execute", "ASK { wd:Q11817 wdt:P607 ?war }"),
        does("stop"),
        judges(),
    ]
    got = await asked(place, script, "Was Andrew Jackson involved in a war?", switches)
    assert got.boolean is True
    found = next(step["edges"] for step in got.answer["steps"] if step.get("action") == "lookup")
    assert (found["shown"], found["removed"]) == edges
