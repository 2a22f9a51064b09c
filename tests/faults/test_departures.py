"""Clients leave, and nothing of them stays: no socket, task, process, place or memory, and no work for longer than 2 s.

`python -m tests.bench.departures` does the same with 10,000 clients.
"""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from tests import fronts, wire
from tests.bench.departures.crowd import DRIPPING, LOCAL, REMOTE, Crowd, script, settled
from tests.bench.departures.rest import idle, taken, workers
from tests.bench.departures.traces import Traces, kept_connections, traces
from tests.bench.memory.bodies import cross_store
from tests.upstream import Answer, Upstream

_WORK_S = 2.0
_READERS = 2
_ENDLESS = LOCAL[2]
_RUNAWAY = LOCAL[3]


@pytest.fixture(scope="module")
def cross(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store whose cross product never ends."""
    return cross_store(tmp_path_factory.mktemp("cross") / "store")


async def _same(before: Traces, kept_of: str | None) -> None:
    """Wait until this process holds as little as before."""
    now = before
    for _ in range(40):
        now = traces(kept_connections(kept_of) if kept_of else 0)
        if (now.descriptors, now.tasks, now.children) == (before.descriptors, before.tasks, before.children):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"before {before}, now {now}")


async def test_150_departures_leave_nothing_at_an_http_endpoint() -> None:
    async with (
        Upstream(script) as upstream,
        fronts.front(upstream, concurrency=4, queue=8, queue_s=0.5) as url,
    ):
        crowd = Crowd(url, REMOTE, random.Random(3), 0.2)
        await crowd.visit(10, 4)
        await settled(upstream, crowd, _WORK_S)
        before = traces(kept_connections(upstream.url))
        await crowd.visit(150, 16)
        late, held = await settled(upstream, crowd, _WORK_S)
        assert (held, late < _WORK_S) == (0, True), late
        await _same(before, upstream.url)
        assert await fronts.counted(url, "saga_inflight_queries") == 0
        assert await taken(url, REMOTE[2], 4 + 8) == 4 + 8


async def test_50_departures_leave_nothing_at_a_store(cross: Path) -> None:
    async with fronts.embedded(cross, concurrency=_READERS, queue=8, queue_s=2) as url:
        crowd = Crowd(url, LOCAL, random.Random(3), 0.3)
        await crowd.visit(5, 2)
        assert await idle(_READERS, time.monotonic()) < _WORK_S
        before = traces(0)
        await crowd.visit(50, 8)
        assert await idle(_READERS, time.monotonic()) < _WORK_S
        await _same(before, None)
        assert await fronts.counted(url, "saga_inflight_queries") == 0
        assert await taken(url, _RUNAWAY, _READERS + 8) == _READERS + 8


@pytest.mark.parametrize("text", [_RUNAWAY, _ENDLESS], ids=["before the first byte", "after the first byte"])
async def test_work_of_a_store_ends_with_its_client(cross: Path, text: str) -> None:
    async with fronts.embedded(cross, concurrency=1) as url, wire.connected(url) as (reader, writer):
        await idle(1, time.monotonic())
        (worker,) = workers()
        writer.write(wire.request(f"{url}?query={quote(text)}", "GET"))
        if text is _ENDLESS:
            await reader.readexactly(100_000)
        else:
            await asyncio.sleep(0.3)
        assert worker in workers()
        writer.transport.abort()
        left = time.monotonic()
        while worker in workers():
            assert time.monotonic() - left < _WORK_S
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("moment", ["before the first byte", "after the first byte"])
async def test_work_of_an_endpoint_ends_with_its_client(moment: str) -> None:
    early = moment == "before the first byte"
    answer = Answer(before_head_s=60) if early else DRIPPING
    async with Upstream(answer) as upstream, fronts.front(upstream) as url, wire.connected(url) as (reader, writer):
        writer.write(wire.request(f"{url}?query={quote(REMOTE[0])}", "GET"))
        sent = await upstream.arrival()
        if not early:
            await reader.readexactly(50_000)
        writer.transport.abort()
        await sent.departure(_WORK_S)
