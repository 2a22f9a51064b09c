"""Turns at a source that is somewhere else: how many, how long, and how it is left alone after a failure."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from plugins.search.patience import Patience
from proxy.errors import Blocked, ProxyError, TooMany, UpstreamBusy, UpstreamFailed, UpstreamTimeout


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


async def failed(patience: Patience, error: BaseException) -> None:
    with pytest.raises(type(error)):
        async with patience.turn():
            raise error


async def rests(patience: Patience) -> bool:
    """Take a turn that succeeds, if there is one."""
    try:
        async with patience.turn():
            return False
    except UpstreamBusy:
        return True


async def test_each_failure_in_a_row_doubles_the_rest_up_to_a_minute_and_a_success_ends_that() -> None:
    clock = Clock()
    patience = Patience("It", 5.0, 1, clock)
    for seconds in (5, 10, 20, 40, 60, 60):
        await failed(patience, UpstreamFailed("gone"))
        clock.now += seconds - 0.1
        assert await rests(patience)
        clock.now += 0.2
    assert not await rests(patience)
    await failed(patience, UpstreamFailed("gone again"))
    clock.now += 5.1
    assert not await rests(patience)


@pytest.mark.parametrize(("wanted", "seconds"), [("7", 7), ("99999", 300), ("soon", 5), ("", 5), ("²", 5)])
@pytest.mark.parametrize("kind", [UpstreamBusy, TooMany])
async def test_it_rests_for_as_long_as_it_is_asked_to(kind: type[ProxyError], wanted: str, seconds: int) -> None:
    clock = Clock()
    patience = Patience("It", 5.0, 1, clock)
    await failed(patience, kind("wait", headers={"Retry-After": wanted}))
    clock.now = seconds - 0.1
    assert await rests(patience)
    clock.now = seconds + 0.1
    assert not await rests(patience)


@pytest.mark.parametrize("error", [Blocked("no"), KeyError("a fault of our own"), asyncio.CancelledError()])
async def test_what_says_nothing_about_the_source_is_no_reason_to_rest(error: BaseException) -> None:
    patience = Patience("It", 5.0, 1, Clock())
    await failed(patience, error)
    assert not await rests(patience)


async def test_a_turn_that_takes_too_long_ends_and_those_that_wait_do_not_wait_as_long_again() -> None:
    patience = Patience("It", 0.05, 1, Clock())
    asked = 0

    async def ask() -> None:
        nonlocal asked
        async with patience.turn():
            asked += 1
            await asyncio.Event().wait()

    results = await asyncio.gather(*(ask() for _ in range(20)), return_exceptions=True)
    assert {type(each) for each in results} <= {UpstreamTimeout, UpstreamBusy}
    assert asked == 1
    assert await rests(patience)


async def test_failures_of_one_time_count_once() -> None:
    clock = Clock()
    patience = Patience("It", 5.0, 20, clock)
    ready = asyncio.Barrier(20)

    async def ask() -> None:
        async with patience.turn():
            await ready.wait()
            raise UpstreamFailed("gone")

    await asyncio.gather(*(ask() for _ in range(20)), return_exceptions=True)
    clock.now = 5.1
    assert not await rests(patience)
