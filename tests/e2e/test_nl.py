"""/nl through real sockets: JSON, events, conversations, configuration, metrics.

The strategies are scripted (tests/scripted.py); everything around them is real.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from proxy.errors import ConfigError
from proxy.loader import check
from tests import fronts, scripted, stage, wire
from tests.asking import ANSWER_KEYS, CHILDREN, EVENTS, JSON, asking, bearer, dispatched, key, post


@pytest.fixture
async def nl(demo_store: Path) -> AsyncIterator[str]:
    async with asking(demo_store) as url:
        yield url


async def test_an_answer_has_all_that_the_design_names(nl: str) -> None:
    reply = await post(nl, question=CHILDREN, language="en")
    answer = reply.json
    assert (reply.status, reply.type, reply.header("cache-control")) == (200, "application/json", "no-store")
    assert set(answer) >= ANSWER_KEYS
    assert (answer["status"], answer["complete"], answer["endpoint"]) == ("answered", True, "demo")
    values = [row["child"]["value"] for row in answer["results"]["results"]["bindings"]]
    assert {answer["labels"][value] for value in values} == {"Irène Joliot-Curie"}
    assert answer["steps"][0]["action"] == "execute"
    assert answer["steps"][0]["observation"].startswith("1 row.")
    assert answer["usage"]["actions"] == 1
    assert answer["usage"]["queries"] >= 1
    assert answer["id"] == reply.header("x-request-id")


async def test_get_form_and_json_ask_the_same(nl: str) -> None:
    fields = {"question": CHILDREN, "language": "en"}
    replies = [
        await wire.get(nl, fields),
        await wire.post(nl, fields),
        await post(f"{nl}/demo", question=CHILDREN, language="en"),
    ]
    assert [reply.json["status"] for reply in replies] == ["answered"] * 3
    assert len({json.dumps(reply.json["results"]) for reply in replies}) == 1


async def test_events_end_with_the_answer_and_are_numbered(nl: str) -> None:
    reply = await wire.get(nl, {"question": CHILDREN}, EVENTS)
    assert (reply.status, reply.type, reply.end) == (200, "text/event-stream", "whole")
    events = dispatched(reply.body)
    assert [kind for _, kind, _ in events][:3] == ["action", "observation", "candidate"]
    assert [int(number) for number, _, _ in events] == list(range(1, len(events) + 1))
    assert all((data["seq"], data["kind"]) == (int(number), kind) for number, kind, data in events)
    times = [data["t"] for _, _, data in events]
    assert times == sorted(times)
    assert [kind for _, kind, _ in events if kind in ("answer", "error")] == ["answer"]
    assert events[-1][1] == "answer"
    assert set(events[-1][2]) >= ANSWER_KEYS


async def test_events_can_be_posted_for(nl: str) -> None:
    reply = await post(nl, EVENTS, question=CHILDREN)
    assert dispatched(reply.body)[-1][2]["status"] == "answered"


async def test_a_silent_strategy_is_covered_by_heartbeats(demo_store: Path) -> None:
    scripted.Thinks.open.clear()
    async with asking(demo_store, "thinks", heartbeat_s=0.05) as url, wire.connected(url) as (reader, writer):
        writer.write(wire.request(f"{url}?question=why", "GET", EVENTS))
        heard = b""
        while heard.count(b"\n: ") + heard.count(b"\r\n: ") < 3:
            heard += await asyncio.wait_for(reader.read(4096), 20)
        for going_on in tuple(scripted.Thinks.open):
            going_on.set()
        while b"event: answer" not in heard:
            heard += await asyncio.wait_for(reader.read(4096), 20)
    assert b"event: error" not in heard


async def test_an_event_source_that_comes_again_is_told_to_stop(nl: str) -> None:
    again = await wire.get(nl, {"question": CHILDREN}, {**EVENTS, "Last-Event-ID": "3"})
    assert (again.status, again.body) == (204, b"")


async def test_the_challenge_gets_its_three_members(demo_store: Path) -> None:
    name = "https://text2sparql.example/2025/demo/"
    async with asking(demo_store, datasets={name: "demo"}) as url:
        reply = await wire.get(url, {"dataset": name, "question": CHILDREN})
        silent = await wire.get(url, {"dataset": "demo", "question": "nothing", "strategy": "silent"})
        unknown = await wire.get(url, {"dataset": "elsewhere", "question": "nothing"})
    assert set(reply.json) == {"dataset", "question", "query"}
    assert (reply.json["dataset"], reply.json["question"]) == (name, CHILDREN)
    assert "wdt:P40" in reply.json["query"]
    assert silent.json["query"] == ""
    assert (unknown.status, unknown.json["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"question": "  "}, 400),
        ({"question": 7}, 400),
        ({"question": "why", "extra": 1}, 400),
        ({"question": "why", "max_actions": 0}, 400),
        ({"question": "why", "max_actions": 1.5}, 400),
        ({"question": "why", "seconds": -1}, 400),
        ({"question": "why", "seconds": 10**400}, 400),
        ({"question": "why", "language": 'en"))} #'}, 400),
        ({"question": "why", "strategy": "os:system"}, 400),
        ({"question": "why", "conversation": "made-up"}, 404),
        ({"question": "x" * 2001}, 400),
        ({"question": "x" * 1_000_000}, 400),
    ],
    ids=lambda each: str(each)[:50],
)
async def test_what_cannot_be_answered_is_a_problem(nl: str, fields: dict[str, Any], status: int) -> None:
    for headers in (wire.NO_HEADERS, EVENTS):
        reply = await post(nl, headers, **fields)
        assert (reply.status, reply.type, reply.json["status"]) == (status, "application/problem+json", status)


async def test_requests_that_are_none(nl: str) -> None:
    refused = [
        await wire.send(nl, "POST", JSON, b"[1]"),
        await wire.send(nl, "POST", JSON, b"\xff"),
        await wire.send(nl, "POST", JSON, b"[" * 100_000),
        await wire.send(nl, "POST", {"Content-Type": "text/plain"}, b"why"),
        await wire.get(f"{nl}?question=a&question=b"),
        await wire.get(f"{nl}/nowhere", {"question": "why"}),
        await wire.get(nl, {"question": "why"}, {"Accept": "text/csv"}),
        await wire.send(nl, "PUT", JSON, b"{}"),
    ]
    assert [reply.status for reply in refused] == [400, 400, 400, 415, 400, 404, 406, 405]
    assert {reply.type for reply in refused} == {"application/problem+json"}


async def test_a_body_above_the_limit_is_413(demo_store: Path) -> None:
    tables = scripted.tables({"store": str(demo_store)})
    async with stage.proxy({**tables, "server": {"max_body_bytes": 10_000}}) as base:
        announced = await post(f"{base}/nl", question="x" * 20_000)
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (20_000, b"x" * 20_000)
        chunked = await wire.send(f"{base}/nl", "POST", {**JSON, "Transfer-Encoding": "chunked"}, body)
    assert [announced.status, chunked.status] == [413, 413]


async def test_the_next_question_knows_the_entities_and_the_query_before(nl: str) -> None:
    first = await post(nl, question=CHILDREN, language="en")
    later = await post(nl, question="and his wife?", strategy="follows", conversation=first.json["conversation"])
    assert later.json["conversation"] == first.json["conversation"]
    assert "Irène Joliot-Curie" in later.json["steps"][0]["text"]
    assert "wdt:P40" in later.json["steps"][0]["text"]
    assert later.json["status"] == "answered"
    alone = await post(nl, question="and his wife?", strategy="follows")
    assert alone.json["status"] == "unanswered"


async def test_a_question_may_follow_as_soon_as_the_answer_is_read(nl: str) -> None:
    async with wire.connected(nl) as (reader, writer):
        writer.write(wire.request(f"{nl}?question=nothing&strategy=silent", "GET", EVENTS))
        heard = await asyncio.wait_for(reader.readuntil(b"event: answer\ndata: "), 20)
        answer = json.loads(await asyncio.wait_for(reader.readuntil(b"\n\n"), 20))
        later = await post(nl, question="nothing", strategy="silent", conversation=answer["conversation"])
    assert heard
    assert later.status == 200


async def test_a_conversation_is_its_callers_and_its_endpoints_alone(demo_store: Path) -> None:
    tables = scripted.tables({"store": str(demo_store)}, "silent")
    tables["endpoints"]["other"] = {"store": str(demo_store)}
    tables["keys"] = {name: key(name, "nl") for name in ("ann", "bob")}
    async with stage.proxy(tables) as base:
        begun = await post(f"{base}/nl", bearer("ann"), question="who")
        again = {"question": "who", "conversation": begun.json["conversation"]}
        assert [
            (await post(f"{base}/nl", bearer("ann"), **again)).status,
            (await post(f"{base}/nl", bearer("bob"), **again)).status,
            (await post(f"{base}/nl", **again)).status,
            (await post(f"{base}/nl/other", bearer("ann"), **again)).status,
        ] == [200, 404, 404, 404]


async def test_a_conversation_is_forgotten(demo_store: Path) -> None:
    async with asking(demo_store, "silent", conversations=2, conversation_s=3600.0) as url:
        begun = [(await post(url, question="who")).json["conversation"] for _ in range(3)]
        statuses = [(await post(url, question="who", conversation=each)).status for each in begun]
    assert statuses == [404, 200, 200]
    assert len(set(begun)) == 3


async def test_metrics_count_questions_actions_and_edges(demo_store: Path) -> None:
    async with asking(demo_store, "endless") as url:
        await post(url, question="why", max_actions=4)
        await post(url, question="why", strategy="silent")
        ended = {"endpoint": "demo", "strategy": "endless", "status": "out_of_budget"}
        assert await fronts.counted(url, "saga_nl_questions_total", **ended) == 1
        assert await fronts.counted(url, "saga_nl_questions_total", status="unanswered") == 1
        assert await fronts.counted(url, "saga_nl_seconds_count", endpoint="demo") == 2
        assert await fronts.counted(url, "saga_nl_actions_total", strategy="endless", action="look") == 4
        assert await fronts.counted(url, "saga_nl_edges_total", verdict="shown") == 4
        assert await fronts.counted(url, "saga_nl_edges_total", verdict="demoted") == 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"strategy": "none_such"}, "none_such"),
        ({"strategies": {"mine": "tests.scripted:Missing"}}, "nl.strategies.mine"),
        ({"strategies": {"mine": "no.such.module:It"}}, "nl.strategies.mine"),
        ({"strategies": {"mine": "tests.scripted"}}, "nl.strategies.mine"),
        ({"datasets": {"x": "nowhere"}}, "nl.datasets.x"),
        ({"heartbeat_s": 0.0}, "nl.heartbeat_s"),
        ({"concurrency": 0}, "nl.concurrency"),
    ],
    ids=str,
)
async def test_a_configuration_that_cannot_work_stops_the_start(
    demo_store: Path, options: dict[str, Any], named: str
) -> None:
    tables = scripted.tables({"store": str(demo_store)})
    tables["nl"] |= options
    with pytest.raises(ConfigError, match=re.escape(named)):
        async with stage.proxy(tables):
            pass


async def test_a_key_that_is_not_in_the_environment_stops_the_start_and_no_check(demo_store: Path) -> None:
    tables = scripted.tables({"store": str(demo_store)})
    tables["llm"] = {"base_url": "http://127.0.0.1:8089/v1", "model": "small", "api_key_env": "NOBODY_SET_THIS"}
    check(tables, stage.ROOT)
    with pytest.raises(ConfigError, match=r"llm\.api_key_env"):
        async with stage.proxy(tables):
            pass


async def test_questions_need_the_search(demo_store: Path) -> None:
    tables = scripted.tables({"store": str(demo_store)})
    tables["plugins"]["enabled"].remove("plugins.search")
    with pytest.raises(ConfigError, match=r"plugins\.search"):
        async with stage.proxy(tables):
            pass
