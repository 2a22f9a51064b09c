"""Patience with a source that is somewhere else: few ask at once, nobody for long, none while it rests."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from proxy.errors import TooMany, UpstreamBusy, UpstreamError, UpstreamTimeout

# After a failure a source is left alone, for twice as long after each further one: else every question would wait for
# a server that is gone.
_REST_S, _LONGEST_REST_S = 5.0, 60.0
# A source may ask for a longer rest.
_LONGEST_ASKED_S = 300.0
_MOST_DOUBLINGS = 8


class Patience:
    """Let a source be asked by turns. ``source`` begins the sentences that say why it was not, or in vain."""

    def __init__(self, source: str, seconds: float, concurrency: int, clock: Callable[[], float]) -> None:
        self._source = source
        self._seconds = seconds
        self._places = asyncio.Semaphore(max(1, concurrency))
        self._clock = clock
        self._rests_until = -math.inf
        self._failures = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold a turn; waiting for it counts. Raises UpstreamTimeout, and UpstreamBusy while the source rests."""
        self._rested()
        try:
            async with asyncio.timeout(self._seconds), self._places:
                # What the turn before has shown, this one need not pay for.
                self._rested()
                yield
        except TimeoutError:
            self._rest("")
            raise UpstreamTimeout(f"{self._source} did not answer within {self._seconds:g} s.") from None
        except (UpstreamError, TooMany) as error:
            self._rest(error.headers.get("Retry-After", ""))
            raise
        self._failures = 0

    def _rested(self) -> None:
        if self._clock() < self._rests_until:
            raise UpstreamBusy(f"{self._source} failed a moment ago and is left alone for a while.")

    def _rest(self, wanted: str) -> None:
        """Rest for the wanted seconds; for longer each time where that is no number. Turns of one time count once."""
        now = self._clock()
        if now < self._rests_until:
            return
        if wanted.isascii() and wanted.isdigit():
            seconds = min(float(wanted), _LONGEST_ASKED_S)
        else:
            seconds = min(_REST_S * 2 ** min(self._failures, _MOST_DOUBLINGS), _LONGEST_REST_S)
        self._failures += 1
        self._rests_until = now + seconds
