"""Limits and pauses that workers share through a Redis, also one that dies, freezes, is full or holds garbage."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from plugins.limits.account import Allowance, Limit
from plugins.limits.options import LimitsOptions
from plugins.limits.shared import Shared
from proxy.errors import ConfigError
from tests import fronts, stage, wire
from tests.redis import RedisServer, redis_server
from tests.upstream import Answer, Upstream

_HOUSE, _NEIGHBOUR = "2001:db8::1", "2001:db8:0:1::1"


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path) as server:
        yield server


@asynccontextmanager
async def two(upstream: Upstream, redis: RedisServer, **more: Any) -> AsyncIterator[tuple[str, str]]:
    """Put two proxies before one upstream and one Redis; clients name their own address."""
    shares = {"redis": redis.url}
    tables = {
        "server": {"trusted_proxies": ["127.0.0.1"]},
        "endpoints": {"up": {"url": upstream.url}},
        "plugins": {"enabled": ["plugins.limits", "plugins.breaker"]},
        **more,
        "limits": {**shares, "upstream_s_per_minute": 0, **more.get("limits", {})},
        "breaker": {**shares, "retry_share": 0.0, **more.get("breaker", {})},
    }
    async with stage.proxy(tables) as one, stage.proxy(tables) as other:
        yield one, other


async def ask(base: str, address: str = "192.0.2.1", **headers: str) -> wire.Received:
    return await wire.post(f"{base}/sparql", {"query": "ASK {}"}, {"X-Forwarded-For": address, **headers})


async def statuses(bases: tuple[str, ...], count: int, address: str = "192.0.2.1", **headers: str) -> list[int]:
    """Ask the proxies in turn, so many times in all."""
    return [(await ask(bases[n % len(bases)], address, **headers)).status for n in range(count)]


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a condition holds."""
    for _ in range(600):
        if await condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never came to be")


def is_met(base: str, status: int, address: str = "192.0.2.1") -> Callable[[], Awaitable[bool]]:
    """Return a condition: that the next query of a client gets this status."""

    async def met() -> bool:
        return (await ask(base, address)).status == status

    return met


def is_known(redis: RedisServer, name: bytes) -> Callable[[], Awaitable[bool]]:
    """Return a condition: that somebody has written such a name."""

    async def known() -> bool:
        return name in await asyncio.to_thread(redis.command, "KEYS", "*")

    return known


async def test_requests_are_counted_over_all_workers(redis: RedisServer) -> None:
    async with Upstream() as upstream, two(upstream, redis, limits={"requests_per_minute": 4}) as both:
        assert await statuses(both, 6) == [200] * 4 + [429] * 2
        refused = await ask(both[0])
        assert refused.json["code"] == "too_many"
        assert 1 <= int(refused.header("retry-after") or "") <= 15
        assert await statuses(both, 2, "192.0.2.2") == [200, 200]
        assert len(upstream.sent) == 6


async def test_a_client_is_a_household_or_a_key_everywhere(redis: RedisServer) -> None:
    digest = hashlib.sha256(b"secret").hexdigest()
    limits = {"requests_per_minute": 1, "keys": {"bot": {"requests_per_minute": 3}}}
    keys = {"bot": {"sha256": digest}}
    async with Upstream() as upstream, two(upstream, redis, limits=limits, keys=keys) as (one, other):
        assert [(await ask(one, _HOUSE)).status, (await ask(other, "2001:db8::ffff")).status] == [200, 429]
        assert (await ask(other, _NEIGHBOUR)).status == 200
        assert await statuses((one, other), 4, _HOUSE, Authorization="Bearer secret") == [200] * 3 + [429]
        assert (await ask(other, _NEIGHBOUR, Authorization="Bearer secret")).status == 429


async def test_queries_at_once_are_counted_over_all_workers_until_they_end_or_are_left(redis: RedisServer) -> None:
    slow = Answer(before_head_s=600)
    script = (slow, slow, Answer())
    async with Upstream(*script) as upstream, two(upstream, redis, limits={"concurrent": 2}) as (one, other):
        running = [asyncio.ensure_future(ask(each)) for each in (one, other)]
        await upstream.arrival(2, seconds=10)
        for each in (one, other):
            refused = await ask(each)
            assert (refused.status, refused.header("retry-after")) == (429, "2")
        running[0].cancel()
        await until(is_met(other, 200))
        running[1].cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def test_seconds_of_the_endpoint_are_counted_over_all_workers(redis: RedisServer) -> None:
    limits = {"upstream_s_per_minute": 0.2}
    async with Upstream(Answer(before_head_s=0.5), Answer()) as upstream, two(upstream, redis, limits=limits) as both:
        assert await statuses(both, 3) == [200, 429, 429]
        # Some 0.3 s too much, of which 0.2 come back in a minute.
        assert int((await ask(both[1])).header("retry-after") or "") > 60


async def test_names_of_others_share_nothing(redis: RedisServer) -> None:
    async with Upstream() as upstream:
        for namespace in ("a", "b"):
            limits = {"requests_per_minute": 1, "namespace": namespace}
            async with two(upstream, redis, limits=limits) as both:
                assert await statuses(both, 2) == [200, 429]


async def test_the_place_of_a_worker_that_died_comes_back(redis: RedisServer) -> None:
    allowed = Allowance(requests_per_minute=0, concurrent=1, upstream_s_per_minute=0)
    shared = Shared(LimitsOptions(redis=redis.url, redis_s=5.0))
    async with shared.lifespan():
        lost, later = shared.lease("address 192.0.2.1", allowed), shared.lease("address 192.0.2.1", allowed)
        assert await shared.enter(lost, 1, 0.5) == (Limit.NONE, 0.0)
        assert await shared.enter(later, 1, 0.5) == (Limit.CONCURRENT, 0.0)

        async def enters() -> bool:
            return await shared.enter(later, 1, 0.5) == (Limit.NONE, 0.0)

        await until(enters)


async def test_redis_killed_and_started_again_under_load_fails_no_request(redis: RedisServer) -> None:
    seen: Counter[int] = Counter()
    limits = {"requests_per_minute": 10**6, "upstream_s_per_minute": 10**6}
    dead, back, enough = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def load(base: str) -> None:
        while not enough.is_set():
            seen[(await ask(base)).status] += 1

    async with Upstream() as upstream, two(upstream, redis, limits=limits) as both:
        running = asyncio.gather(*(load(base) for base in both for _ in range(4)))
        for moment in (dead, back, enough):
            wanted = seen.total() + 200

            async def served(wanted: int = wanted) -> bool:
                return seen.total() >= wanted

            await until(served)
            if moment is dead:
                redis.kill()
            elif moment is back:
                await asyncio.to_thread(redis.start)
                await until(is_known(redis, b"limits"))
            moment.set()
        await running
        assert set(seen) == {200}


async def test_without_redis_each_worker_counts_alone_and_with_it_all_together_again(redis: RedisServer) -> None:
    limits = {"requests_per_minute": 3}
    async with Upstream() as upstream, two(upstream, redis, limits=limits) as both:
        assert await statuses(both, 4) == [200] * 3 + [429]
        redis.kill()
        # Each worker let one or two of the three in, and goes on from there.
        assert Counter(await statuses(both, 10)) == {200: 3, 429: 7}
        await asyncio.to_thread(redis.start)
        # Its memory was lost with it, so that there is a new minute.
        for base in both:
            await until(is_met(base, 200))
        await until(is_known(redis, b"192.0.2.1}"))
        assert (await statuses(both, 4))[-1] == 429


async def test_the_end_of_a_query_while_redis_is_away_is_told_when_it_is_back(redis: RedisServer) -> None:
    async with (
        Upstream(Answer(before_head_s=1.0), Answer()) as upstream,
        two(upstream, redis, limits={"concurrent": 1}) as (one, other),
    ):
        running = asyncio.ensure_future(ask(one))
        await upstream.arrival(seconds=10)
        assert (await ask(other)).status == 429
        redis.freeze()
        try:
            # Both find out that nobody answers there.
            assert (await ask(other)).status == 200
            assert (await running).status == 200
        finally:
            redis.thaw()
        await until(is_met(other, 200))

        async def told() -> bool:
            return b":leases" not in await asyncio.to_thread(redis.command, "KEYS", "*")

        await until(told)


async def test_a_redis_that_answers_nothing_costs_one_wait(redis: RedisServer) -> None:
    options = {"redis_s": 1.0}
    async with Upstream() as upstream, two(upstream, redis, limits=options, breaker=options) as (one, _):
        assert (await ask(one)).status == 200
        redis.freeze()
        try:
            times = []
            for _ in range(10):
                began = time.monotonic()
                assert (await ask(one)).status == 200
                times.append(time.monotonic() - began)
            # One for the limits and one for the pauses, and the looks whether it is back are nobody's.
            assert sum(each > 0.9 for each in times) <= 2
        finally:
            redis.thaw()


async def test_a_proxy_starts_without_redis(redis: RedisServer) -> None:
    redis.kill()
    async with Upstream() as upstream, two(upstream, redis, limits={"requests_per_minute": 1}) as both:
        assert await statuses(both, 4) == [200, 200, 429, 429]


async def test_a_redis_that_is_full_or_holds_garbage_lets_each_worker_count_alone(redis: RedisServer) -> None:
    async with Upstream() as upstream, two(upstream, redis, limits={"requests_per_minute": 2}) as both:
        redis.command("SET", "saga:limits:{address 192.0.2.1}", "garbage")
        redis.command("LPUSH", "saga:pause:up", "garbage")
        assert await statuses(both, 6) == [200] * 4 + [429] * 2
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        redis.command("CONFIG", "SET", "maxmemory", "1")
        # Small as it is, the account may still fit.
        assert await statuses(both, 6, "192.0.2.2") in ([200] * 4 + [429] * 2, [200] * 2 + [429] * 4)


def busy(seconds: int, status: int = 429) -> Answer:
    return Answer(status=status, headers=[("Retry-After", str(seconds))], type="text/plain", body=b"slow down")


@pytest.mark.parametrize("status", [429, 503])
async def test_a_pause_that_one_worker_is_asked_for_holds_in_all(redis: RedisServer, status: int) -> None:
    async with Upstream(busy(60, status), Answer()) as upstream, two(upstream, redis) as both:
        assert await statuses(both, 6) == [503] * 6
        told = await ask(both[1])
        assert 1 <= int(told.header("retry-after") or "") <= 60
        assert told.json["code"] == "upstream_busy"
        assert len(upstream.sent) == 1
        for base in both:
            assert not await fronts.counted(base, "saga_breaker_open")


async def test_a_short_pause_is_waited_for_in_all(redis: RedisServer) -> None:
    async with Upstream(busy(1), Answer()) as upstream, two(upstream, redis) as (one, other):
        assert (await ask(one)).status == 503
        paused = time.monotonic()
        assert [each.status for each in await asyncio.gather(*(ask(other) for _ in range(5)))] == [200] * 5
        assert min(sent.arrived for sent in upstream.sent[1:]) - paused > 0.7


async def test_a_pause_ends_also_where_redis_died_in_it(redis: RedisServer) -> None:
    async with Upstream(busy(600), Answer()) as upstream, two(upstream, redis) as (one, other):
        assert (await ask(one)).status == 503
        redis.kill()
        # This one was never told; the other one was asked by the endpoint itself.
        assert [(await ask(other)).status, (await ask(one)).status] == [200, 503]


async def test_redis_that_cannot_be_used_is_a_mistake_of_the_configuration() -> None:
    for table in ("limits", "breaker"):
        tables = {
            "endpoints": {"up": {"url": "http://127.0.0.1:9/"}},
            "plugins": {"enabled": [f"plugins.{table}"]},
            table: {"redis": "127.0.0.1:6379", "redis_s": 0.0},
        }
        with pytest.raises(ConfigError, match=rf"{table}\.redis: must start with redis://") as caught:
            async with stage.proxy(tables):
                pass
        assert f"{table}.redis_s: must be above 0" in caught.value.mistakes
