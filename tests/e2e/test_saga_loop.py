"""What the loop does when a step goes wrong: blocked, empty, repeated, off topic, a step short, out of budget."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from tests.llm import Turn
from tests.saga import Place, asked, does, expecting, judges, mistakes, prepared


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return asyncio.run(prepared(tmp_path_factory.mktemp("saga")))


BLOCKED = "When did France come into being?"
CITY = "How many people live in the capital of Australia?"
SERIES = "Which actors play in Big Bang Theory?"


def blocked(*, repaired: bool = True) -> Sequence[Turn]:
    born = "SELECT ?d { wd:Q142 wdt:P569 ?d }"
    after = [
        does("execute", "SELECT ?d { wd:Q142 wdt:P571 ?d }", expects=["[BLOCKED] date of birth", "[fail] ⟦BLOCKED: "]),
        does("stop", expects=["1 row.", "0843-01-01"]),
        judges(),
    ]
    again = [
        does("execute", born, expects=["[BLOCKED] date of birth", "Sent again, the same query runs."]),
        does("stop", expects=["[WARNING] 0 rows"]),
        judges(),
    ]
    return [
        expecting("date", "date"),
        does("search", "France"),
        does("execute", born),
        *(after if repaired else again),
    ]


async def test_what_is_blocked_is_repaired(place: Place) -> None:
    got = await asked(place, blocked(), BLOCKED)
    assert got.answer["status"] == "answered"
    assert got.answer["sparql"] == "SELECT ?d { wd:Q142 wdt:P571 ?d }"
    assert got.answer["usage"]["blocked"] == 1


async def test_the_same_query_sent_again_runs_so_that_a_wrong_block_costs_one_step(place: Place) -> None:
    got = await asked(place, blocked(repaired=False), BLOCKED)
    assert got.answer["status"] == "unanswered"
    assert got.observations[1].startswith("[BLOCKED]")
    assert got.observations[2].startswith("[WARNING] 0 rows")


async def test_the_script_of_a_block_fails_without_the_guard(place: Place) -> None:
    wrong = await mistakes(place, blocked(), BLOCKED, {"guard": False})
    assert wrong[0].startswith("turn 4: the request lacks '[BLOCKED]")


def diagnosed() -> Sequence[Turn]:
    return [
        expecting("entity", "country", "Q6256"),
        does("search", "Paris"),
        does("execute", "SELECT ?c { wd:Q90 wdt:P36 ?c }"),
        does(
            "execute",
            "SELECT ?c { ?c wdt:P36 wd:Q90 }",
            expects=["[WARNING] 0 rows: wd:Q90 wdt:P36 ?c leaves nothing.", "wd:Q90 ^wdt:P36 ?c matches"],
        ),
        does("stop", expects=["France (wd:Q142)", "[ok] ⟦1 row: SELECT ?c { ?c wdt:P36 wd:Q90 }"]),
        judges(),
    ]


async def test_what_is_empty_is_diagnosed_and_mended(place: Place) -> None:
    got = await asked(place, diagnosed(), "Which country has Paris as its capital?", {"guard": False})
    assert got.values == ["Q142"]
    assert got.answer["usage"]["empty_queries"] == 1


def stops_short(*, reviewed: bool = True) -> Sequence[Turn]:
    """Stop without heed: the gate's own look before the end says what is missing."""
    doubt = "[WARNING] Before you stop: You returned Canberra (wd:Q3114) (city); the question asks for a number"
    after = [
        does("execute", "SELECT ?n { wd:Q408 wdt:P36/wdt:P1082 ?n }", expects=[doubt] if reviewed else []),
        does("stop"),
        judges(),
    ]
    return [
        expecting("number", "quantity"),
        does("lookup", "wd:Q408"),
        does("execute", "SELECT ?c { wd:Q408 wdt:P36 ?c }"),
        does("stop"),
        *after,
    ]


async def test_what_the_gate_would_ask_is_asked_before_the_end(place: Place) -> None:
    got = await asked(place, stops_short(), CITY)
    assert got.values == ["395790"]
    assert got.actions == ["lookup", "execute", "stop", "execute", "stop"]
    assert await mistakes(place, stops_short(), CITY, {"gate": False})


async def test_who_insists_may_stop(place: Place) -> None:
    script = [*stops_short()[:4], does("stop"), judges()]
    got = await asked(place, script, CITY)
    assert got.values == ["Q3114"]
    assert [each["check"] for each in got.answer["gate"] if each["verdict"] == "ask"] == ["hops"]


async def test_a_repeated_action_is_answered_from_memory(place: Place) -> None:
    script = [
        expecting("entity", "city", "Q515"),
        does("lookup", "wd:Q183"),
        does("lookup", "wd:Q183", expects=["capital (P36)"]),
        does(
            "execute",
            "SELECT ?c { wd:Q183 wdt:P36 ?c }",
            expects=["[WARNING] You did this in step 1, and it comes out the same.", "[fail] ⟦the same lookup again⟧"],
        ),
        does("stop"),
        judges(),
    ]
    got = await asked(place, script, "What is the capital of Germany?")
    assert got.values == ["Q64"]
    assert got.answer["usage"]["lookups"] == 1
    assert got.observations[1].endswith(got.observations[0])


async def test_by_the_published_rule_the_same_action_is_done_again(place: Place) -> None:
    script = [
        expecting("entity", "city", "Q515"),
        does("lookup", "wd:Q183"),
        does("lookup", "wd:Q183"),
        does("execute", "SELECT ?c { wd:Q183 wdt:P36 ?c }", refuses=["You did this in step"]),
        does("stop"),
        judges(),
    ]
    got = await asked(place, script, "What is the capital of Germany?", {"mode": "paper"})
    assert got.answer["usage"]["lookups"] == 2


async def test_going_in_circles_is_stepped_back_from_and_then_ends(place: Place) -> None:
    script = [
        expecting("entity", "city", "Q515"),
        does("execute", "SELECT ?c { wd:Q183 wdt:P36 ?c }"),
        does("search", "Germany", expects=["Berlin (wd:Q64)"]),
        does("search", "Germany"),
        does("search", "Germany"),
        # Two steps were taken back, and what was found before them is still there.
        does(
            "search", " Germany ", expects=["Action 1: execute", "Action 4: search"], refuses=["Action 2:", "Action 3:"]
        ),
        judges(),
    ]
    got = await asked(place, script, "What is the capital of Germany?")
    assert got.answer["status"] == "answered"
    assert got.values == ["Q64"]
    assert got.actions == ["execute", "search", "search", "search", "search"]


def strays() -> Sequence[Turn]:
    """Write a query for another question, and the right one after a fresh start."""
    actors = "SELECT ?a { wd:Q8539 wdt:P161 ?a }"
    return [
        expecting("list", "human", "Q5"),
        does("search", "Garry Marshall"),
        does("execute", "SELECT ?f { ?f wdt:P57 wd:Q315087 }"),
        does("stop", expects=["Pretty Woman"]),
        # Nothing of the first attempt is left but the reason.
        does(
            "search",
            "Big Bang Theory",
            expects=["[fail] ⟦a first attempt: [WARNING] Off topic: 'Big Bang Theory', which may be", "- none yet"],
            refuses=["Pretty Woman", "Action 1:"],
        ),
        does("execute", actors, expects=["The Big Bang Theory (Q8539)"]),
        does("stop"),
        judges(),
    ]


async def test_a_query_for_another_question_leads_to_one_fresh_start(place: Place) -> None:
    got = await asked(place, strays(), SERIES)
    assert got.values == ["Q1045", "Q190972"]
    assert got.answer["status"] == "answered"
    assert await mistakes(place, strays(), SERIES, {"gate": False})


async def test_there_is_only_one_fresh_start_and_what_strayed_is_hardly_believed(place: Place) -> None:
    stray = "SELECT ?f { ?f wdt:P57 wd:Q315087 }"
    script = [
        expecting("list", "human", "Q5"),
        does("execute", stray),
        does("stop"),
        does("execute", stray),
        does("stop"),
        does("stop", expects=["[WARNING] Before you stop: Off topic"]),
        judges("retry", "It is about films and not about the series."),
    ]
    got = await asked(place, script, SERIES)
    assert got.answer["confidence"] <= 0.3
    assert {each["check"]: each["verdict"] for each in got.answer["gate"]}["coverage"] == "ask"


async def test_the_best_query_counts_and_not_the_last(place: Place) -> None:
    right = "SELECT ?n { wd:Q408 wdt:P36/wdt:P1082 ?n }"
    script = [
        expecting("number", "quantity"),
        does("lookup", "wd:Q408"),
        does("execute", right),
        does("execute", "SELECT ?x { wd:Q408 wdt:P1082 ?x }"),
        does("execute", "SELECT ?x { ?x wdt:P36 wd:Q408 }"),
        does("stop"),
        judges(expects=[right]),
    ]
    got = await asked(place, script, CITY, {"guard": False})
    assert (got.answer["sparql"], got.values) == (right, ["395790"])


async def test_by_the_published_rule_the_last_query_counts(place: Place) -> None:
    last = "SELECT ?x { wd:Q408 wdt:P1082 ?x }"
    script = [
        expecting("number", "quantity"),
        does("execute", "SELECT ?n { wd:Q408 wdt:P36/wdt:P1082 ?n }"),
        does("execute", last),
        does("stop"),
    ]
    got = await asked(place, script, CITY, {"mode": "paper", "guard": False, "gate": False})
    assert (got.answer["sparql"], got.answer["status"]) == (last, "unanswered")


async def test_a_query_that_is_sent_again_at_the_end_is_meant(place: Place) -> None:
    right, other = "SELECT ?c { wd:Q183 wdt:P36 ?c }", "SELECT ?c { wd:Q142 wdt:P36 ?c }"
    script = [
        expecting("entity", "city", "Q515"),
        does("execute", right),
        does("execute", other),
        does("execute", right),
        does("stop", expects=["[WARNING] You did this in step 1"]),
        judges(),
    ]
    got = await asked(place, script, "What is the capital?")
    assert (got.answer["sparql"], got.answer["usage"]["actions"]) == (right, 4)


async def test_stopping_without_a_query_is_answered_once(place: Place) -> None:
    script = [
        expecting("entity", "city", "Q515"),
        does("search", "Germany"),
        does("stop"),
        does("stop", expects=["No query that you ran has an answer yet."]),
    ]
    got = await asked(place, script, "What is the capital of Germany?")
    assert got.answer["status"] == "unanswered"
    assert got.answer["sparql"] is None


async def test_a_spent_budget_leaves_the_best_query(place: Place) -> None:
    script = [
        expecting("entity", "city", "Q515"),
        does("execute", "SELECT ?c { wd:Q183 wdt:P36 ?c }"),
        does("search", "Germany"),
        judges(),
    ]
    got = await asked(place, script, "What is the capital of Germany?", max_actions=2)
    assert (got.answer["status"], got.values) == ("partial", ["Q64"])
    nothing = [expecting("entity", "city", "Q515"), does("search", "Germany"), does("lookup", "wd:Q183")]
    got = await asked(place, nothing, "What is the capital of Germany?", max_actions=2)
    assert got.answer["status"] == "out_of_budget"


@pytest.mark.parametrize("limits", [{"calls": 3}, {"tokens": 1_100}])
async def test_a_budget_of_calls_or_tokens_ends_the_loop_too(place: Place, limits: Mapping[str, int]) -> None:
    script = [
        expecting("entity", "city", "Q515"),
        does("execute", "SELECT ?c { wd:Q183 wdt:P36 ?c }"),
        does("search", "Germany"),
    ]
    got = await asked(place, script, "What is the capital of Germany?", llm=limits)
    assert (got.answer["status"], got.values) == ("partial", ["Q64"])
