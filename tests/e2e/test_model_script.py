"""The scripted model server itself: it fails a test where it must, and speaks as such servers do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.llm import Abilities, Dies, Fails, Fills, Hangs, ModelServer, Says, Turn, Writes, model_server

TOOL = {"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {}}}}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


async def asked(session: aiohttp.ClientSession, server: ModelServer, text: str = "Hello", **more: Any) -> Any:
    body = {"model": server.model, "messages": [{"role": "user", "content": text}], **more}
    async with session.post(f"{server.url}/chat/completions", json=body) as reply:
        return await reply.json(content_type=None) if not more.get("stream") else await reply.text()


async def test_an_expectation_that_does_not_hold_fails(session: aiohttp.ClientSession) -> None:
    server = model_server([Turn(Writes("x"), expects=("Obama",), refuses=("Hello",), purpose="judge")])
    with pytest.raises(AssertionError, match=r"(?s)turn 1: the request lacks 'Obama', has 'Hello', is for '' and not"):
        async with server:
            await asked(session, server)


async def test_turns_that_are_left_over_fail(session: aiohttp.ClientSession) -> None:
    server = model_server([Turn(Writes("x"))] * 3)
    with pytest.raises(AssertionError, match="turn 2 and 1 more were not asked for"):
        async with server:
            await asked(session, server)


async def test_a_script_that_runs_out_fails_and_is_not_asked_again(session: aiohttp.ClientSession) -> None:
    server = model_server([])
    with pytest.raises(AssertionError, match="the script has ended and was asked:\nHello"):
        async with server:
            assert (await asked(session, server))["error"]["message"] == "The script has ended."


async def test_an_error_on_its_way_is_not_hidden(session: aiohttp.ClientSession) -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        async with model_server([Turn(Writes("x"))]):
            raise ZeroDivisionError
    assert "turn 1" in raised.value.__notes__[0]


async def test_one_turn_in_the_form_that_is_asked_for(session: aiohttp.ClientSession) -> None:
    says = Turn(Says("why", "search", "a"))
    async with model_server([says, says, says, Turn(Fills({"b": 1})), Turn(Fills({"b": 1}))]) as server:
        called = (await asked(session, server, tools=[TOOL]))["choices"][0]
        assert called["finish_reason"] == "tool_calls"
        assert called["message"]["tool_calls"][0]["function"]["name"] == "search"
        written = (await asked(session, server, response_format=SCHEMA))["choices"][0]["message"]["content"]
        assert json.loads(written) == {"thought": "why", "action": "search", "argument": "a"}
        written = (await asked(session, server))["choices"][0]["message"]["content"]
        assert written == "Thought: why\nAction: search(a)"
        called = (await asked(session, server, tools=[TOOL]))["choices"][0]["message"]["tool_calls"][0]
        assert json.loads(called["function"]["arguments"]) == {"b": 1}
        assert json.loads((await asked(session, server))["choices"][0]["message"]["content"]) == {"b": 1}


async def test_streams_end_as_such_servers_end_them(session: aiohttp.ClientSession) -> None:
    async with model_server([Turn(Writes("one two"))] * 2) as server:
        stream = await asked(session, server, stream=True, stream_options={"include_usage": True})
        events = [json.loads(each.removeprefix("data: ")) for each in stream.split("\n\n")[:-2]]
        assert stream.endswith("data: [DONE]\n\n")
        assert "".join(each["choices"][0]["delta"].get("content") or "" for each in events[:-1]) == "one two"
        assert events[-1]["choices"] == []
        assert events[-1]["usage"]["completion_tokens"] == 2
        assert "usage" not in await asked(session, server, stream=True)


@pytest.mark.parametrize("refuses", [True, False])
async def test_what_a_server_lacks_it_refuses_or_ignores(refuses: bool, session: aiohttp.ClientSession) -> None:
    abilities = Abilities(tools=False, json=False, streaming=False, logprobs=False, usage=False, refuses=refuses)
    lacking: list[dict[str, Any]] = [{"tools": [TOOL]}, {"response_format": SCHEMA}, {"logprobs": True}]
    async with model_server([Turn(Writes("x"))] * (0 if refuses else 3), abilities) as server:
        for each in lacking:
            reply = await asked(session, server, **each)
            if refuses:
                assert f"'{next(iter(each))}' is not supported" in reply["error"]["message"]
            else:
                assert reply["choices"][0]["message"]["content"] == "x"


async def test_failures_deaths_and_silences(session: aiohttp.ClientSession) -> None:
    async with model_server([Turn(Fails(429, retry_after="7")), Turn(Dies("half")), Turn(Hangs("half"))]) as server:
        body = {"model": "toy", "messages": [], "stream": True}
        async with session.post(f"{server.url}/chat/completions", json=body) as reply:
            assert (reply.status, reply.headers["Retry-After"]) == (429, "7")
        async with session.post(f"{server.url}/chat/completions", json=body) as reply:
            with pytest.raises(aiohttp.ClientPayloadError):
                await reply.read()
        async with session.post(f"{server.url}/chat/completions", json=body) as reply:
            assert b"half" in await reply.content.readuntil(b'"half"')
        async with asyncio.timeout(10):
            await server.requests[-1].gone.wait()
