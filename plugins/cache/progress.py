"""How far a flight is, and everybody who waits until it is further.

An `asyncio.Event` for each stage would be a sixth of all that a query holds which waits for its turn.
"""

from __future__ import annotations

import asyncio
from enum import IntEnum


class Stage(IntEnum):
    """What has happened; each includes those before it."""

    ASKED = 0
    OPENED = 1
    BEGUN = 2
    LANDED = 3


class Progress:
    """Go from stage to stage, never back."""

    def __init__(self) -> None:
        self.stage = Stage.ASKED
        self._waiting: list[tuple[Stage, asyncio.Future[None]]] = []

    def reach(self, stage: Stage) -> None:
        """Be at a stage, or further where it was already; whoever waits for it goes on."""
        if stage <= self.stage:
            return
        self.stage = stage
        waiting, self._waiting = self._waiting, []
        for place in waiting:
            wanted, turn = place
            if wanted > stage:
                self._waiting.append(place)
            elif not turn.done():
                turn.set_result(None)

    async def until(self, stage: Stage) -> None:
        """Wait until a stage is reached."""
        if stage <= self.stage:
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = (stage, turn)
        self._waiting.append(place)
        try:
            await turn
        finally:
            # Whoever leaves early must not be held; who was served is in the list no more.
            if stage > self.stage:
                self._waiting.remove(place)
