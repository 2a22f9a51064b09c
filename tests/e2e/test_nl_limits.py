"""/nl: what a question may cost, who may ask, and what a client that leaves leaves behind.

The strategies are scripted (tests/scripted.py); everything around them is real.
"""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

import pytest

from tests import fronts, scripted, stage, wire
from tests.asking import AFAR, EVENTS, asking, bearer, dispatched, key, post, until
from tests.served import served
from tests.upstream import Answer, Upstream


async def test_actions_and_time_and_what_is_left_of_them(demo_store: Path) -> None:
    async with asking(demo_store, "endless") as url:
        out = await post(url, question="why", max_actions=3)
        more = await post(url, question="why", max_actions=1000)
        partial = await post(url, question="candidate", max_actions=3)
        late = await post(url, question="why", strategy="thinks", seconds=0.2)
    assert (out.json["status"], out.json["usage"]["actions"]) == ("out_of_budget", 3)
    assert (more.json["status"], more.json["usage"]["actions"]) == ("out_of_budget", 15)
    assert partial.json["status"] == "partial"
    assert partial.json["results"]["results"]["bindings"]
    assert (late.status, late.json["status"]) == (200, "out_of_budget")


async def test_rows_above_the_limit_are_left_out_and_said(demo_store: Path) -> None:
    async with asking(demo_store, max_rows=5) as url:
        answer = (await post(url, question="List these: SELECT ?x { ?x wdt:P31 wd:Q5 }", language="en")).json
    assert len(answer["results"]["results"]["bindings"]) == 5
    assert answer["complete"] is False
    assert [each["code"] for each in answer["warnings"]] == ["row_cap"]


async def test_a_caller_has_its_seconds_and_no_others(demo_store: Path) -> None:
    tables = scripted.tables({"store": str(demo_store)}, "thinks", seconds_per_minute=0.2)
    tables["keys"] = {name: key(name, "nl") for name in ("ann", "bob")}
    async with stage.proxy(tables) as base:
        used = await post(f"{base}/nl", bearer("ann"), question="why", seconds=1)
        refused = await post(f"{base}/nl", bearer("ann"), question="why", seconds=1)
        other = await post(f"{base}/nl", bearer("bob"), question="why", strategy="silent")
    assert (used.status, other.status) == (200, 200)
    assert (refused.status, refused.json["code"]) == (429, "too_many")
    # What was used above the limit is paid off by that much longer waiting.
    assert int(refused.header("retry-after") or 0) > 60


async def test_more_questions_at_once_than_there_are_places(demo_store: Path) -> None:
    scripted.Thinks.open.clear()
    async with asking(demo_store, "thinks", concurrency=2) as url:
        running = [asyncio.ensure_future(post(url, EVENTS, question="why")) for _ in range(2)]
        await until(lambda: len(scripted.Thinks.open) == 2, "two that think")
        refused = await post(url, question="why")
        for going_on in tuple(scripted.Thinks.open):
            going_on.set()
        done = await asyncio.gather(*running)
        assert (await post(url, question="why", strategy="silent")).status == 200
    assert (refused.status, refused.header("retry-after")) == (429, "2")
    assert [dispatched(each.body)[-1][1] for each in done] == ["answer"] * 2


@pytest.mark.parametrize(
    ("headers", "keys", "public", "status"),
    [
        ({}, False, False, 200),
        (AFAR, False, False, 403),
        ({"Origin": "https://elsewhere.example"}, False, False, 403),
        ({"Host": "rebound.example"}, False, False, 403),
        (AFAR, False, True, 200),
        ({}, True, False, 200),
        (AFAR, True, False, 401),
        ({**AFAR, **bearer("ann")}, True, False, 200),
        ({**AFAR, **bearer("bob")}, True, False, 403),
        (bearer("bob"), True, False, 403),
        ({**AFAR, **bearer("nobody")}, True, True, 401),
        (AFAR, True, True, 200),
    ],
    ids=str,
)
async def test_who_may_ask(demo_store: Path, headers: dict[str, str], keys: bool, public: bool, status: int) -> None:
    tables = scripted.tables({"store": str(demo_store)}, "silent", public=public)
    if keys:
        tables["keys"] = {"ann": key("ann", "nl"), "bob": key("bob")}
    async with stage.proxy(tables) as base:
        assert (await wire.get(f"{base}/nl", {"question": "why"}, headers)).status == status


@pytest.mark.parametrize("headers", [wire.NO_HEADERS, EVENTS], ids=["json", "events"])
async def test_a_client_that_leaves_ends_the_query_of_its_strategy(headers: wire.Headers) -> None:
    async with Upstream(Answer(cut=5, end="stall")) as upstream:
        tables = scripted.tables({"url": upstream.url}, concurrency=1)
        async with stage.proxy(tables) as base:
            url = f"{base}/nl?question=SELECT%20*%20%7B?s%20?p%20?o%7D"
            async with wire.connected(url) as (_, writer):
                writer.write(wire.request(url, "GET", headers))
                asked = await upstream.arrival(seconds=20)
            await asked.departure(20)
            # Its one place is free again.
            end = time.monotonic() + 20
            while (await post(f"{base}/nl", question="why", strategy="silent")).status == 429:
                assert time.monotonic() < end, "the place is not free"
            cancelled = await fronts.counted(f"{base}/nl", "saga_nl_questions_total", strategy="runs")
    assert cancelled == 0


@pytest.mark.parametrize("headers", [wire.NO_HEADERS, EVENTS], ids=["json", "events"])
async def test_a_client_that_leaves_ends_a_strategy_that_thinks(demo_store: Path, headers: wire.Headers) -> None:
    scripted.Thinks.open.clear()
    async with asking(demo_store, "thinks") as url:
        async with wire.connected(url) as (_, writer):
            writer.write(wire.request(f"{url}?question=why", "GET", headers))
            await until(lambda: scripted.Thinks.open, "one that thinks")
        await until(lambda: not scripted.Thinks.open, "its end")


async def test_at_the_end_of_the_proxy_every_question_has_a_last_word(demo_store: Path, tmp_path: Path) -> None:
    strategies = "\n".join(f'{name} = "{place}"' for name, place in scripted.STRATEGIES.items())
    config = f"""
[server]
drain_s = 0.2
[endpoints.demo]
store = "{demo_store}"
[plugins]
enabled = ["plugins.search", "plugins.nl"]
[nl]
strategy = "thinks"
[nl.strategies]
{strategies}
"""
    async with served(tmp_path, config) as proxy:
        url = f"{proxy.base}/nl?question=why"
        async with wire.connected(url) as (plain, first), wire.connected(url) as (reader, writer):
            # The one worker reads what came first before what came later.
            first.write(wire.request(url, "GET"))
            await first.drain()
            writer.write(wire.request(url, "GET", EVENTS))
            heard = await asyncio.wait_for(reader.readuntil(b"event: action"), 20)
            stopped = asyncio.ensure_future(proxy.stopped(signal.SIGTERM))
            heard += await asyncio.wait_for(reader.read(), 20)
            assert (await wire.receive(plain)).json["code"] == "stopping"
        assert await stopped == 0
    assert heard.endswith(b"0\r\n\r\n")
    assert b"event: error" in heard
    assert b'"code": "stopping"' in heard
