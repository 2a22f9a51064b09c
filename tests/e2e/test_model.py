"""The model client before a server that can this and cannot that: one script, read in every mode, mended once."""

from __future__ import annotations

import asyncio
import logging

import pytest

from plugins.nl.contract import OutOfBudget
from plugins.nl.model.contract import Unreadable
from tests.llm import Abilities, Calls, Fails, Fills, Says, Turn, Writes, model_server
from tests.llm_client import OFFERS, PROMPT, SCHEMA, asking

QUERY = 'SELECT ?x WHERE {\n  ?x rdfs:label "Smile :)"@en . FILTER(?x != <http://e.org/a_(b)>)\n}'
NOTHING = {"tools": False, "json": False, "json_object": False}
SERVERS = {
    "all": (Abilities(), "tools"),
    "no tools": (Abilities(tools=False), "json"),
    "no tools, a fault": (Abilities(tools=False, status=500), "json"),
    "no tools, ignored": (Abilities(tools=False, refuses=False), "json"),
    "no schemas": (Abilities(tools=False, json=False), "json"),
    "no schemas, ignored": (Abilities(tools=False, json=False, refuses=False), "json"),
    "text": (Abilities(**NOTHING), "text"),
    "text, ignored": (Abilities(**NOTHING, refuses=False), "text"),
    "no streams": (Abilities(streaming=False), "tools"),
    "no streams, ignored": (Abilities(streaming=False, refuses=False), "tools"),
    "no counts": (Abilities(usage=False), "tools"),
    "no counts, ignored": (Abilities(usage=False, refuses=False), "tools"),
    "nothing": (Abilities(**NOTHING, streaming=False, usage=False, logprobs=False), "text"),
    "nothing, ignored": (Abilities(**NOTHING, streaming=False, usage=False, logprobs=False, refuses=False), "text"),
}


@pytest.mark.parametrize(("abilities", "mode"), SERVERS.values(), ids=SERVERS.keys())
async def test_one_script_runs_on_every_server_in_the_mode_that_it_has(abilities: Abilities, mode: str) -> None:
    script = [
        Turn(
            Says("Who is (he)?", "search", 'Barack "the" Obama (44)'), expects=("Who is Obama",), purpose="controller"
        ),
        Turn(Says("Now I know.", "execute", QUERY)),
        Turn(Fills({"form": "entity", "label": "human", "sure": True})),
        Turn(Says("Done.", "stop")),
    ]
    async with model_server(script, abilities) as served, asking(served.url) as asked:
        first = await asked.model.choose(PROMPT, OFFERS)
        assert (first.thought, first.action, first.argument) == ("Who is (he)?", "search", 'Barack "the" Obama (44)')
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == QUERY
        assert await asked.model.fill(PROMPT, SCHEMA) == {"form": "entity", "label": "human", "sure": True}
        assert (await asked.model.choose(PROMPT, OFFERS)).action == "stop"
        assert asked.client.description["mode"] == mode
        assert {"tools" in each.body for each in served.requests} == {mode == "tools"}
        assert {bool(each.format) for each in served.requests} == {mode == "json"}


async def test_what_the_server_can_is_found_out_once_and_said_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    script = [Turn(Says("", "stop"))] * 6
    async with model_server(script, Abilities(tools=False, refuses=False)) as served, asking(served.url) as asked:
        with caplog.at_level(logging.INFO, logger="saga"):
            # Also where many begin at once.
            await asyncio.gather(*(asked.another().model.choose(PROMPT, OFFERS) for _ in range(5)))
            await asked.model.choose(PROMPT, OFFERS)
        assert len(served.probes) == 2
        assert all(each.body["max_tokens"] <= 100 for each in served.probes)
        (line,) = [each for each in caplog.records if each.msg == "llm.mode"]
        assert line.__dict__["fields"] == {
            "mode": "json",
            "format": "json_schema",
            "tools": "ignored",
            "json_schema": "done",
        }
        assert asked.counted("saga_llm_calls_total", purpose="probe", outcome="ok") == 2
        # What the process finds out is no question's cost.
        assert asked.budget.spent["llm_calls"] == 1


async def test_what_is_being_found_out_is_not_lost_with_the_question() -> None:
    async with model_server([Turn(Says("t", "stop"))], Abilities(probe_s=0.5)) as served, asking(served.url) as asked:
        leaving = asyncio.ensure_future(asked.model.choose(PROMPT, OFFERS))
        await served.check_begun()
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        assert (await asked.another().model.choose(PROMPT, OFFERS)).action == "stop"
        assert len(served.probes) == 1


async def test_a_client_may_close_while_something_is_being_found_out() -> None:
    async with (
        model_server([], Abilities(probe_s=60.0)) as served,
        asking(served.url, limits={"seconds": 1.0}) as asked,
    ):
        with pytest.raises(OutOfBudget):
            await asked.model.choose(PROMPT, OFFERS)
        await served.check_begun()


@pytest.mark.parametrize("mode", ["tools", "json", "text"])
async def test_a_mode_that_is_configured_is_not_looked_for(mode: str) -> None:
    async with model_server([Turn(Says("t", "search", "a"))]) as served, asking(served.url, mode=mode) as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == "a"
        assert served.probes == []
        assert asked.client.description["mode"] == mode


async def test_a_configured_mode_that_the_server_lacks_is_read_as_well_as_can_be() -> None:
    script = [Turn(Says("t", "search", "a")), Turn(Fills({"form": "date", "label": "", "sure": "no"}))]
    abilities = Abilities(**NOTHING, refuses=False)
    async with model_server(script, abilities) as served, asking(served.url, mode="tools") as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == "a"
        assert await asked.model.fill(PROMPT, SCHEMA) == {"form": "date", "label": "", "sure": False}


async def test_schemas_that_are_refused_later_become_objects() -> None:
    script = [Turn(Says("t", "search", "a"))]
    async with model_server(script, Abilities(json=False)) as served, asking(served.url, mode="json") as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == "a"
        assert served.requests[0].format == {"type": "json_object"}


GARBLED = {
    "prose": (Writes("Well, I would say."), "names no action"),
    "nothing": (Writes(""), "is empty"),
    "null": (Writes(None), "is empty"),
    "unknown": (Says("t", "browse", "x"), "there is no action 'browse'; there are search, execute, stop"),
    "no argument": (Says("t", "search", ""), "search needs its argument: a name"),
}


@pytest.mark.parametrize(
    "abilities", [Abilities(), Abilities(tools=False), Abilities(**NOTHING)], ids=["tools", "json", "text"]
)
@pytest.mark.parametrize(("garbled", "why"), GARBLED.values(), ids=GARBLED.keys())
async def test_what_cannot_be_read_is_mended_once(abilities: Abilities, garbled: Writes, why: str) -> None:
    script = [
        Turn(garbled, refuses=(why,)),
        Turn(Says("t", "search", "a"), expects=("Who is Obama", why, "cannot be used"), purpose="repair"),
    ]
    async with model_server(script, abilities) as served, asking(served.url) as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == "a"
        assert asked.budget.spent["llm_calls"] == 2
        assert asked.counted("saga_llm_calls_total", purpose="controller", outcome="repaired") == 1
        assert asked.counted("saga_llm_calls_total", purpose="repair", outcome="ok") == 1


async def test_arguments_that_are_no_json_are_mended() -> None:
    script = [
        Turn(Calls("search", '{"thought": "t", "argument"')),
        Turn(Says("t", "search", "a"), expects=("the arguments of search are no JSON object",)),
    ]
    async with model_server(script) as served, asking(served.url) as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == "a"


async def test_what_cannot_be_mended_is_unreadable_and_asked_for_no_more() -> None:
    script = [Turn(Writes("hm")), Turn(Writes("hm hm"))]
    async with model_server(script) as served, asking(served.url) as asked:
        with pytest.raises(Unreadable, match="names no action"):
            await asked.model.choose(PROMPT, OFFERS)
        assert asked.counted("saga_llm_calls_total", purpose="controller", outcome="failed") == 1


async def test_a_form_that_does_not_fit_is_mended() -> None:
    script = [
        Turn(Fills({"form": "recipe", "label": "", "sure": True})),
        Turn(Fills({"form": "date", "sure": True}), expects=("form must be one of entity, date",)),
    ]
    async with model_server(script) as served, asking(served.url) as asked:
        with pytest.raises(Unreadable, match="lacks label"):
            await asked.model.fill(PROMPT, SCHEMA)


async def test_a_call_that_stands_in_the_text_is_read_in_tool_mode() -> None:
    text = 'I look.\n<tool_call>\n{"name": "search", "arguments": {"argument": "Obama"}}\n</tool_call>'
    async with model_server([Turn(Writes(text))]) as served, asking(served.url, mode="tools") as asked:
        choice = await asked.model.choose(PROMPT, OFFERS)
        assert (choice.thought, choice.argument) == ("I look.", "Obama")


async def test_a_thought_beside_the_call_counts_where_the_call_has_none() -> None:
    script = [Turn(Calls("search", '{"argument": "Obama"}', text="I look."))]
    async with model_server(script) as served, asking(served.url) as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).thought == "I look."


@pytest.mark.parametrize(
    "text", ["Action: execute(SELECT ?x WHERE { ?x", '{"action": "execute", "argument": "SELECT', ""]
)
async def test_a_reply_that_is_cut_names_the_key(text: str) -> None:
    script = [Turn(Writes(text, finish="length")), Turn(Writes(text, finish="length"), expects=("was cut off",))]
    async with model_server(script, Abilities(**NOTHING)) as served, asking(served.url, most_tokens=7) as asked:
        with pytest.raises(Unreadable, match=r"cut off after llm\.most_tokens \(7\) tokens"):
            await asked.model.choose(PROMPT, OFFERS)
        assert served.requests[0].body["max_tokens"] == 7


@pytest.mark.parametrize("takes", [True, False], ids=["taken", "refused"])
async def test_a_reply_without_an_end_is_mended_by_one_that_does_not_go_in_circles(takes: bool) -> None:
    refusals = [] if takes else [Turn(Fails(400, body={"error": {"message": "frequency_penalty is not supported"}}))]
    script = [
        Turn(Writes("Thought: " + "it is a place. " * 400, finish="length")),
        *refusals,
        Turn(
            Writes("Action: search(Obama)"),
            expects=("was cut off", "the action alone", "Action: search(...)\nAction: execute"),
        ),
    ]
    async with model_server(script, Abilities(**NOTHING)) as served, asking(served.url) as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == "Obama"
        first, *_, last = (each.body for each in served.requests)
    assert "frequency_penalty" not in first
    assert ("frequency_penalty" in last) == takes
    assert len(str(last["messages"])) < len(str(first["messages"])) + 1000


async def test_an_object_that_is_cut_is_mended_by_one_without_a_thought() -> None:
    script = [
        Turn(Writes('{"thought": "' + "it is a place, " * 400, finish="length")),
        Turn(Writes('{"action": "search", "argument": "Obama"}'), expects=("was cut off", '{"action": "search"')),
    ]
    async with model_server(script, Abilities(tools=False)) as served, asking(served.url) as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == "Obama"
        *_, first, last = (each.body["response_format"]["json_schema"]["schema"] for each in served.requests)
    assert list(first["properties"]) == first["required"] == ["thought", "action", "argument"]
    assert list(last["properties"]) == last["required"] == ["action", "argument"]


async def test_a_reply_that_is_cut_behind_its_action_is_whole() -> None:
    text = "Thought: t\nAction: search(Obama)\nObservation: he is"
    script = [Turn(Writes(text, finish="length"))]
    async with model_server(script, Abilities(**NOTHING)) as served, asking(served.url) as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == "Obama"
