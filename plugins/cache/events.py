"""What the cache counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum


class Event(StrEnum):
    """What can happen; the closed set of the `event` label.

    Every query that may be kept is one of hit, miss, stale and coalesced; every other one is bypass.
    """

    HIT = "hit"
    MISS = "miss"
    STALE = "stale"
    COALESCED = "coalesced"
    STORE = "store"
    EVICT = "evict"
    BYPASS = "bypass"
    ERROR = "error"


Count = Mapping[Event, Callable[[], None]]
