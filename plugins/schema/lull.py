"""Checks that nobody waits for: they go on one at a time, when no query comes for a moment, and slowly otherwise."""

from __future__ import annotations

import asyncio
from collections import deque

from plugins.schema.trial import Trial

# More than these are not checked: a worker that is never quiet has better things to do.
MOST_WAITING = 64
# Quiet is when no query came for so long; without any such moment one goes on after the longest wait.
# Units: seconds.
_QUIET_S = 0.02
_LONGEST_WAIT_S = 0.1


class Lull:
    """Hold the checks of answers that have gone out already. Their look-ups would only slow down the next answers."""

    def __init__(self) -> None:
        self._waiting: deque[Trial] = deque()
        self._task: asyncio.Future[None] | None = None
        self._stirred = 0.0

    def stir(self) -> None:
        """Note that a query came."""
        self._stirred = asyncio.get_running_loop().time()

    def add(self, trial: Trial) -> None:
        """Take checks that have begun; where too many wait, these end here."""
        if len(self._waiting) >= MOST_WAITING:
            self._waiting = deque(each for each in self._waiting if not each.ended)
        if len(self._waiting) >= MOST_WAITING:
            trial.cancel()
            return
        self._waiting.append(trial)
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._go())

    async def aclose(self) -> None:
        """End all of them."""
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def _go(self) -> None:
        while self._waiting:
            trial = self._waiting.popleft()
            if not trial.ended:
                await self._quiet()
                trial.hurry()
                await trial.end()

    async def _quiet(self) -> None:
        clock = asyncio.get_running_loop().time
        now = clock()
        until = now + _LONGEST_WAIT_S
        while now < min(self._stirred + _QUIET_S, until):
            await asyncio.sleep(min(self._stirred + _QUIET_S, until) - now)
            now = clock()
