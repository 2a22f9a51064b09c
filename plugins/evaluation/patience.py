"""Try again where endpoint or model are gone: after growing pauses, and not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

_FIRST_S, _GROWTH = 1.0, 3.0
MOST_RETRIES = 3


class Patience:
    """Retry for all questions of a run. After retries in vain others are tried once, until one succeeds.

    So a dead endpoint costs its pauses once, and not for every question.
    """

    def __init__(self, retries: int = MOST_RETRIES, first_s: float = _FIRST_S) -> None:
        self._pauses = [first_s * _GROWTH**number for number in range(retries)]
        self._lost = False

    async def until(self, attempt: Callable[[], Awaitable[T]], gone: Callable[[T], bool]) -> T:
        """Return what an attempt came to: the first that is not gone, or the last one."""
        found = await attempt()
        for pause in self._pauses:
            if self._lost or not gone(found):
                break
            await asyncio.sleep(pause)
            found = await attempt()
        self._lost = gone(found)
        return found
