"""One query moves exactly the series that it must, however it ends: in one worker, and in two that add up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import pytest

from plugins.breaker.verdict import Reason
from plugins.cache.events import Event
from plugins.schema.findings import Code, Severity
from proxy.observe import Outcome
from proxy.syntax import Form
from tests import cached, fronts, stage, wire
from tests.observed import Samples, Series, named, only, samples, toml, total, until
from tests.profiles import select
from tests.served import Served, served
from tests.situations import SITUATIONS, Situation, scripted, tables
from tests.unit.schema.demo_schema import demo_draft
from tests.upstream import Answer, Sent, Upstream

CLOSED = {
    "outcome": {each.value for each in Outcome},
    "form": {each.value for each in Form},
    "phase": {"queue", "first_byte", "total", "overhead"},
    "source": {"client", "nl"},
    "event": {each.value for each in Event},
    "reason": set(get_args(Reason)),
    "code": set(get_args(Code)),
    "severity": set(get_args(Severity)),
}


def counts(found: Samples) -> Counter[Series]:
    """Return what counts queries and events: neither bytes and seconds, which no test knows, nor gauges."""
    kept = {
        series: int(value)
        for series, value in found.items()
        if series[0].endswith(("_total", "_count")) and series[0] != "saga_result_bytes_total"
    }
    return +Counter(kept)


async def ended(base: str, queries: int) -> Samples:
    """Return the samples once so many queries have ended and none runs."""

    async def true() -> bool:
        found = await samples(base)
        return total(found, "saga_queries_total") >= queries and not total(found, "saga_inflight_queries")

    with contextlib.suppress(TimeoutError):
        # What is wrong then is the test's to say.
        await until(true)
    return await samples(base)


@asynccontextmanager
async def alone(name: str) -> AsyncIterator[str]:
    """Serve one situation in this process, and yield the proxy's address."""
    async with Upstream(scripted(Counter())) as upstream, stage.proxy(tables(upstream, name)) as base:
        yield base


@pytest.mark.parametrize("name", SITUATIONS)
async def test_a_query_moves_exactly_its_series(name: str) -> None:
    situation = SITUATIONS[name]
    async with alone(name) as base:
        await situation.visit(f"{base}/sparql/{name}", situation.text)
        found = await ended(base, 1)
        assert counts(found) == situation.grows(name)
        assert total(found, "saga_inflight_queries") == 0


def test_every_outcome_has_a_situation() -> None:
    # The guard needs an index, and has its own below.
    assert {each.outcome for each in SITUATIONS.values()} | {Outcome.BLOCKED} == set(Outcome)
    reasons = {each.more.get("saga_retries_total", "").removeprefix("reason=") for each in SITUATIONS.values()}
    assert reasons - {""} == CLOSED["reason"]


async def test_two_workers_count_together_what_each_of_them_saw(tmp_path: Path, demo_store: Path) -> None:
    demo_draft().write(tmp_path / "demo.saga")
    guarded = {"store": str(demo_store), "graph": "wikidata", "schema": str(tmp_path / "demo.saga"), "guard": "block"}
    async with Upstream(scripted(Counter())) as upstream:
        config = tables(upstream, *SITUATIONS)
        config["endpoints"]["guarded"] = guarded
        config["plugins"]["enabled"].insert(0, "plugins.schema.guard")
        async with served(tmp_path, toml(config), "--workers", "2") as proxy:
            await proxy.logged("worker.ready", 2)
            expected: Counter[Series] = Counter()
            for turn, worker in enumerate(proxy.workers):
                with only(proxy, worker):
                    # Each text is answered from the start of its script.
                    visits = [
                        each.visit(f"{proxy.sparql}/{name}", f"{each.text} # {turn}")
                        for name, each in SITUATIONS.items()
                    ]
                    blocked = wire.get(f"{proxy.sparql}/guarded", {"query": "SELECT ?d { wd:Q142 wdt:P569 ?d }"})
                    await asyncio.gather(*visits)
                    assert (await blocked).status == 422
                    await ended(proxy.base, (turn + 1) * (len(SITUATIONS) + 1))
                for name, each in SITUATIONS.items():
                    expected += each.grows(name)
                expected += _blocked("guarded")
            assert turn == 1
            found = await ended(proxy.base, 2 * (len(SITUATIONS) + 1))
            assert counts(found) == expected
            assert total(found, "saga_inflight_queries") == 0
            size = len(SITUATIONS["streamed"].script[0].body)  # type: ignore[arg-type]  # one piece
            assert total(found, "saga_result_bytes_total", endpoint="streamed") == 2 * size
            _closed(found, {*SITUATIONS, "guarded"})


def _blocked(endpoint: str) -> Counter[Series]:
    grown = Situation(outcome=Outcome.BLOCKED, phases=("total",)).grows(endpoint)
    grown[named("saga_guard_findings_total", endpoint=endpoint, code="domain", severity="block")] = 1
    return grown


def _closed(found: Samples, endpoints: set[str]) -> None:
    """Hold every label to its closed set."""
    for name, labels in found:
        for label, value in labels:
            assert value in {**CLOSED, "endpoint": endpoints}[label], (name, label, value)


async def test_no_client_can_make_a_label(tmp_path: Path) -> None:
    async with Upstream(select(1)) as upstream, fronts.front(upstream) as url:
        for n in range(20):
            odd = f"odd{n}"
            await wire.get(f"{url}/{odd}", {"query": "ASK {}"})
            await wire.get(url, {"query": f"{odd} {{}}"}, {"X-Request-Id": odd, "User-Agent": odd, "Accept": odd})
            await wire.direct(url, "ASK {}", type=f"application/{odd}")
        _closed(await samples(url.removesuffix("/sparql")), {"up"})


async def test_gauges_of_two_workers_are_the_sum_of_queries_and_the_worst_of_states(tmp_path: Path) -> None:
    def hold(sent: Sent) -> Answer:
        return Answer(before_head_s=60)

    async with Upstream(hold) as upstream:
        config: dict[str, Any] = {
            "endpoints": {"held": {"url": upstream.url}, "dead": {"url": f"http://127.0.0.1:{stage.free_port()}/"}},
            "plugins": {"enabled": ["plugins.breaker"]},
            "breaker": {"failures": 1, "retry_share": 0.0, "cool_off_s": 600.0, "liveness_s": 600.0},
        }
        async with served(tmp_path, toml(config), "--workers", "2") as proxy:
            await proxy.logged("worker.ready", 2)
            first, second = proxy.workers
            assert await _states(proxy) == (0, 0, 1)
            clients = []
            for n, worker in enumerate((first, second)):
                with only(proxy, worker):
                    clients.append(asyncio.ensure_future(wire.get(proxy.sparql, {"query": f"ASK {{ ?s ?p {n} }}"})))
                    await upstream.arrival(n + 1, 20)
            with only(proxy, first):
                assert (await wire.get(f"{proxy.sparql}/dead", {"query": "ASK {}"})).status == 502
            assert await _states(proxy) == (2, 1, 0)
            before = counts(await samples(proxy.base))
            os.kill(first, signal.SIGKILL)

            async def replaced() -> bool:
                now = proxy.workers
                return first not in now and len(now) == 2 and await _states(proxy) == (1, 0, 1)

            await until(replaced)
            assert await _states(proxy) == (1, 0, 1)
            assert counts(await samples(proxy.base)) == before
            for client in clients:
                client.cancel()
            await asyncio.gather(*clients, return_exceptions=True)


async def _states(proxy: Served) -> tuple[float, float, float]:
    """Return how many queries run, whether a breaker is open, and whether every endpoint is up."""
    found = await samples(proxy.base)
    up = [value for (name, _), value in found.items() if name == "saga_endpoint_up"]
    return total(found, "saga_inflight_queries"), total(found, "saga_breaker_open"), min(up)


async def test_a_request_that_its_page_never_reads_is_counted_too() -> None:
    server = {"max_body_bytes": 1000}
    keys = {"one": {"sha256": "0" * 64, "rights": ["query"]}}
    async with Upstream() as upstream:
        tables = {"endpoints": {"up": {"url": upstream.url}}, "server": server, "keys": keys}
        async with stage.proxy(tables) as base:
            for path in ("/sparql", "/sparql/up", "/sparql/"):
                got = await wire.get(f"{base}{path}", {"query": "ASK {}"}, {"Authorization": "Bearer unknown"})
                assert (got.status, got.json["code"]) == (401, "unauthorized")
            # Nobody's query: it has no endpoint.
            assert (await wire.get(f"{base}/elsewhere")).status == 404
            async with wire.connected(base) as (reader, writer):
                headers = {"Content-Type": wire.FORM, "Content-Length": "5000", "Expect": "100-continue"}
                writer.write(wire.request(f"{base}/sparql", "POST", headers))
                assert (await wire.receive(reader)).status == 413
            found = counts(await samples(base))
        assert upstream.sent == []
    refused = named("saga_queries_total", endpoint="up", form="other", outcome="client_error")
    assert found == Counter({refused: 4})


async def test_the_phases_add_up_and_none_of_the_waiting_is_ours() -> None:
    slow = Answer(type=select(2).type, body=select(2).body, before_head_s=1.5)
    async with Upstream(slow) as upstream, fronts.front(upstream, concurrency=1) as url:
        asked = [asyncio.ensure_future(wire.get(url, {"query": f"SELECT * {{ ?s ?p {n} }}"})) for n in range(2)]
        assert [each.status for each in await asyncio.gather(*asked)] == [200, 200]
        found = await ended(url.removesuffix("/sparql"), 2)
    queue, first_byte, overhead, whole = (
        total(found, "saga_query_seconds_sum", phase=phase) for phase in ("queue", "first_byte", "overhead", "total")
    )
    # The second one waits for the first; both then wait for the endpoint.
    assert first_byte >= 2.9
    assert queue > 0
    assert overhead <= first_byte - queue - 2.9
    assert whole >= first_byte


async def test_a_cache_counts_each_client_and_its_own_eight_events() -> None:
    late = Answer(type=select(2).type, body=select(2).body, before_head_s=1.0)
    async with Upstream(late) as upstream, cached.cached(upstream) as url:
        base = url.removesuffix("/sparql")
        events = {
            value["event"] for value in map(dict, (given for name, given in await samples(base) if "cache" in name))
        }
        assert events == CLOSED["event"]
        asked = [asyncio.ensure_future(cached.ask(url)) for _ in range(3)]
        await upstream.arrival()
        asked[0].cancel()
        first, second = await asyncio.gather(*asked[1:])
        again = await cached.ask(url, If_None_Match=second.header("etag") or "")
        assert (first.status, second.status, again.status, len(upstream.sent)) == (200, 200, 304, 1)
        found = await ended(base, 4)
        assert total(found, "saga_queries_total", outcome="cancelled") == 1
        assert total(found, "saga_queries_total", outcome="ok") == 3
        assert total(found, "saga_result_bytes_total") == 2 * len(select(2).body)  # type: ignore[arg-type]  # one piece
