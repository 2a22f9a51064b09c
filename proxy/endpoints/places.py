"""A bounded number of places, with a bounded queue in front."""

from __future__ import annotations

import asyncio
import math
import time

from proxy.errors import UpstreamBusy


class Places:
    """Let so many queries run at once, so many wait, and each for so long.

    Units: ``queue_s`` in seconds.
    """

    def __init__(self, places: int, queue: int, queue_s: float) -> None:
        self._semaphore = asyncio.Semaphore(places)
        self._queue = queue
        self._queue_s = queue_s
        self._waiting = 0

    async def take(self) -> float:
        """Wait for a place and return the seconds waited. Raises UpstreamBusy where the queue is full or too slow."""
        if not self._semaphore.locked():
            await self._semaphore.acquire()
            return 0.0
        if self._waiting >= self._queue:
            raise self._busy(f"{self._waiting} queries wait for this endpoint already.")
        started = time.perf_counter()
        self._waiting += 1
        try:
            async with asyncio.timeout(self._queue_s):
                await self._semaphore.acquire()
        except TimeoutError:
            raise self._busy(f"No place became free within {self._queue_s:g} s.") from None
        finally:
            self._waiting -= 1
        return time.perf_counter() - started

    def give_back(self) -> None:
        """Free the place that `take` took."""
        self._semaphore.release()

    def _busy(self, detail: str) -> UpstreamBusy:
        wait_s = max(1, math.ceil(self._queue_s))
        return UpstreamBusy(f"{detail} Try again in {wait_s} s.", headers={"Retry-After": str(wait_s)})
