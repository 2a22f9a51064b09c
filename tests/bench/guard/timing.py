"""What a check costs when types and closures are there already, and whether it ever keeps the event loop waiting."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import math
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.bench.guard.gold import gold, sampled, unique
from tests.bench.guard.place import Place, each
from tests.bench.guard.table import Row, plain, under

TIMED = 2_000
_TIMES = 3
# A stall that a client would notice among others.
_STALL_MS = 20.0


async def timing(place: Place, most: int | None) -> list[Row]:
    """Judge each query once, and then three times with all that it needs at hand; the best of these counts."""
    queries = sampled(unique(gold(place.graph)), most or TIMED)
    milliseconds: list[float] = []
    stretches: list[float] = []

    async def timed(text: str) -> None:
        await place.judged(text)
        best = math.inf
        for _ in range(_TIMES):
            # A turn of the loop between two checks, as between two requests.
            await asyncio.sleep(0)
            started = time.perf_counter()
            await place.judged(text)
            best = min(best, 1000 * (time.perf_counter() - started))
        milliseconds.append(best)

    gc.collect()
    # What the bench itself holds is nothing that a proxy would have to go through.
    gc.freeze()
    async with _ticking(stretches):
        await each("checks, warm", [query.text for query in queries], timed, at_once=1)
    gc.unfreeze()
    milliseconds.sort()
    stretches.sort()
    return [
        plain("checks with all look-ups at hand", f"{len(milliseconds):,}"),
        under("median", statistics.median(milliseconds), 0.2, "ms"),
        under("99th percentile", milliseconds[len(milliseconds) * 99 // 100], 2.0, "ms"),
        plain("longest", f"{milliseconds[-1]:.2f} ms"),
        plain("between two turns of the loop, 99th percentile", f"{stretches[len(stretches) * 99 // 100]:.2f} ms"),
        under("longest time between two turns, cold checks too", stretches[-1], _STALL_MS, "ms"),
    ]


@asynccontextmanager
async def _ticking(stretches: list[float]) -> AsyncIterator[None]:
    """Note how much processor time this process takes between two turns of the loop. Other processes do not count."""

    async def tick() -> None:
        before = time.process_time()
        while True:
            await asyncio.sleep(0)
            now = time.process_time()
            stretches.append(1000 * (now - before))
            before = now

    ticker = asyncio.ensure_future(tick())
    try:
        yield
    finally:
        ticker.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ticker
