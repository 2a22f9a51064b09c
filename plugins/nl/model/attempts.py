"""The attempts at one call: a few, with pauses, within the time of the question, and a few calls at a time."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from plugins.nl.model import failures
from plugins.nl.model.failures import Failure
from plugins.nl.model.options import LlmOptions

T = TypeVar("T")

_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0


class Attempts:
    """Send calls. A pause that the server asks for holds for all of them, so that no storm breaks loose behind it."""

    def __init__(self, options: LlmOptions, clock: Callable[[], float]) -> None:
        self._options = options
        self._clock = clock
        self._places = asyncio.Semaphore(options.concurrency)
        self._busy: Failure | None = None
        self._busy_until = 0.0

    async def sent(self, attempt: Callable[[], Awaitable[T]], left_s: Callable[[], float]) -> T:
        """Return what an attempt brings. Raises ModelUnavailable."""
        for n in itertools.count(1):
            await self._pause(left_s)
            try:
                async with self._places, asyncio.timeout(self._options.timeout_s):
                    return await attempt()
            except TimeoutError:
                raise failures.late(self._options).error from None
            except Failure as failure:
                if n >= self._options.attempts or not failure.again:
                    raise failure.error from failure
                await self._back_off(failure, n, left_s)
        raise AssertionError("unreachable")

    async def _pause(self, left_s: Callable[[], float]) -> None:
        wait_s = self._busy_until - self._clock()
        if self._busy is None or wait_s <= 0:
            return
        if wait_s >= left_s():
            raise self._busy.error from self._busy
        # Not all at once.
        await asyncio.sleep(wait_s + random.uniform(0, min(_PAUSE_S, wait_s)))

    async def _back_off(self, failure: Failure, n: int, left_s: Callable[[], float]) -> None:
        if failure.wait_s is not None:
            self._busy, self._busy_until = failure, max(self._busy_until, self._clock() + failure.wait_s)
            return
        pause_s = min(_LONGEST_PAUSE_S, _PAUSE_S * 2 ** (n - 1)) * random.uniform(0.5, 1.5)
        if pause_s >= left_s():
            raise failure.error from failure
        await asyncio.sleep(pause_s)
