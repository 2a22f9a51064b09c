"""The model client before servers that break off, fall silent or are busy: asked again within bounds, or given up."""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import json
import time

import pytest

from plugins.nl.model.contract import ModelUnavailable, Unreadable
from tests.llm import Abilities, Dies, Fails, Hangs, Turn, Writes, model_server
from tests.llm_client import OFFERS, PROMPT, asking
from tests.upstream import Answer, Sent, Upstream


@pytest.mark.parametrize(
    "says", [Fails(500), Fails(502), Fails(503), Fails(529), Fails(429, "0"), Dies(), Dies("half a")]
)
async def test_what_may_get_better_is_asked_again_as_a_whole(says: Fails | Dies) -> None:
    script = [Turn(says), Turn(Writes("a whole reply"))]
    async with model_server(script) as served, asking(served.url) as asked:
        assert (await asked.model.write(PROMPT)).text == "a whole reply"
        assert served.requests[0].body == served.requests[1].body
        # To the question it was one call.
        assert asked.budget.spent["llm_calls"] == 1
        assert asked.counted("saga_llm_calls_total", purpose="controller", outcome="ok") == 1


@pytest.mark.parametrize("abilities", [Abilities(), Abilities(streaming=False, refuses=False)], ids=["stream", "whole"])
async def test_a_reply_that_always_breaks_off_is_given_up(abilities: Abilities) -> None:
    async with model_server([Turn(Dies("half a"))] * 2, abilities) as served, asking(served.url, attempts=2) as asked:
        with pytest.raises(ModelUnavailable, match=r"broke off its reply.*llm\.base_url"):
            await asked.model.write(PROMPT)


async def test_a_stream_that_ends_without_its_end_is_no_reply() -> None:
    half = 'data: {"choices": [{"delta": {"content": "half a"}}]}\n\n'
    script = [Turn(Fails(200, body=half, type="text/event-stream")), Turn(Writes("a whole reply"))]
    async with model_server(script) as served, asking(served.url) as asked:
        assert (await asked.model.write(PROMPT)).text == "a whole reply"


async def test_an_error_in_the_middle_of_a_stream() -> None:
    half = 'data: {"choices": [{"delta": {"content": "half"}}]}\n\ndata: {"error": {"message": "out of memory"}}\n\n'
    script = [Turn(Fails(200, body=half, type="text/event-stream")), Turn(Writes("whole"))]
    async with model_server(script) as served, asking(served.url) as asked:
        assert (await asked.model.write(PROMPT)).text == "whole"


async def test_a_stream_that_falls_silent_is_noticed() -> None:
    script = [Turn(Hangs("half a reply")), Turn(Writes("a whole reply"))]
    async with model_server(script) as served, asking(served.url, silence_s=0.5) as asked:
        assert (await asked.model.write(PROMPT)).text == "a whole reply"
        async with asyncio.timeout(10):
            await served.requests[0].gone.wait()


async def test_a_server_that_does_not_answer() -> None:
    async with model_server([Turn(Hangs())]) as served, asking(served.url, timeout_s=3.0) as asked:
        with pytest.raises(ModelUnavailable, match=r"within llm\.timeout_s \(3 s\)"):
            await asked.model.write(PROMPT)
        assert asked.counted("saga_llm_calls_total", purpose="controller", outcome="timeout") == 1


async def test_a_question_that_is_left_closes_the_connection_at_once() -> None:
    script = [Turn(Hangs("half a reply")), Turn(Writes("next"))]
    async with model_server(script) as served, asking(served.url) as asked:
        writing = asyncio.ensure_future(asked.model.write(PROMPT))
        sent = await served.arrival(1)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        async with asyncio.timeout(10):
            await sent.gone.wait()
        assert asked.counted("saga_llm_calls_total", purpose="controller", outcome="cancelled") == 1
        # The place it held is free.
        assert (await asked.model.write(PROMPT)).text == "next"


async def test_a_storm_of_429_is_weathered_within_the_attempts() -> None:
    storm = [Turn(Fails(429, "0"))] * 2
    async with model_server([*storm, Turn(Writes("calm"))]) as served, asking(served.url) as asked:
        assert (await asked.model.write(PROMPT)).text == "calm"
    async with model_server([*storm, Turn(Fails(429, "0"))]) as served, asking(served.url) as asked:
        with pytest.raises(ModelUnavailable, match=r"overloaded \(429\); llm\.concurrency") as raised:
            await asked.model.write(PROMPT)
        assert raised.value.headers == {"Retry-After": "0"}


async def test_the_pause_that_a_server_asks_for_is_kept() -> None:
    async with model_server([Turn(Fails(429, "2")), Turn(Writes("calm"))]) as served, asking(served.url) as asked:
        started = time.monotonic()
        assert (await asked.model.write(PROMPT)).text == "calm"
        assert time.monotonic() - started >= 2


async def test_a_pause_may_be_a_moment() -> None:
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=3)
    script = [Turn(Fails(503, email.utils.format_datetime(moment, usegmt=True))), Turn(Writes("calm"))]
    async with model_server(script) as served, asking(served.url) as asked:
        started = time.monotonic()
        assert (await asked.model.write(PROMPT)).text == "calm"
        # The header has whole seconds.
        assert time.monotonic() - started >= 1


async def test_a_pause_beyond_the_time_of_the_question_is_not_waited_for() -> None:
    async with model_server([Turn(Fails(429, "3600"))]) as served, asking(served.url) as asked:
        async with asyncio.timeout(30):
            with pytest.raises(ModelUnavailable, match="overloaded") as raised:
                await asked.model.write(PROMPT)
            assert raised.value.headers == {"Retry-After": "3600"}
            # Nor does anybody else knock meanwhile.
            with pytest.raises(ModelUnavailable, match="overloaded"):
                await asked.another().model.write(PROMPT)


async def test_an_account_without_money_is_asked_once() -> None:
    body = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    async with model_server([Turn(Fails(429, "0", body=body))]) as served, asking(served.url) as asked:
        with pytest.raises(ModelUnavailable, match=r"no money left"):
            await asked.model.write(PROMPT)


async def test_a_server_that_still_loads_its_model() -> None:
    body = {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}
    async with model_server([Turn(Fails(503, body=body))] * 2) as served, asking(served.url, attempts=2) as asked:
        with pytest.raises(ModelUnavailable, match="still loading"):
            await asked.model.write(PROMPT)


def v1(upstream: Upstream) -> str:
    return upstream.url.removesuffix("/sparql") + "/v1"


async def test_a_check_that_fails_is_made_again_by_the_next_question() -> None:
    reply = b'{"choices": [{"message": {"content": "Action: stop()"}, "finish_reason": "stop"}]}'
    broken, well = Answer(status=503, type="application/json", body=b"{}"), Answer(type="application/json", body=reply)
    async with Upstream(broken, well) as upstream, asking(v1(upstream), attempts=1) as asked:
        with pytest.raises(ModelUnavailable, match=r"llm\.base_url failed \(status 503\)"):
            await asked.model.choose(PROMPT, OFFERS)
        assert len(upstream.sent) == 1
        assert (await asked.another().model.choose(PROMPT, OFFERS)).action == "stop"
        assert asked.client.description["mode"] == "text"


async def test_a_model_that_thinks_unseen_gets_more_room_in_a_check() -> None:
    def answer(sent: Sent) -> Answer:
        function = {"name": "report", "arguments": '{"colour": "blue"}'}
        call = {"message": {"tool_calls": [{"function": function}]}, "finish_reason": "tool_calls"}
        cut = {"message": {"content": ""}, "finish_reason": "length"}
        room = json.loads(sent.body)["max_tokens"]
        return Answer(type="application/json", body=json.dumps({"choices": [cut if room < 1000 else call]}).encode())

    async with Upstream(answer) as upstream, asking(v1(upstream)) as asked:
        with pytest.raises(Unreadable):
            await asked.model.choose(PROMPT, OFFERS)
        assert asked.client.description["mode"] == "tools"
