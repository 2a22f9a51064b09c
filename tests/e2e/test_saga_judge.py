"""The gate's judge: one look of the model at question, query and rows, and what may come of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.llm import Fails, Turn, Writes
from tests.saga import Asked, Place, asked, does, expecting, judges, prepared

QUESTION = "How many people live in Paris?"
QUERY = "SELECT ?n { wd:Q90 wdt:P1082 ?n }"
OTHER = "SELECT ?n { wd:Q142 wdt:P36 wd:Q90 . wd:Q90 wdt:P1082 ?n }"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return asyncio.run(prepared(tmp_path_factory.mktemp("saga")))


async def judged(place: Place, *turns: Turn) -> Asked:
    script: Sequence[Turn] = [
        expecting("number", "quantity"),
        does("search", "Paris"),
        does("lookup", "wd:Q90"),
        does("execute", QUERY),
        does("stop"),
        *turns,
    ]
    return await asked(place, script, QUESTION)


def verdict(got: Asked) -> Mapping[str, Any]:
    found: Mapping[str, Any] = got.answer["gate"][-1]
    assert found["check"] == "judge"
    return found


async def test_it_sees_question_query_names_and_rows(place: Place) -> None:
    expects = [
        f"Question: ⟦{QUESTION}⟧",
        f"Query: ⟦{QUERY}⟧",
        "- ⟦Paris (wd:Q90)⟧",
        "- ⟦population (wd:P1082)⟧",
        "2100000",
    ]
    got = await judged(place, judges(expects=expects))
    assert verdict(got) == {"check": "judge", "verdict": "pass"}


async def test_a_refined_query_is_judged_once_more_and_then_taken(place: Place) -> None:
    got = await judged(place, judges("refine", "It is the capital of France.", OTHER), judges(expects=[OTHER]))
    assert verdict(got) == {
        "check": "judge",
        "verdict": "fix",
        "why": "It is the capital of France.",
        "before": QUERY,
    }
    assert got.answer["sparql"] == OTHER


async def test_two_calls_are_the_most(place: Place) -> None:
    second = judges("refine", "Now it is wrong.", QUERY)
    got = await judged(place, judges("refine", "It is the capital of France.", OTHER), second)
    assert verdict(got)["verdict"] == "ask"
    assert verdict(got)["why"] == "It is the capital of France. A change did not help: Now it is wrong."
    assert got.answer["sparql"] == QUERY


@pytest.mark.parametrize(
    "sparql",
    ["", QUERY, "SELECT ?n { wd:Q64 wdt:P1082 ?n }", "DROP ALL", "SELECT ?n {", "DESCRIBE wd:Q90"],
    ids=["nothing", "the same", "another topic", "an update", "no query", "no question"],
)
async def test_what_is_no_refinement_changes_nothing(place: Place, sparql: str) -> None:
    got = await judged(place, judges("refine", "So it is.", sparql))
    assert verdict(got) == {"check": "judge", "verdict": "ask", "why": "So it is."}
    assert got.answer["sparql"] == QUERY


async def test_another_question_is_hardly_believed(place: Place) -> None:
    got = await judged(place, judges("retry", "It asks for another city."))
    assert verdict(got)["verdict"] == "ask"
    assert got.answer["confidence"] <= 0.3
    assert got.answer["status"] == "answered"


@pytest.mark.parametrize(
    "turns",
    [[Turn(Writes("Hm."))] * 2, [Turn(Fails(503, retry_after="0"))] * 3, [Turn(Fails(401))]],
    ids=["unreadable", "gone", "refused"],
)
async def test_a_model_that_does_not_judge_stops_nothing(place: Place, turns: Sequence[Turn]) -> None:
    got = await judged(place, *turns)
    assert verdict(got)["verdict"] == "skipped"
    assert (got.answer["status"], got.values) == ("answered", ["2100000"])
