"""Seconds of work that one caller may cause in a minute."""

from __future__ import annotations

import math
from collections.abc import Callable

from cachetools import LRUCache

from proxy.contract import Caller
from proxy.errors import TooMany

_MOST_CALLERS = 65_536


class Purse:
    """Count the seconds of each caller: what a question took, and what of it time has paid off since.

    Whoever is not above the limit may ask, and a long question may go above it: the next one waits that much longer, so
    that no caller gets more in the long run. Each process counts for itself.
    Units: ``seconds`` a minute; 0 is without a limit.
    """

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._rate = seconds / 60
        self._clock = clock
        # What each has spent, and when that was so.
        self._spent: LRUCache[str, tuple[float, float]] = LRUCache(_MOST_CALLERS)

    def demand(self, caller: Caller) -> None:
        """Let a caller ask that has anything left. Raises TooMany, with Retry-After."""
        over = self._now(who(caller)) - self._seconds
        if self._rate and over >= 0:
            wait = max(1, math.ceil(over / self._rate))
            detail = f"The {self._seconds:g} seconds of work on questions that a caller has in a minute are used up."
            raise TooMany(detail, headers={"Retry-After": str(wait)})

    def pay(self, caller: Caller, seconds: float) -> None:
        """Count what a question took."""
        self._spent[who(caller)] = (self._now(who(caller)) + seconds, self._clock())

    def _now(self, name: str) -> float:
        spent, since = self._spent.get(name, (0.0, 0.0))
        return max(0.0, spent - (self._clock() - since) * self._rate)


def who(caller: Caller) -> str:
    """Return the name under which a caller is known: its key, else its address."""
    return f"key {caller.key}" if caller.key else f"address {caller.address}"
