"""Cases P54, P55, P56: clients that leave, queries that do not end, endpoints that are silent."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.results.formats import Format
from tests import stage, wire
from tests.fronts import LARGE, counted, embedded, front, store
from tests.profiles import results, select
from tests.upstream import Answer, Upstream

SELECT = {"query": "SELECT * {?s ?p ?o}"}
TARGET = "?query=SELECT%20*%20%7B%3Fs%20%3Fp%20%3Fo%7D"
SLOW = Answer(before_head_s=60)
ENDLESS = Answer(body=(b" " * 1000 for _ in range(10**9)), framing="chunked", between_s=0.01)


async def _leave(writer: asyncio.StreamWriter, how: str) -> None:
    if how == "reset":
        writer.transport.abort()
    else:
        writer.close()


async def _settled(url: str, name: str, value: float, **labels: str) -> None:
    """Wait until a series has a value. Raises TimeoutError."""
    async with asyncio.timeout(2):
        while await counted(url, name, **labels) != value:  # noqa: ASYNC110 - what is watched is a page
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("how", ["close", "reset"])
async def test_P54_a_client_that_leaves_before_the_first_byte_ends_the_work(how: str) -> None:
    async with Upstream(SLOW) as up, front(up) as url:
        async with wire.connected(url) as (_, writer):
            writer.write(wire.request(url + TARGET, "GET"))
            sent = await up.arrival()
            await _leave(writer, how)
            await sent.departure()
        await _settled(url, "saga_queries_total", 1, outcome="cancelled")
        await _settled(url, "saga_inflight_queries", 0)


@pytest.mark.parametrize("how", ["close", "reset"])
@pytest.mark.parametrize("framing", ["headers only", "streaming"])
async def test_P54_a_client_that_leaves_in_the_middle_ends_the_work(how: str, framing: str) -> None:
    endless = Answer(
        body=(b'{"head":{"vars":["n"]},' + b" " * 99 for _ in range(10**9)), framing="chunked", between_s=0.01
    )
    answer = Answer(framing="chunked", before_body_s=60) if framing == "headers only" else endless
    async with Upstream(answer) as up, front(up) as url:
        async with wire.connected(url) as (_, writer):
            writer.write(wire.request(url + TARGET, "GET"))
            sent = await up.arrival()
            await asyncio.sleep(0.2)
            await _leave(writer, how)
            await sent.departure()
        await _settled(url, "saga_inflight_queries", 0)


async def test_P54_a_client_that_leaves_a_stream_ends_the_work() -> None:
    body = [results(Format.JSON, LARGE)[:-3], *(b"," + b" " * 1000 for _ in range(10_000))]
    async with Upstream(Answer(body=body, framing="chunked", between_s=0.01)) as up, front(up) as url:
        async with wire.connected(url) as (reader, writer):
            writer.write(wire.request(url + TARGET, "GET"))
            await reader.readexactly(100_000)
            writer.close()
            await up.last.departure()
        await _settled(url, "saga_queries_total", 1, outcome="cancelled")


async def test_P54_a_place_is_free_again() -> None:
    async with Upstream(SLOW, SLOW, SLOW, Answer()) as up, front(up, concurrency=1, queue_s=1) as url:
        for n in range(3):
            async with wire.connected(url) as (_, writer):
                writer.write(wire.request(url + TARGET, "GET"))
                sent = await up.arrival(n + 1)
            await sent.departure()
        assert (await wire.get(url, {"query": "ASK {}"})).status == 200


async def test_P54_a_client_that_leaves_the_queue_is_never_asked_for() -> None:
    async with Upstream(Answer(before_head_s=0.5)) as up, front(up, concurrency=1) as url:
        first = asyncio.ensure_future(wire.get(url, {"query": "ASK {}"}))
        await up.arrival()
        async with wire.connected(url) as (_, writer):
            writer.write(wire.request(url + TARGET, "GET"))
            await asyncio.sleep(0.1)
        assert (await first).status == 200
        assert (await wire.get(url, {"query": "ASK {}"})).status == 200
        assert len(up.sent) == 2


async def test_P54_blazegraph_is_told_by_the_id_of_the_query() -> None:
    async with Upstream(SLOW, Answer()) as up, front(up, engine="blazegraph") as url:
        async with wire.connected(url) as (_, writer):
            writer.write(wire.request(url + TARGET, "GET"))
            sent = await up.arrival()
            (ticket,) = sent.form["queryId"]
        told = await up.arrival(2)
        assert (told.method, told.query_string) == ("POST", f"cancelQuery&queryId={ticket}")


RUNAWAY = {"query": "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"}
MANY = "".join(f'<http://e.org/s{n}> <http://e.org/p> "{n}" .\n' for n in range(300))


async def test_P54_a_store_stops_when_its_client_leaves(tmp_path: Path) -> None:
    async with embedded(store(tmp_path / "store", MANY), concurrency=1, queue_s=3) as url:
        async with wire.connected(url) as (_, writer):
            writer.write(wire.request(url, "POST", {"Content-Type": wire.QUERY}, RUNAWAY["query"].encode()))
            await asyncio.sleep(0.3)
        started = time.monotonic()
        assert (await wire.get(url, {"query": "ASK {}"})).status == 200
        assert time.monotonic() - started < 2


async def test_P55_a_runaway_query_is_killed_and_its_place_refilled(tmp_path: Path) -> None:
    async with embedded(store(tmp_path / "store", MANY), concurrency=1, total_s=1) as url:
        for _ in range(2):
            started = time.monotonic()
            got = await wire.get(url, RUNAWAY)
            assert (got.status, got.json["code"]) == (504, "timeout")
            assert time.monotonic() - started < 2
            assert (await wire.get(url, {"query": "ASK {?s ?p ?o}"})).json["boolean"] is True


async def test_P55_rows_that_flow_too_long_break_the_connection(tmp_path: Path) -> None:
    async with embedded(store(tmp_path / "store", MANY), concurrency=1, total_s=1) as url:
        got = await wire.get(
            url, {"query": "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"}, {"Accept": "text/csv"}
        )
        assert (got.status, got.end) == (200, "reset")
        assert (await wire.get(url, {"query": "ASK {?s ?p ?o}"})).json["boolean"] is True
        assert await counted(url, "saga_queries_total", outcome="ok") == 1


async def _timed(url: str) -> tuple[wire.Received, float]:
    started = time.monotonic()
    got = await wire.get(url, SELECT)
    return got, time.monotonic() - started


async def test_P56_silence_before_the_first_byte_is_504() -> None:
    for answer in (
        SLOW,
        Answer(before_body_s=60),
        Answer(raw=b"", end="stall"),
        Answer(raw=b"HTTP/1.1 200", end="stall"),
    ):
        async with Upstream(answer) as up, front(up, first_byte_s=0.3, idle_s=9, total_s=9) as url:
            got, seconds = await _timed(url)
            assert (got.status, got.json["code"]) == (504, "timeout")
            assert 0.25 < seconds < 1
            await up.last.departure()


@pytest.mark.parametrize("count", [3, LARGE])
async def test_P56_silence_in_the_middle_breaks_the_answer(count: int) -> None:
    whole = select(count)
    answer = Answer(body=whole.body, framing="chunked", cut=len(results(Format.JSON, count)) - 9, end="stall")
    async with Upstream(answer) as up, front(up, first_byte_s=9, idle_s=0.4, total_s=9) as url:
        got, seconds = await _timed(url)
        # A small one may have been held back until then.
        assert (got.status, got.end) in ((200, "reset"), (504, "whole"))[: 1 if count == LARGE else 2]
        assert 0.3 < seconds < 1.5
        await up.last.departure()
        outcome = "timeout" if got.status == 504 else "truncated"
        assert await counted(url, "saga_queries_total", outcome=outcome) == 1


async def test_P56_a_trickle_ends_at_the_total() -> None:
    async with Upstream(ENDLESS) as up, front(up, first_byte_s=9, idle_s=9, total_s=0.6) as url:
        got, seconds = await _timed(url)
        assert got.status == 504 or got.end == "reset"
        assert 0.5 < seconds < 1.5
        await up.last.departure()


async def test_P56_a_dead_endpoint_is_502_at_once() -> None:
    async with stage.proxy({"endpoints": {"up": {"url": f"http://127.0.0.1:{stage.free_port()}/"}}}) as base:
        got, seconds = await _timed(f"{base}/sparql")
        assert (got.status, got.json["code"]) == (502, "upstream_failed")
        assert seconds < 1


@contextlib.asynccontextmanager
async def _deaf() -> AsyncIterator[str]:
    """Yield an address whose queue of connections is full: whoever connects now waits."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


async def test_P56_connecting_has_its_own_limit() -> None:
    async with _deaf() as address:
        tables = {"endpoints": {"up": {"url": address, "connect_s": 0.3, "first_byte_s": 9, "total_s": 9}}}
        async with stage.proxy(tables) as base:
            got, seconds = await _timed(f"{base}/sparql")
            assert (got.status, got.json["code"]) == (504, "timeout")
            assert 0.25 < seconds < 1


async def test_P56_each_endpoint_has_its_own_limits() -> None:
    async with Upstream(Answer(before_head_s=0.5)) as up:
        tables = {"quick": {"url": up.url, "first_byte_s": 0.2}, "slow": {"url": up.url, "first_byte_s": 5.0}}
        async with stage.proxy({"endpoints": tables}) as base:
            quick, slow = await asyncio.gather(
                wire.get(f"{base}/sparql/quick", {"query": "ASK {}"}),
                wire.get(f"{base}/sparql/slow", {"query": "ASK {}"}),
            )
            assert (quick.status, slow.status) == (504, 200)


async def test_P56_a_cheap_probe_tells_dead_from_busy() -> None:
    async with Upstream(lambda sent: Answer() if sent.text == "ASK {}" else SLOW) as up, front(up) as url:
        ready = url.replace("/sparql", "/health/ready")
        heavy = asyncio.ensure_future(wire.get(url, SELECT))
        await up.arrival()
        assert (await wire.get(ready)).status == 200
        heavy.cancel()
    async with Upstream(SLOW) as up, front(up, connect_s=1.0) as url:
        started = time.monotonic()
        got = await wire.get(url.replace("/sparql", "/health/ready"))
        assert (got.status, got.json["endpoints"]["up"]["ok"]) == (503, False)
        assert got.json["endpoints"]["up"]["detail"]
        assert time.monotonic() - started < 3
