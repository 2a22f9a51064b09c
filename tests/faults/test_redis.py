"""A Redis that workers share, and that is killed, frozen, full, or filled with garbage: no query ever fails."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import wire
from tests.cached import ask, cached, events, number, numbered
from tests.redis import RedisServer, redis_server
from tests.upstream import Upstream

UPDATE = {"update": "INSERT DATA { <urn:s> <urn:p> 1 }"}


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path) as server:
        yield server


@asynccontextmanager
async def two(upstream: Upstream, redis: RedisServer, **cache: Any) -> AsyncIterator[tuple[str, str]]:
    """Put two proxies before one upstream and one Redis."""
    options = {"redis": redis.url, "redis_sync_s": 0.1, **cache}
    async with cached(upstream, **options) as one, cached(upstream, **options) as other:
        yield one, other


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 5.0) -> None:
    """Wait until a condition holds."""
    for _ in range(int(seconds / 0.05)):
        if await condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never came to be")


async def test_what_one_worker_was_answered_another_knows(redis: RedisServer) -> None:
    async with Upstream(numbered(rows=300, width=40)) as upstream, two(upstream, redis) as (one, other):
        first = await ask(one)
        assert number(first) == 1
        await asyncio.sleep(0.05)
        found = await ask(other)
        assert (found.body, found.header("etag")) == (first.body, first.header("etag") or found.header("etag"))
        assert (found.header("cache-status") or "").startswith("saga; hit; ttl=")
        assert (await ask(other, If_None_Match=found.header("etag") or "")).status == 304
        assert len(upstream.sent) == 1
        assert [await events(other, each) for each in ("hit", "miss", "error")] == [2, 0, 0]


async def test_an_age_counts_across_workers(redis: RedisServer) -> None:
    async with Upstream(numbered()) as upstream, two(upstream, redis) as (one, other):
        await ask(one)
        await asyncio.sleep(1.1)
        assert (await ask(other)).header("age") == "1"
        assert number(await ask(other, Cache_Control="max-age=0")) == 2


async def test_an_update_through_one_worker_makes_all_forget(redis: RedisServer) -> None:
    async with Upstream(numbered()) as upstream, two(upstream, redis) as (one, other):
        assert [number(await ask(each)) for each in (one, one, other)] == [1, 1, 1]
        assert (await wire.post(one, UPDATE)).status == 204
        await asyncio.sleep(0.3)
        assert [number(await ask(each)) for each in (other, other, one)] == [3, 3, 3]


async def test_with_a_look_before_each_answer_an_update_is_seen_at_once(redis: RedisServer) -> None:
    async with Upstream(numbered()) as upstream, two(upstream, redis, redis_sync_s=0.0) as (one, other):
        for _ in range(20):
            assert number(await ask(one)) == number(await ask(other)) == len(upstream.sent)
            assert (await wire.post(one, UPDATE)).status == 204
            assert number(await ask(other)) == len(upstream.sent)


async def test_clearing_reaches_every_worker(redis: RedisServer) -> None:
    async with Upstream(numbered()) as upstream, two(upstream, redis) as (one, other):
        assert [number(await ask(each)) for each in (one, other)] == [1, 1]
        await wire.get(one.removesuffix("/sparql") + "/admin/cache", method="DELETE")
        await asyncio.sleep(0.3)
        assert [number(await ask(each)) for each in (other, one)] == [2, 2]


async def test_namespaces_share_nothing(redis: RedisServer) -> None:
    async with Upstream(numbered()) as upstream:
        for namespace, expected in (("a", 1), ("b", 2), ("a", 1)):
            async with cached(upstream, redis=redis.url, namespace=namespace) as url:
                assert number(await ask(url)) == expected
                await asyncio.sleep(0.05)


async def load(url: str, seconds: float, seen: Counter[int], texts: int = 30) -> None:
    """Ask without a pause, some queries again and again and some anew."""
    until_then = time.monotonic() + seconds
    count = 0
    while time.monotonic() < until_then:
        count += 1
        received = await ask(
            url, f"SELECT ?x {{ ?s ?p ?x }} LIMIT {count % texts}", Cache_Control=("", "max-age=0")[count % 2]
        )
        assert received.end == "whole"
        seen[received.status] += 1


async def test_redis_killed_and_started_again_under_load_fails_no_request(redis: RedisServer) -> None:
    seen: Counter[int] = Counter()
    async with Upstream(numbered(rows=50)) as upstream, two(upstream, redis) as urls:
        running = asyncio.gather(*(load(url, 4.0, seen) for url in urls for _ in range(4)))
        await asyncio.sleep(0.8)
        redis.kill()
        await asyncio.sleep(1.2)
        await asyncio.to_thread(redis.start)
        await running
        assert set(seen) == {200}
        assert seen[200] > 200
        assert sum([await events(url, "error") for url in urls]) > 0
        # It is used again, as soon as each has noticed.
        texts = (f"SELECT ?x {{ ?s ?p ?x }} LIMIT {number}" for number in itertools.count(1000))
        await until(lambda: _shared(upstream, urls, next(texts)))


async def _stored(redis: RedisServer) -> bool:
    return b":epoch:" in await asyncio.to_thread(redis.command, "KEYS", "*")


async def _shared(upstream: Upstream, urls: tuple[str, str], text: str) -> bool:
    """Whether what one proxy asked for is an answer of both."""
    before = len(upstream.sent)
    await ask(urls[0], text)
    await asyncio.sleep(0.05)
    await ask(urls[1], text)
    return len(upstream.sent) == before + 1


async def test_a_redis_that_answers_nothing_costs_one_wait_and_no_request(redis: RedisServer) -> None:
    async with Upstream(numbered()) as upstream, two(upstream, redis) as (one, other):
        await ask(one)
        redis.freeze()
        try:
            times = []
            for count in range(20):
                began = time.monotonic()
                assert (await ask(other, f"SELECT ?x {{ ?s ?p ?x }} LIMIT {count}")).status == 200
                times.append(time.monotonic() - began)
            assert sum(each > 0.08 for each in times) <= 2
            assert max(times) < 0.6
            assert 1 <= await events(other, "error") <= 2
        finally:
            redis.thaw()


async def test_an_update_while_redis_is_away_is_told_when_it_is_back(redis: RedisServer) -> None:
    async with Upstream(numbered()) as upstream, two(upstream, redis) as (one, other):
        assert [number(await ask(each)) for each in (one, other)] == [1, 1]
        redis.kill()
        await asyncio.sleep(0.7)
        assert (await wire.post(one, UPDATE)).status == 204
        assert number(await ask(one)) == 3
        await asyncio.to_thread(redis.start)

        async def told() -> bool:
            return number(await ask(other)) > 1

        await until(told)


async def test_a_redis_that_lost_its_memory_brings_back_no_old_answer(redis: RedisServer) -> None:
    async with Upstream(numbered()) as upstream, two(upstream, redis) as (one, other):
        assert number(await ask(one)) == 1
        assert (await wire.post(one, UPDATE)).status == 204
        await asyncio.sleep(0.3)
        redis.kill()
        await asyncio.to_thread(redis.start)
        await until(lambda: _stored(redis))
        await asyncio.sleep(0.3)
        for each in (one, other, one):
            assert number(await ask(each)) > 1


async def test_a_proxy_starts_without_redis(redis: RedisServer) -> None:
    redis.kill()
    async with Upstream(numbered()) as upstream, two(upstream, redis) as (one, _):
        assert [number(await ask(one)), number(await ask(one))] == [1, 1]


async def test_garbage_in_redis_is_never_an_answer(redis: RedisServer) -> None:
    async with Upstream(numbered(rows=300, width=40)) as upstream, two(upstream, redis) as (one, other):
        body = (await ask(one)).body
        await asyncio.sleep(0.05)
        names = [word for word in redis.command("KEYS", "*:answer:*").decode().split() if ":answer:" in word]
        assert names
        for name in names:
            redis.command("SETRANGE", name, "600", "garbage")
        again = await ask(other)
        assert number(again) == 2
        assert len(again.body) == len(body)
        assert await events(other, "error") == 1
        assert (await ask(other)).body == again.body


async def test_a_redis_that_is_full_keeps_nothing_and_fails_nothing(redis: RedisServer) -> None:
    redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    redis.command("CONFIG", "SET", "maxmemory", "1")
    async with Upstream(numbered()) as upstream, two(upstream, redis) as (one, other):
        for count in range(5):
            for each in (one, other):
                assert (await ask(each, f"SELECT ?x {{ ?s ?p ?x }} LIMIT {count}")).status == 200
        assert number(await ask(one, "SELECT ?x { ?s ?p ?x } LIMIT 0")) == 1
