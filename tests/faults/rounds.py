"""Rounds of a fault: many clients, so many at once, and what this process holds before and after."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import time
from collections import Counter
from dataclasses import dataclass, replace

from tests import fronts
from tests.bench.departures.traces import Traces, kept_connections, traces
from tests.faults.fault import Fault, Peer, Sight

# After so many rounds the peer forgets what it noted, which would else look like memory of the proxy's.
_NOTED = 200
# What closes needs a moment, on a busy machine a longer one.
_REST_S = 60.0


@dataclass(frozen=True, slots=True)
class Held:
    """What was held at rest before and after the rounds, and the seconds that they took.

    Shapes: ``seen`` counts what the clients saw.
    """

    before: Traces
    after: Traces
    seen: Counter[Sight | None]
    seconds: float

    @property
    def same(self) -> bool:
        """Whether as many descriptors, tasks and children are there as before."""
        return _counts(self.before) == _counts(self.after)

    @property
    def grew_mib(self) -> float:
        """How much memory this process has taken."""
        return self.after.resident - self.before.resident


async def run(fault: Fault, rounds: int, at_once: int, warm: int) -> Held:
    """Let so many clients come, after some who warm up what a process holds once."""
    seen: Counter[Sight | None] = Counter()
    async with fault.scene() as (url, peer):
        await _come(fault, (url, peer), range(warm), at_once, Counter())
        before = await _rest(url, peer, None)
        started = time.monotonic()
        await _come(fault, (url, peer), range(warm, warm + rounds), at_once, seen)
        seconds = time.monotonic() - started
        return Held(before, await _rest(url, peer, before), seen, seconds)


async def _come(
    fault: Fault, scene: tuple[str, Peer], numbers: range, at_once: int, seen: Counter[Sight | None]
) -> None:
    url, peer = scene
    left = iter(numbers)

    async def client() -> None:
        for number in left:
            seen[await fault.visit(url, number)] += 1
            if number % _NOTED == 0:
                peer.forget()

    async with asyncio.TaskGroup() as group:
        for _ in range(min(at_once, len(numbers))):
            group.create_task(client())


async def _rest(url: str, peer: Peer, before: Traces | None) -> Traces:
    """Wait until no query runs, and the same is held twice, which is as little as before; return it.

    Raises AssertionError where queries still run in the end.
    """
    last, until = None, time.monotonic() + _REST_S
    while True:
        inflight = await _inflight(url)
        peer.forget()
        await asyncio.sleep(0.3)
        gc.collect()
        _give_back()
        now = traces(kept_connections(peer.url) if peer.url else 0)
        now = replace(now, descriptors=now.descriptors - peer.descriptors())
        # Memory is given back a moment after what it was for has gone.
        if not inflight and _counts(now) == last and (before is None or last == _counts(before)):
            return now
        if time.monotonic() > until:
            assert not inflight, f"{inflight:g} queries still run"
            return now
        last = _counts(now)


async def _inflight(url: str) -> float:
    try:
        return await fronts.counted(url, "saga_inflight_queries")
    except TimeoutError:
        # Busy with the ends of so many.
        return 1.0


def _give_back() -> None:
    """Let the C library return what is free: memory that it keeps for later is not lost."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _counts(held: Traces) -> tuple[int, int, int]:
    return held.descriptors, held.tasks, held.children
