from __future__ import annotations

import asyncio
import random

import pytest

from plugins.limits.line import Line
from proxy.errors import UpstreamBusy


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def _wait(line: Line, client: str, served: list[str]) -> asyncio.Future[None]:
    async def turn() -> None:
        await line.take(client)
        served.append(client)

    return asyncio.ensure_future(turn())


async def test_fairness_one_query_does_not_stand_behind_a_hundred() -> None:
    line, served = Line(1, 200, 5.0), list[str]()
    await line.take("first")
    waiting = [_wait(line, "flood", served) for _ in range(100)]
    await _settle()
    waiting += [_wait(line, client, served) for client in ("b", "c", "b")]
    await _settle()
    for _ in range(103):
        line.give_back()
        await _settle()
    assert served[:6] == ["flood", "b", "c", "flood", "b", "flood"]
    assert len(served) == 103
    await asyncio.gather(*waiting)


async def test_a_full_line_makes_room_for_who_has_fewer_and_refuses_who_has_most() -> None:
    line, served = Line(1, 4, 3.0), list[str]()
    await line.take("first")
    flood = [_wait(line, "flood", served) for _ in range(4)]
    await _settle()
    with pytest.raises(UpstreamBusy) as caught:
        await line.take("flood")
    assert caught.value.headers["Retry-After"] == "3"
    small = _wait(line, "small", served)
    await _settle()
    assert line.waiting == 4
    with pytest.raises(UpstreamBusy, match="others have fewer"):
        # The newest of the flood left; the others kept their order.
        await flood[3]
    second = _wait(line, "small", served)
    await _settle()
    # Two and two: nobody has more than who comes would have.
    with pytest.raises(UpstreamBusy, match="4 queries wait"):
        await line.take("small")
    for _ in range(4):
        line.give_back()
        await _settle()
    assert served == ["flood", "small", "flood", "small"]
    ended = await asyncio.gather(small, second, *flood, return_exceptions=True)
    assert [type(each) for each in ended] == [type(None)] * 4 + [UpstreamBusy] * 2


async def test_nobody_waits_for_ever() -> None:
    line = Line(1, 4, 0.05)
    await line.take("a")
    with pytest.raises(UpstreamBusy, match=r"within 0\.05 s"):
        await line.take("b")
    assert line.waiting == 0
    line.give_back()
    await line.take("b")


async def test_a_departure_while_queued_frees_its_turn_at_once() -> None:
    line, served = Line(1, 1, 5.0), list[str]()
    await line.take("a")
    leaver = _wait(line, "b", served)
    await _settle()
    leaver.cancel()
    await _settle()
    assert line.waiting == 0
    other = _wait(line, "c", served)
    await _settle()
    line.give_back()
    await other
    assert served == ["c"]


async def test_a_turn_given_in_the_moment_of_departure_goes_to_the_next() -> None:
    line, served = Line(1, 5, 5.0), list[str]()
    await line.take("a")
    leaver, other = _wait(line, "b", served), _wait(line, "c", served)
    await _settle()
    line.give_back()
    leaver.cancel()
    await other
    assert served == ["c"]
    with pytest.raises(asyncio.CancelledError):
        await leaver


async def test_whatever_happens_no_turn_is_lost_and_none_is_given_twice() -> None:
    chance = random.Random(7)
    line, held = Line(3, 20, 0.02), 0

    async def visit(client: str) -> None:
        nonlocal held
        await line.take(client)
        held += 1
        assert held <= 3
        try:
            await asyncio.sleep(chance.random() * 0.004)
        finally:
            held -= 1
            line.give_back()

    visits = []
    for n in range(1500):
        visits.append(asyncio.ensure_future(visit(f"client {n % 7}")))
        if chance.random() < 0.3:
            chance.choice(visits[-20:]).cancel()
        if chance.random() < 0.5:
            await asyncio.sleep(chance.random() * 0.002)
    ended = await asyncio.gather(*visits, return_exceptions=True)
    assert {type(each) for each in ended} <= {type(None), UpstreamBusy, asyncio.CancelledError}
    assert (line.waiting, held) == (0, 0)
    for _ in range(3):
        await line.take("last")
    with pytest.raises(UpstreamBusy):
        await line.take("last")
