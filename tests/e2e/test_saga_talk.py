"""Conversations, and questions in their own language: the instructions stay English, the question stays as it is."""

from __future__ import annotations

import asyncio

import pytest

from tests.llm import model_server
from tests.saga import WD, Place, ask, asked, does, expecting, judges, prepared, serving


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return asyncio.run(prepared(tmp_path_factory.mktemp("saga")))


async def test_a_question_that_points_back_sees_what_was_asked_and_found(place: Place) -> None:
    founder = "SELECT ?f { wd:Q359 wdt:P112 ?f }"
    script = [
        expecting("entity", "human", "Q5"),
        does("execute", founder, refuses=["Asked before"]),
        does("stop"),
        judges(),
        expecting("entity", "city", "Q515"),
        does(
            "execute",
            "SELECT ?c { wd:Q360 wdt:P19 ?c }",
            expects=[
                "Asked before in this conversation: ⟦Who founded WikiLeaks?⟧",
                f"Its query: ⟦{founder}⟧",
                "Julian Assange (wd:Q360)",
                'Question (in the language "en"): ⟦And where was he born?⟧',
            ],
        ),
        # What came up in the earlier answer is not made up.
        does("stop", expects=["Townsville (wd:Q1012)"], refuses=["Julian Assange (wd:Q360). "]),
        judges(),
    ]
    async with model_server(script) as server, serving(place, server) as url:
        first = await ask(url, question="Who founded WikiLeaks?", language="en")
        second = await ask(
            url,
            question="And where was he born?",
            language="en",
            conversation=first.json["conversation"],
        )
    assert [row["c"]["value"] for row in second.json["results"]["results"]["bindings"]] == [f"{WD}Q1012"]
    assert "Asked before: ⟦Who founded WikiLeaks?⟧" in server.requests[4].text


async def test_a_fresh_start_forgets_the_conversation(place: Place) -> None:
    script = [
        expecting("list", "film", "Q11424"),
        does("execute", "SELECT ?f { ?f wdt:P57 wd:Q315087 }"),
        does("stop"),
        judges(),
        expecting("list", "human", "Q5"),
        does("execute", "SELECT ?f { ?f wdt:P57 wd:Q315087 ; wdt:P161 ?a }", expects=["Garry Marshall"]),
        does("stop"),
        does("execute", "SELECT ?a { wd:Q8539 wdt:P161 ?a }", expects=["Off topic"], refuses=["Garry Marshall"]),
        does("stop"),
        judges(),
    ]
    async with model_server(script) as server, serving(place, server) as url:
        first = await ask(url, question="Which films did Garry Marshall direct?")
        talk = first.json["conversation"]
        second = await ask(url, question="Which actors play in Big Bang Theory?", conversation=talk)
    found = [row["a"]["value"] for row in second.json["results"]["results"]["bindings"]]
    assert sorted(found) == [f"{WD}Q1045", f"{WD}Q190972"]


@pytest.mark.parametrize(
    ("language", "question", "name", "called", "answer"),
    [
        ("de", "Was ist die Hauptstadt von Deutschland?", "Deutschland", "Deutschland (wd:Q183)", "Berlin (wd:Q64)"),
        ("zh", "德国的首都是哪个城市？", "德国", "德国 (wd:Q183)", "柏林 (wd:Q64)"),
    ],
)
async def test_a_question_stays_in_its_language(
    place: Place, language: str, question: str, name: str, called: str, answer: str
) -> None:
    script = [
        expecting("entity", "city", "Q515"),
        does("search", name, expects=[f'Question (in the language "{language}"): ⟦{question}⟧']),
        does("lookup", "wd:Q183", expects=[f"{name} (Q183)"]),
        does("execute", "SELECT ?c { wd:Q183 wdt:P36 ?c }", expects=[called, answer]),
        does("stop", expects=[answer]),
        judges(expects=[question, answer]),
    ]
    got = await asked(place, script, question, language=language)
    assert (got.answer["status"], got.values) == ("answered", ["Q64"])
    assert got.answer["labels"][f"{WD}Q64"] == answer.partition(" (")[0]


async def test_the_language_of_a_question_is_found_where_nobody_names_it(place: Place) -> None:
    script = [
        expecting("number", "quantity"),
        does(
            "execute",
            "SELECT ?n { wd:Q183 wdt:P36/wdt:P1082 ?n }",
            expects=['Question (in the language "de"): ⟦Wie viele Einwohner hat die Hauptstadt von Deutschland?⟧'],
        ),
        does("stop"),
        judges(),
    ]
    got = await asked(place, script, "Wie viele Einwohner hat die Hauptstadt von Deutschland?", language="")
    assert got.values == ["3600000"]
