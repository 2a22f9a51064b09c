"""The line to Redis: what it takes, and that Redis may die, freeze or refuse without an error for anybody."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from proxy.redis_link import RedisLink
from proxy.redis_options import RedisOptions
from tests.redis import RedisServer, redis_server


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path) as server:
        yield server


class Failures:
    count = 0

    def __call__(self) -> None:
        self.count += 1


def linked(redis: RedisServer, failed: Callable[[], None] = Failures(), limit_s: float = 5.0) -> RedisLink:  # noqa: B008  # nobody looks at it
    return RedisLink(RedisOptions(redis=redis.url, redis_s=limit_s), failed)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    for _ in range(600):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never came to be")


async def test_commands_scripts_and_pipelines_are_asked_and_answers_are_bytes(redis: RedisServer) -> None:
    async with linked(redis).lifespan() as link:
        assert await link.ask(lambda: link.redis.set("a", b"\x00\xff")) is True
        assert await link.ask(lambda: link.redis.mget(["a", "b"])) == [b"\x00\xff", None]
        script = link.redis.register_script("return {KEYS[1], redis.call('INCRBY', KEYS[1], ARGV[1])}")
        assert await link.ask(lambda: script(keys=["n"], args=[2])) == [b"n", 2]
        pipeline = link.redis.pipeline(transaction=True)
        pipeline.incr("n")
        pipeline.pttl("n")
        assert await link.ask(pipeline.execute) == [3, -1]


async def test_what_redis_refuses_is_none_and_the_rest_goes_on(redis: RedisServer) -> None:
    failures = Failures()
    async with linked(redis, failures).lifespan() as link:
        redis.command("LPUSH", "list", "x")
        assert await link.ask(lambda: link.redis.get("list")) is None
        assert (link.there, link.settled, failures.count) == (True, True, 1)
        assert await link.ask(lambda: link.redis.mget(["a"])) == [None]


async def test_away_it_answers_at_once_and_it_is_found_again(redis: RedisServer) -> None:
    failures, looks = Failures(), Failures()
    asked = 0

    async def look() -> None:
        looks()

    async def one() -> bytes:
        nonlocal asked
        asked += 1
        return b"1"

    link = linked(redis, failures)
    async with link.lifespan(look, 0.01):
        await until(lambda: looks.count > 2)
        redis.kill()
        assert await link.ask(lambda: link.redis.mget(["a"])) is None
        assert (link.there, link.settled, failures.count) == (False, False, 1)
        # A script's or another's operation is not even begun.
        assert await link.ask(one) is None
        assert (asked, failures.count) == (0, 1)
        seen = looks.count
        await asyncio.to_thread(redis.start)
        await until(lambda: link.there)
        await until(lambda: looks.count > seen)
        assert await link.ask(one) == b"1"


async def test_it_is_settled_again_once_everybody_had_time_to_see_it(redis: RedisServer) -> None:
    link = linked(redis, limit_s=1.0)
    async with link.lifespan():
        redis.kill()
        await link.ask(lambda: link.redis.mget(["a"]))
        await asyncio.to_thread(redis.start)
        await until(lambda: link.there)
        await until(lambda: link.settled)


async def test_one_that_is_silent_costs_its_time_once(redis: RedisServer) -> None:
    failures = Failures()
    link = linked(redis, failures, 0.5)
    async with link.lifespan():
        redis.freeze()
        try:
            found = await asyncio.gather(*(link.ask(lambda: link.redis.mget(["a"])) for _ in range(50)))
            assert found == [None] * 50
            assert failures.count == 1
        finally:
            redis.thaw()
        await until(lambda: link.there)
        assert await link.ask(lambda: link.redis.mget(["a"])) == [None]


@pytest.mark.parametrize("state", ["frozen", "dead", "there"])
async def test_a_cancellation_reaches_whoever_cancelled(redis: RedisServer, state: str) -> None:
    async with linked(redis, limit_s=600.0).lifespan() as link:
        if state == "frozen":
            redis.freeze()
        elif state == "dead":
            redis.kill()
        begun = asyncio.Event()

        async def asks(operation: Callable[[], Awaitable[object]]) -> None:
            begun.set()
            await link.ask(operation)
            await asyncio.Event().wait()

        async def waits() -> None:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                # As a library does that takes it for the end of its connection.
                raise ConnectionError from None

        for operation in (lambda: link.redis.blpop(["nothing"]), waits):
            begun.clear()
            task = asyncio.ensure_future(asks(operation))
            await begun.wait()
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(task, 20)
        with contextlib.suppress(ProcessLookupError, AssertionError):
            redis.thaw()


async def test_its_connections_end_with_it(redis: RedisServer) -> None:
    async with linked(redis).lifespan() as link:
        await asyncio.gather(*(link.ask(lambda: link.redis.mget(["a"])) for _ in range(30)))
        # No more than it may have, beside the one that asks.
        assert 2 <= redis.command("CLIENT", "LIST").count(b"name=") <= 17
    for _ in range(600):
        if redis.command("CLIENT", "LIST").count(b"name=") == 1:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("a connection is left")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"redis": "localhost:6379"}, "must start with redis://, rediss:// or unix://"),
        ({"redis": "redis://h", "redis_s": 0.0}, "x.redis_s: must be above 0"),
        ({"redis": "redis://h", "redis_password_env": "SAGA_NO_SUCH"}, "'SAGA_NO_SUCH' is not set"),
        ({"redis_s": 0.0, "redis_password_env": "SAGA_NO_SUCH"}, ""),
        ({"redis": "unix:///run/redis.sock"}, ""),
    ],
    ids=str,
)
def test_what_cannot_work_is_said_before_it_starts(options: dict[str, object], words: str) -> None:
    mistakes = list(RedisOptions(**options).redis_mistakes("x"))  # type: ignore[arg-type]  # any of its keys
    assert len(mistakes) == bool(words)
    assert words in "".join(mistakes)
