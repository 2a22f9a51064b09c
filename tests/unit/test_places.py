from __future__ import annotations

import asyncio

import pytest

from proxy.endpoints.places import Places
from proxy.errors import UpstreamBusy


async def test_so_many_run_and_the_next_one_waits() -> None:
    places = Places(1, 1, 5.0)
    assert await places.take() == 0.0
    waiting = asyncio.ensure_future(places.take())
    await asyncio.sleep(0.02)
    assert not waiting.done()
    places.give_back()
    assert await waiting > 0.01
    places.give_back()


async def test_a_full_queue_refuses_at_once_and_says_when_to_come_back() -> None:
    places = Places(1, 0, 3.0)
    await places.take()
    with pytest.raises(UpstreamBusy) as caught:
        await places.take()
    assert caught.value.headers["Retry-After"] == "3"


async def test_nobody_waits_for_ever_and_a_leaver_frees_its_turn() -> None:
    places = Places(1, 5, 0.05)
    await places.take()
    with pytest.raises(UpstreamBusy):
        await places.take()
    leaver = asyncio.ensure_future(places.take())
    await asyncio.sleep(0.01)
    leaver.cancel()
    await asyncio.gather(leaver, return_exceptions=True)
    places.give_back()
    assert await places.take() == 0.0
