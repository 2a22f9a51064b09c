"""Where queries begin: few in each round of a loop that is busy, so that what was begun ends before more is begun.

In each round, a loop gives every task that can go on one step. A crowd that is more than the processor can serve would
all be served at once: each query then holds all that it needs for as long as the whole crowd takes, and whatever else
comes, such as an operator who ends one of them, waits for many rounds as long as the crowd.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from proxy.contract import Query, Reply, Run

# A loop that does more than this in a round is busy.
# Units: seconds.
_LONG_S = 0.025
# How many begin in a round: a crowd comes in at once as long as the rounds stay short.
_MANY, _FEW = 32, 1

_Place = asyncio.Future[None]


class Turnstile:
    """Let clients' queries begin in the order in which they come. What they wait counts as overhead: it is our work.

    Units: ``clock`` is monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._waiting: deque[_Place] = deque()
        self._quota = self._left = _MANY
        self._round: float | None = None

    def before(self, run: Run) -> Run:
        """Return a run that begins when its turn has come."""

        async def begin(query: Query) -> Reply:
            # What a question or a guard asks is part of something that has begun.
            if query.source == "client":
                await self.enter()
            return await run(query)

        return begin

    async def enter(self) -> None:
        """Return when one more may begin."""
        loop = asyncio.get_running_loop()
        if self._round is None:
            self._round = self._clock()
            loop.call_soon(self._turn)
        if self._left:
            # Whoever waits is let in before anybody new in each round, so here nobody does.
            self._left -= 1
            return
        place: _Place = loop.create_future()
        self._waiting.append(place)
        await place

    def _turn(self) -> None:
        """Begin a round of the loop, until one in which nobody came."""
        began, self._round = self._round, self._clock()
        if self._left == self._quota and not self._waiting:
            self._quota = self._left = _MANY
            self._round = None
            return
        assert began is not None
        self._quota = self._left = _FEW if self._round - began > _LONG_S else _MANY
        while self._left and self._waiting:
            place = self._waiting.popleft()
            # Whoever left in the meantime takes nobody's place.
            if not place.done():
                place.set_result(None)
                self._left -= 1
        asyncio.get_running_loop().call_soon(self._turn)
