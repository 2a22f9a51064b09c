"""A crowd comes in at once where the rounds of the loop are short, one by one where they are long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from proxy.turnstile import Turnstile

_QUICK_S, _SLOW_S = 0.001, 0.1


class Loop:
    """Let the real loop go round, each round taking so long."""

    def __init__(self, round_s: float) -> None:
        self.round_s = round_s
        self.looks = 0
        self._now = 0.0

    def clock(self) -> float:
        """Return the moment."""
        self.looks += 1
        return self._now

    async def go(self, rounds: int) -> None:
        """Go round so often."""
        for _ in range(rounds):
            self._now += self.round_s
            await asyncio.sleep(0)


def crowd(turnstile: Turnstile, size: int) -> tuple[list[asyncio.Task[None]], Callable[[], list[int]]]:
    """Let so many come at once; return them, and what tells which of them are in."""
    inside: list[int] = []

    async def one(number: int) -> None:
        await turnstile.enter()
        inside.append(number)

    tasks = [asyncio.get_running_loop().create_task(one(number)) for number in range(size)]
    return tasks, inside.copy


async def test_a_few_never_wait() -> None:
    loop = Loop(_SLOW_S)
    turnstile = Turnstile(loop.clock)
    for _ in range(5):
        tasks, inside = crowd(turnstile, 8)
        await loop.go(1)
        assert inside() == list(range(8))
        assert all(task.done() for task in tasks)
        await loop.go(4)


async def test_in_a_quick_loop_a_crowd_is_soon_in_and_in_order() -> None:
    loop = Loop(_QUICK_S)
    _, inside = crowd(Turnstile(loop.clock), 1000)
    await loop.go(1)
    assert len(inside()) == 32
    await loop.go(40)
    assert inside() == list(range(1000))


async def test_in_a_busy_loop_they_come_in_one_by_one() -> None:
    loop = Loop(_SLOW_S)
    _, inside = crowd(Turnstile(loop.clock), 100)
    await loop.go(1)
    begun = len(inside())
    await loop.go(30)
    assert 25 <= len(inside()) - begun <= 32
    await loop.go(100)
    assert inside() == list(range(100))


async def test_when_the_loop_is_quick_again_all_come_in() -> None:
    loop = Loop(_SLOW_S)
    _, inside = crowd(Turnstile(loop.clock), 500)
    await loop.go(10)
    assert len(inside()) < 50
    loop.round_s = _QUICK_S
    await loop.go(25)
    assert len(inside()) == 500


async def test_who_leaves_takes_nobodys_place() -> None:
    loop = Loop(_SLOW_S)
    tasks, inside = crowd(Turnstile(loop.clock), 100)
    await loop.go(2)
    left = set(range(40, 95))
    for number in left:
        tasks[number].cancel()
    await loop.go(20)
    assert inside() == [number for number in range(100) if number not in left]


async def test_who_leaves_with_a_place_in_hand_stops_nobody() -> None:
    loop = Loop(_SLOW_S)
    tasks, inside = crowd(Turnstile(loop.clock), 50)
    while len(inside()) < 35:
        await loop.go(1)
    # Its place was given in this round, and it has not gone on yet.
    waiting = [number for number, task in enumerate(tasks) if not task.done()]
    tasks[waiting[0]].cancel()
    tasks[waiting[1]].cancel()
    await loop.go(60)
    assert inside() == [number for number in range(50) if number not in waiting[:2]]


async def test_nothing_turns_where_nobody_comes() -> None:
    loop = Loop(_QUICK_S)
    tasks, _ = crowd(Turnstile(loop.clock), 100)
    await asyncio.gather(*tasks)
    await loop.go(5)
    before = loop.looks
    await loop.go(100)
    assert loop.looks == before
