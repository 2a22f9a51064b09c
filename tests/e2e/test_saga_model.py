"""The agent and its model's server: every way to name an action, and every way in which a server can fail."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.llm import Abilities, Answer, Dies, Fails, Hangs, Turn, Writes, model_server
from tests.saga import Place, ask, asked, does, expecting, judges, prepared, serving

QUESTION = "What is the capital of Germany?"
QUERY = "SELECT ?c WHERE { wd:Q183 wdt:P36 ?c . FILTER(?c != wd:Q142) }"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return asyncio.run(prepared(tmp_path_factory.mktemp("saga")))


def script(*between: Turn) -> Sequence[Turn]:
    """Return a run that is right, with some turns before its query."""
    return [
        expecting("entity", "city", "Q515"),
        does("lookup", "wd:Q183"),
        *between,
        does("execute", QUERY, expects=["capital (P36)"]),
        does("stop", expects=["Berlin (wd:Q64)"]),
        judges(),
    ]


@pytest.mark.parametrize("refuses", [True, False], ids=["refuses", "ignores"])
@pytest.mark.parametrize(
    ("mode", "abilities"),
    [
        ("tools", {}),
        ("json", {"tools": False}),
        ("json", {"tools": False, "json": False}),
        ("text", {"tools": False, "json": False, "json_object": False}),
        ("text", {"tools": False, "json": False, "json_object": False, "streaming": False, "usage": False}),
    ],
    ids=["tools", "json", "json_object", "text", "nothing"],
)
async def test_every_server_can_name_an_action(
    place: Place, mode: str, abilities: dict[str, bool], refuses: bool
) -> None:
    able = Abilities(**{**abilities, "refuses": refuses})
    got = await asked(place, script(), QUESTION, abilities=able)
    assert (got.answer["status"], got.values) == ("answered", ["Q64"])
    assert got.actions == ["lookup", "execute", "stop"]
    steps = [each for each in got.server.requests if "You write one SPARQL query" in each.text]
    assert bool(steps[0].body.get("tools")) == (mode == "tools")
    assert bool(steps[0].format) == (mode == "json")
    assert got.answer["usage"]["llm_calls"] == 5


@pytest.mark.parametrize("mode", ["tools", "json", "text"])
async def test_the_mode_can_be_chosen(place: Place, mode: str) -> None:
    got = await asked(place, script(), QUESTION, llm={"mode": mode})
    assert got.values == ["Q64"]
    assert not got.server.probes


NONSENSE: Sequence[Answer] = (
    Writes("I would rather talk about the weather."),
    Writes(""),
    Writes('{"action": "dance"}'),
)


@pytest.mark.parametrize("answer", NONSENSE, ids=["talk", "nothing", "unknown"])
async def test_nonsense_is_a_step_that_failed(place: Place, answer: Answer) -> None:
    """A reply that one request to mend it did not make readable."""
    spoilt = [Turn(answer), Turn(answer)]
    after = does("search", "Germany", expects=["[fail]: ⟦Your reply could not be read:"])
    got = await asked(
        place, script(*spoilt, after), QUESTION, {}, Abilities(tools=False, json=False, json_object=False)
    )
    assert got.values == ["Q64"]
    assert got.actions == ["lookup", "unreadable", "search", "execute", "stop"]


async def test_three_replies_of_nonsense_in_a_row_end_the_loop(place: Place) -> None:
    turns = [
        expecting("entity", "city", "Q515"),
        does("execute", QUERY),
        *[Turn(Writes("Well, well."))] * 6,
        judges(),
    ]
    got = await asked(place, turns, QUESTION)
    assert got.actions == ["execute", *["unreadable"] * 3]
    assert (got.answer["status"], got.values) == ("answered", ["Q64"])


async def test_an_answer_type_that_cannot_be_read_is_that_of_the_words(place: Place) -> None:
    turns = [Turn(Writes("A city!")), Turn(Writes("A city, I said.")), *script()[1:]]
    got = await asked(place, turns, QUESTION)
    assert got.values == ["Q64"]


async def test_a_storm_of_429_is_waited_for(place: Place) -> None:
    storm = [Turn(Fails(429, retry_after="0"))] * 2
    got = await asked(place, script(*storm), QUESTION)
    assert got.values == ["Q64"]


async def test_a_stream_that_dies_is_asked_for_again(place: Place) -> None:
    got = await asked(place, script(Turn(Dies("I thi"))), QUESTION)
    assert got.values == ["Q64"]


@pytest.mark.parametrize("failure", [Fails(429, retry_after="0"), Fails(503, retry_after="0"), Dies("I")], ids=str)
async def test_a_model_that_goes_in_the_middle_leaves_what_was_found(place: Place, failure: Answer) -> None:
    turns = [expecting("entity", "city", "Q515"), does("execute", QUERY), *[Turn(failure)] * 3]
    got = await asked(place, turns, QUESTION)
    assert got.reply.status == 200
    assert (got.answer["status"], got.values) == ("unavailable", ["Q64"])
    assert [each["code"] for each in got.answer["warnings"]] == ["model_unavailable"]


async def test_a_model_that_is_gone_before_the_first_step_is_503(place: Place) -> None:
    turns = [Turn(Fails(503, retry_after="0"))] * 3
    got = await asked(place, turns, QUESTION)
    assert (got.reply.status, got.answer["code"]) == (503, "unavailable")


async def test_a_prompt_that_is_too_long_is_sent_once_more_with_less(place: Place) -> None:
    long = Fails(
        400,
        body={
            "error": {
                "message": "This model's maximum context length is 4096 tokens.",
                "code": "context_length_exceeded",
            }
        },
    )
    turns = [
        expecting("entity", "city", "Q515"),
        does("lookup", "wd:Q183"),
        does("search", "Germany"),
        does("search", "capital", expects=["Observation 1", "Observation 2"]),
        Turn(long, expects=["Observation 1"]),
        does("execute", QUERY, expects=["Observation 3"], refuses=["Observation 1"]),
        does("stop", expects=["Berlin (wd:Q64)"], refuses=["Observation 1"]),
        judges(),
    ]
    got = await asked(place, turns, QUESTION)
    assert got.values == ["Q64"]


async def test_a_prompt_that_stays_too_long_is_a_model_that_is_gone(place: Place) -> None:
    long = Fails(
        400,
        body={
            "error": {
                "message": "This model's maximum context length is 4096 tokens.",
                "code": "context_length_exceeded",
            }
        },
    )
    turns = [expecting("entity", "city", "Q515"), does("execute", QUERY), Turn(long), Turn(long)]
    got = await asked(place, turns, QUESTION)
    assert (got.answer["status"], got.values) == ("unavailable", ["Q64"])


async def test_a_question_that_is_left_closes_the_call_of_the_model(place: Place) -> None:
    server = model_server([expecting("entity", "city", "Q515"), Turn(Hangs("I think"))])
    async with server, serving(place, server) as url:
        task = asyncio.ensure_future(ask(url, question=QUESTION))
        call = await server.arrival(2)
        task.cancel()
        async with asyncio.timeout(20):
            await call.gone.wait()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_time_that_ends_in_a_call_leaves_what_was_found(place: Place) -> None:
    turns = [expecting("entity", "city", "Q515"), does("execute", QUERY), Turn(Hangs("Hm")), judges()]
    got = await asked(place, turns, QUESTION, seconds=8.0)
    assert (got.answer["status"], got.values) == ("partial", ["Q64"])


async def test_every_answer_says_by_which_prompts(place: Place) -> None:
    got = await asked(place, script(), QUESTION)
    assert got.answer["model"]["prompts"].startswith("p1-")
