"""Limits of clients and turns at an endpoint, through real sockets."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests import stage, wire
from tests.profiles import qlever_cancelled
from tests.upstream import Answer, Upstream

_ASK = {"query": "ASK {}"}
_PLUGINS = ["plugins.limits", "plugins.limits.turns"]


@asynccontextmanager
async def front(upstream: Upstream, table: dict[str, Any] | None = None, **more: Any) -> AsyncIterator[str]:
    """Put a proxy with limits in front of an upstream; clients name their own address."""
    tables = {
        "server": {"trusted_proxies": ["127.0.0.1"]},
        "endpoints": {"up": {"url": upstream.url, **(table or {})}},
        "plugins": {"enabled": _PLUGINS},
        **more,
    }
    async with stage.proxy(tables) as base:
        yield base


def by(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address}


async def ask(base: str, address: str = "192.0.2.1", text: str = "ASK {}") -> wire.Received:
    return await wire.post(f"{base}/sparql", {"query": text}, by(address))


async def test_P51_a_client_above_its_limit_gets_429_and_others_go_on() -> None:
    async with Upstream() as upstream, front(upstream, limits={"requests_per_minute": 2}) as base:
        assert [(await ask(base)).status for _ in range(2)] == [200, 200]
        refused = await ask(base)
        assert (refused.status, refused.type) == (429, "application/problem+json")
        assert 1 <= int(refused.header("retry-after") or "") <= 30
        assert (refused.json["code"], refused.header("cache-control")) == ("too_many", "no-store")
        assert refused.json["request_id"] == refused.header("x-request-id")
        assert (await ask(base, "192.0.2.2")).status == 200
        assert len(upstream.sent) == 3
        for page in ("health/live", "health/ready", "metrics"):
            for _ in range(5):
                assert (await wire.get(f"{base}/{page}", headers=by("192.0.2.1"))).status == 200
        counted = await wire.get(f"{base}/metrics")
        assert 'saga_queries_total{endpoint="up",form="ask",outcome="rejected"} 1.0' in counted.body.decode()


async def test_P51_a_time_limit_of_the_endpoint_is_its_own_code_and_never_a_limit_of_the_client() -> None:
    limits = {"requests_per_minute": 50}
    async with Upstream(qlever_cancelled) as upstream, front(upstream, {"engine": "qlever"}, limits=limits) as base:
        for _ in range(3):
            answer = await ask(base)
            assert (answer.status, answer.json["code"]) == (504, "timeout")
            assert answer.header("retry-after") is None
        assert len(upstream.sent) == 3


async def test_one_household_is_one_client_and_a_key_has_limits_of_its_own() -> None:
    digest = hashlib.sha256(b"secret").hexdigest()
    limits = {"requests_per_minute": 1, "keys": {"bot": {"requests_per_minute": 0}}}
    async with Upstream() as upstream, front(upstream, limits=limits, keys={"bot": {"sha256": digest}}) as base:
        assert (await ask(base, "2001:db8::1")).status == 200
        assert (await ask(base, "2001:db8::ffff:1")).status == 429
        assert (await ask(base, "2001:db8:0:1::1")).status == 200
        for _ in range(5):
            headers = {"Authorization": "Bearer secret", **by("2001:db8::1")}
            assert (await wire.post(f"{base}/sparql", _ASK, headers)).status == 200


async def test_queries_at_once_are_bounded_and_a_departure_frees_its_place() -> None:
    slow = Answer(before_head_s=30)
    async with Upstream(slow, slow, Answer()) as upstream, front(upstream, limits={"concurrent": 2}) as base:
        running = [asyncio.ensure_future(ask(base)) for _ in range(2)]
        await upstream.arrival(2)
        assert (await ask(base)).header("retry-after") == "2"
        running[0].cancel()
        await upstream.sent[0].departure()
        assert (await ask(base)).status == 200
        running[1].cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def test_seconds_of_the_endpoint_are_counted_also_of_those_who_left() -> None:
    limits = {"upstream_s_per_minute": 0.2}
    async with Upstream(Answer(before_head_s=30), Answer()) as upstream, front(upstream, limits=limits) as base:
        leaver = asyncio.ensure_future(ask(base))
        await upstream.arrival()
        await asyncio.sleep(0.4)
        leaver.cancel()
        await upstream.last.departure()
        await asyncio.sleep(0.05)
        refused = await ask(base)
        assert refused.status == 429
        # Some 0.5 s too much, of which 0.2 come back in a minute.
        assert 55 <= int(refused.header("retry-after") or "") <= 200


async def test_who_leaves_the_line_pays_nothing_for_its_wait() -> None:
    table = {"concurrency": 1, "queue_s": 5.0}
    limits = {"upstream_s_per_minute": 0.2}
    slow = Answer(before_head_s=0.7)
    async with Upstream(slow, Answer()) as upstream, front(upstream, table, limits=limits) as base:
        first = asyncio.ensure_future(ask(base, "192.0.2.1"))
        await upstream.arrival()
        leaver = asyncio.ensure_future(ask(base, "192.0.2.2"))
        await asyncio.sleep(0.5)
        leaver.cancel()
        assert (await first).status == 200
        assert (await ask(base, "192.0.2.2")).status == 200
        assert (await ask(base, "192.0.2.1")).status == 429


async def test_fairness_a_client_with_a_hundred_does_not_starve_one_with_one() -> None:
    async with Upstream(Answer(before_head_s=0.02)) as upstream:
        table = {"concurrency": 2, "queue": 200, "queue_s": 30.0}
        async with front(upstream, table, limits={"concurrent": 0, "requests_per_minute": 0}) as base:
            flood = [asyncio.ensure_future(ask(base, "192.0.2.1", f"ASK {{ ?s ?p {n} }}")) for n in range(100)]
            await upstream.arrival(2)
            # All others stand in line now.
            await asyncio.sleep(0.1)
            before = len(upstream.sent)
            assert (await ask(base, "192.0.2.2", "ASK { ?s ?p 'mine' }")).status == 200
            place = next(n for n, sent in enumerate(upstream.sent) if "mine" in sent.text)
            assert place - before <= 4
            assert len(upstream.sent) < 50
            assert [answer.status for answer in await asyncio.gather(*flood)] == [200] * 100


async def test_a_full_line_is_503_with_retry_after_for_the_flood_and_open_to_others() -> None:
    table = {"concurrency": 1, "queue": 3, "queue_s": 5.0}
    async with Upstream(Answer(before_head_s=0.3)) as upstream, front(upstream, table) as base:
        flood = [asyncio.ensure_future(ask(base)) for _ in range(6)]
        await upstream.arrival()
        await asyncio.sleep(0.05)
        assert (await ask(base, "192.0.2.2")).status == 200
        answers = await asyncio.gather(*flood)
        assert sorted(answer.status for answer in answers) == [200, 200, 200, 503, 503, 503]
        busy = next(answer for answer in answers if answer.status == 503)
        assert (busy.header("retry-after"), busy.json["code"]) == ("5", "upstream_busy")


async def test_who_leaves_the_line_frees_the_turn_at_once_and_is_never_sent() -> None:
    table = {"concurrency": 1, "queue": 1, "queue_s": 5.0}
    async with Upstream(Answer(before_head_s=0.9)) as upstream, front(upstream, table) as base:
        first = asyncio.ensure_future(ask(base))
        await upstream.arrival()
        leaver = asyncio.ensure_future(ask(base, text="ASK { ?left ?p ?o }"))
        await asyncio.sleep(0.05)
        leaver.cancel()
        # A client that sends no more may still be reading, for a quarter of a second.
        await asyncio.sleep(0.4)
        # The line has one place, so that this one stands where the other stood.
        assert (await ask(base)).status == 200
        assert (await first).status == 200
        assert not any("left" in sent.text for sent in upstream.sent)


async def test_this_machine_has_no_limits_and_whoever_it_forwards_has() -> None:
    async with Upstream() as upstream:
        tables = {
            "endpoints": {"up": {"url": upstream.url}},
            "plugins": {"enabled": ["plugins.limits"]},
            "limits": {"requests_per_minute": 1},
        }
        async with stage.proxy(tables) as base:
            for headers, expected in (({}, [200, 200, 200]), ({"X-Forwarded-For": "192.0.2.7"}, [200, 429, 429])):
                seen = [await wire.get(f"{base}/sparql", {"query": "ASK {}"}, headers) for _ in expected]
                assert [each.status for each in seen] == expected
