"""Conversations, seconds and money in a Redis that machines share, also one that dies, freezes, is full or lies."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from proxy.errors import ConfigError
from tests import scripted, stage, wire
from tests.asking import EVENTS, bearer, dispatched, key, post
from tests.redis import RedisServer, redis_server
from tests.served import served
from tests.spending import SPENDS

_ANN, _BOB = bearer("ann"), bearer("bob")
_NAMES = ("ann", "bob")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path) as server:
        yield server


def tables(store: Path, redis: RedisServer, **nl: Any) -> dict[str, Any]:
    options = {"redis": redis.url, "redis_s": 5.0, "seconds_per_minute": 0, **nl}
    made = scripted.tables({"store": str(store), "concurrency": 1}, "spends", **options)
    made["nl"]["strategies"] = {**made["nl"]["strategies"], "spends": SPENDS}
    return {**made, "keys": {name: key(name, "nl") for name in _NAMES}}


@asynccontextmanager
async def two(store: Path, redis: RedisServer, **nl: Any) -> AsyncIterator[tuple[str, str]]:
    """Serve two proxies as two machines would be: nothing but Redis is common to them."""
    made = tables(store, redis, **nl)
    async with stage.proxy(made) as one, stage.proxy(made) as other:
        yield f"{one}/nl", f"{other}/nl"


async def ask(url: str, question: str, conversation: str = "", headers: wire.Headers = _ANN) -> wire.Received:
    more = {"conversation": conversation} if conversation else {}
    return await post(url, headers, question=question, **more)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a condition holds."""
    for _ in range(600):
        if await condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never came to be")


def gets(url: str, status: int, conversation: str) -> Callable[[], Awaitable[bool]]:
    """Return a condition: that a question that follows gets this status."""

    async def met() -> bool:
        return (await ask(url, "more", conversation)).status == status

    return met


def before(received: wire.Received) -> list[str]:
    """Return what was asked before, as the strategy saw it."""
    assert received.status == 200, received.body
    return str(received.json["steps"][0]["text"]).split()


async def test_a_conversation_goes_on_at_another_machine(demo_store: Path, redis: RedisServer) -> None:
    async with two(demo_store, redis) as (one, other):
        begun = (await ask(one, "first")).json["conversation"]
        assert before(await ask(other, "second", begun)) == ["first"]
        assert before(await ask(one, "third", begun)) == ["first", "second"]
        events = dispatched((await ask(other, "fourth", begun, {**_ANN, **EVENTS})).body)
        assert events[0][2]["text"] == "first second third"
        statuses = [(await ask(other, "who", begun, headers)).status for headers in (_BOB, wire.NO_HEADERS)]
        assert [*statuses, (await ask(other, "who", "made-up")).status] == [404, 404, 404]
        # Neither the id nor anything that leads to it can be read there.
        assert begun.encode() not in redis.command("KEYS", "*")


async def test_it_ends_by_itself_and_each_turn_makes_it_last(demo_store: Path, redis: RedisServer) -> None:
    async with two(demo_store, redis, conversation_s=600.0) as (one, other):
        begun = (await ask(one, "first")).json["conversation"]
        name = name_of(redis)
        assert 0 < left_ms(redis, name) <= 600_000
        redis.command("PEXPIRE", name, "300000")
        await ask(other, "second", begun)
        assert 300_000 < left_ms(redis, name) <= 600_000
        redis.command("PEXPIRE", name, "1")

        async def over() -> bool:
            return redis.command("EXISTS", name) == b":0\r\n"

        await until(over)
        assert (await ask(one, "third", begun)).status == 404


def left_ms(redis: RedisServer, name: str) -> int:
    return int(redis.command("PTTL", name).decode().strip(":\r\n"))


async def test_questions_at_once_lose_no_turn(demo_store: Path, redis: RedisServer) -> None:
    async with two(demo_store, redis, concurrency=100) as both:
        begun = (await ask(both[0], "first")).json["conversation"]
        for n in range(5):
            words = [f"{n}.{m}" for m in range(4)]
            asked = (ask(both[m % 2], word, begun) for m, word in enumerate(words))
            assert {each.status for each in await asyncio.gather(*asked)} == {200}
            assert sorted(before(await ask(both[n % 2], "all", begun)))[:4] == words


async def test_names_of_others_share_nothing(demo_store: Path, redis: RedisServer) -> None:
    async with stage.proxy(tables(demo_store, redis, namespace="a")) as one:
        begun = (await ask(f"{one}/nl", "first")).json["conversation"]
        async with stage.proxy(tables(demo_store, redis, namespace="b")) as other:
            assert (await ask(f"{other}/nl", "second", begun)).status == 404


async def test_without_redis_a_question_is_answered_and_one_that_follows_is_told_to_come_again(
    demo_store: Path, redis: RedisServer
) -> None:
    async with two(demo_store, redis) as (one, other):
        begun = (await ask(one, "first")).json["conversation"]
        redis.kill()
        for url in (one, other, one):
            assert before(await ask(url, "anew")) == []
            refused = await ask(url, "second", begun)
            assert (refused.status, refused.type) == (503, "application/problem+json")
            assert (refused.json["code"], refused.header("retry-after")) == ("unavailable", "2")
            assert "conversation" in refused.json["detail"]
            events = await ask(url, "second", begun, {**_ANN, **EVENTS})
            assert (events.status, events.type) == (503, "application/problem+json")
        meanwhile = (await ask(one, "meanwhile")).json["conversation"]
        await asyncio.to_thread(redis.start)
        # It lost its memory; what was begun while it was away is told to it, and known to all.
        await until(gets(other, 404, begun))
        assert before(await ask(other, "later", meanwhile)) == ["meanwhile"]
        assert before(await ask(one, "latest", meanwhile)) == ["meanwhile", "later"]


async def test_turns_that_could_not_be_told_are_told_later_and_once(demo_store: Path, redis: RedisServer) -> None:
    async with two(demo_store, redis, redis_s=1.0) as both:
        begun = (await ask(both[0], "first")).json["conversation"]
        # The questions have read their conversation, and Redis is gone when they want to add to it.
        asked = [asyncio.ensure_future(slow(url, begun)) for url in both]
        await until(thinking(2))
        redis.freeze()
        for each in tuple(scripted.Thinks.open):
            each.set()
        assert [(await each).status for each in asked] == [200, 200]
        redis.thaw()

        async def told() -> bool:
            return kept(redis).count('"slow"') == 2

        await until(told)
        # Nothing is owed any more by whoever adds the next one.
        assert [(await ask(url, word, begun)).status for url, word in zip(both, ("x", "y"), strict=True)] == [200, 200]
        assert before(await ask(both[0], "z", begun)) == ["first", "slow", "slow", "x", "y"]


def kept(redis: RedisServer) -> str:
    """Return the one conversation as it stands in Redis."""
    return redis.command("GET", name_of(redis)).decode()


def name_of(redis: RedisServer) -> str:
    """Return the name in Redis of the one conversation."""
    (name,) = [each for each in redis.command("KEYS", "saga:nl:conversations:*").decode().split() if "saga" in each]
    return name


def thinking(count: int) -> Callable[[], Awaitable[bool]]:
    async def met() -> bool:
        return len(scripted.Thinks.open) == count

    return met


async def slow(url: str, conversation: str) -> wire.Received:
    return await post(url, _ANN, question="slow", strategy="thinks", conversation=conversation)


async def test_redis_killed_and_started_again_under_load_fails_no_question(
    demo_store: Path, redis: RedisServer
) -> None:
    seen: Counter[tuple[bool, int]] = Counter()
    enough = asyncio.Event()

    async def load(url: str) -> None:
        conversation = ""
        while not enough.is_set():
            received = await ask(url, "why", conversation)
            seen[bool(conversation), received.status] += 1
            conversation = received.json["conversation"] if received.status == 200 else ""

    async with two(demo_store, redis, redis_s=1.0, concurrency=100) as both:
        running = asyncio.gather(*(load(url) for url in both for _ in range(2)))
        for change in (redis.kill, redis.start, redis.kill, redis.start, enough.set):
            wanted = seen[False, 200] + 20

            async def served(wanted: int = wanted) -> bool:
                return seen[False, 200] >= wanted or seen[True, 200] >= wanted + 200

            await until(served)
            await asyncio.to_thread(change)
        await running
    # One that follows may be told that nobody knows now, or that Redis has forgotten it.
    assert set(seen) <= {(False, 200), (True, 200), (True, 503), (True, 404)}
    assert seen[False, 200]
    assert seen[True, 503]


async def test_the_money_of_a_key_is_that_of_all_machines_and_survives_a_redis_that_forgets(
    demo_store: Path, redis: RedisServer
) -> None:
    async with two(demo_store, redis, keys={"ann": {"money_per_day": 1.9}}) as (one, other):
        assert [(await ask(url, "why")).status for url in (one, other, one, other)] == [200] * 4
        for url in (one, other):
            refused = await ask(url, "why")
            assert (refused.status, refused.json["code"]) == (429, "too_many")
            assert (await ask(url, "why", headers=_BOB)).status == 200
        redis.kill()
        # Each machine knows what it paid for itself, and goes on from there.
        assert [(await ask(one, "why")).status for _ in range(4)] == [200, 200, 429, 429]
        await asyncio.to_thread(redis.start)
        # What one machine paid meanwhile is told to the others; and what they knew, they still know.
        await until(refuses(other))
        assert (await ask(one, "why")).status == 429


def refuses(url: str) -> Callable[[], Awaitable[bool]]:
    async def met() -> bool:
        return (await ask(url, "why")).status == 429

    return met


async def test_seconds_are_those_of_all_machines(demo_store: Path, redis: RedisServer) -> None:
    async with two(demo_store, redis, seconds_per_minute=0.2) as (one, other):
        assert (await post(one, _ANN, question="why", strategy="thinks", seconds=1)).status == 200
        refused = await ask(other, "why")
        assert (refused.status, refused.json["code"]) == (429, "too_many")
        assert (await ask(other, "why", headers=_BOB)).status == 200


async def test_a_redis_that_is_full_or_holds_garbage_costs_no_question(demo_store: Path, redis: RedisServer) -> None:
    async with two(demo_store, redis, keys={"ann": {"money_per_day": 1.4}}) as (one, other):
        redis.command("LPUSH", "saga:nl:money:key ann", "garbage")
        assert [(await ask(url, "why")).status for url in (one, other, one, one, other)] == [200] * 5
        assert [(await ask(url, "why")).status for url in (one, other, other)] == [429, 200, 429]
        begun = (await ask(one, "first", headers=_BOB)).json["conversation"]
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        redis.command("CONFIG", "SET", "maxmemory", "1")
        for url in (one, other):
            assert before(await ask(url, "anew", headers=_BOB)) == []
            assert (await ask(url, "second", begun, _BOB)).status in (200, 503)
        redis.command("CONFIG", "SET", "maxmemory", "0")

        async def told() -> bool:
            received = await ask(other, "third", begun, _BOB)
            return received.status == 200 and before(received).count("second") >= 1

        await until(told)


@pytest.mark.parametrize("garbage", ["", "garbage", "[]", '[["a","b","c","d"]]', "\x00"])
async def test_a_conversation_that_holds_garbage_is_none(demo_store: Path, redis: RedisServer, garbage: str) -> None:
    async with stage.proxy(tables(demo_store, redis)) as base:
        begun = (await ask(f"{base}/nl", "first")).json["conversation"]
        name = name_of(redis)
        redis.command("SET", name, garbage)
        assert (await ask(f"{base}/nl", "second", begun)).status == 404


async def test_a_redis_that_answers_nothing_costs_one_wait_and_is_said_once(
    demo_store: Path, redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "saga")

    def said() -> list[str]:
        return [each.message for each in caplog.records if each.message.startswith("redis.")]

    async with stage.proxy(tables(demo_store, redis, redis_s=1.0)) as base:
        redis.freeze()
        try:
            for _ in range(10):
                assert (await ask(f"{base}/nl", "why")).status == 200
        finally:
            redis.thaw()

        async def back() -> bool:
            return said()[-1] == "redis.back"

        await until(back)
    assert said() == ["redis.lost", "redis.back"]


async def test_a_proxy_starts_without_redis_and_finds_it(demo_store: Path, redis: RedisServer) -> None:
    redis.kill()
    async with two(demo_store, redis) as (one, other):
        begun = (await ask(one, "first")).json["conversation"]
        assert (await ask(one, "second", begun)).status == 503
        await asyncio.to_thread(redis.start)
        await until(gets(other, 200, begun))


async def test_workers_on_their_own_loop_outlive_redis(demo_store: Path, redis: RedisServer, tmp_path: Path) -> None:
    config = f"""
[endpoints.demo]
store = "{demo_store}"
graph = "wikidata"
[plugins]
enabled = ["plugins.search", "plugins.nl"]
[nl]
strategy = "spends"
redis = "{redis.url}"
redis_s = 5.0
[nl.strategies]
spends = "{SPENDS}"
"""
    async with served(tmp_path, config, "--workers", "2") as proxy:
        url = f"{proxy.base}/nl"
        for _ in range(2):
            begun = (await ask(url, "first", headers={})).json["conversation"]
            for n in range(8):
                assert len(before(await ask(url, f"{n}", begun, {}))) == min(5, n + 1)
            redis.kill()
            for _ in range(8):
                assert (await ask(url, "anew", headers={})).status == 200
                assert (await ask(url, "more", begun, {})).status == 503
            await asyncio.to_thread(redis.start)

            async def back() -> bool:
                received = await ask(url, "anew", headers={})
                more = [await ask(url, "more", received.json["conversation"], {}) for _ in range(4)]
                return {each.status for each in more} == {200}

            await until(back)
        assert not proxy.log("worker.died")
        assert proxy.log("redis.lost")


async def test_redis_that_cannot_be_used_is_a_mistake_of_the_configuration(demo_store: Path) -> None:
    nl = {"redis": "127.0.0.1:6379", "redis_s": 0.0, "redis_password_env": "SAGA_NO_SUCH"}
    made = scripted.tables({"store": str(demo_store)}, "silent", **nl)
    with pytest.raises(ConfigError, match=r"nl\.redis: must start with redis://") as caught:
        async with stage.proxy(made):
            pass
    assert "nl.redis_s: must be above 0" in caught.value.mistakes
    assert any("SAGA_NO_SUCH" in each for each in caught.value.mistakes)
