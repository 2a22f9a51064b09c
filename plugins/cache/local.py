"""The answers that one worker keeps, bounded in bytes."""

from __future__ import annotations

from collections.abc import Callable

from cachetools import TLRUCache

from plugins.cache.entry import Entry


class _Answers(TLRUCache[bytes, Entry]):
    """Drop what has expired, then what was not used for longest; say when the latter happens."""

    def __init__(self, max_bytes: int, clock: Callable[[], float], evicted: Callable[[], None]) -> None:
        super().__init__(max_bytes, _until, timer=clock, getsizeof=_cost)
        self._evicted = evicted

    def popitem(self) -> tuple[bytes, Entry]:
        """Make room. The base class calls this while an answer does not fit."""
        item = super().popitem()
        self._evicted()
        return item


def _until(_: bytes, entry: Entry, now: float) -> float:
    return entry.born + entry.fresh_s + entry.stale_s


def _cost(entry: Entry) -> int:
    return entry.cost


class Local:
    """Keep answers by name until they are neither fresh nor of use as stale ones, or room is needed."""

    def __init__(self, max_bytes: int, clock: Callable[[], float], evicted: Callable[[], None]) -> None:
        self._answers = _Answers(max_bytes, clock, evicted)

    def __len__(self) -> int:
        """How many answers are kept."""
        return len(self._answers)

    @property
    def held_bytes(self) -> int:
        """How many bytes they take."""
        return int(self._answers.currsize)

    def get(self, name: bytes) -> Entry | None:
        """Return an answer, fresh or stale."""
        try:
            # Not `get`, which looks twice.
            return self._answers[name]
        except KeyError:
            return None

    def put(self, name: bytes, entry: Entry) -> bool:
        """Keep an answer, in the place of an older one. Returns whether it fits at all."""
        if entry.cost > self._answers.maxsize:
            return False
        self._answers[name] = entry
        return True

    def drop(self, endpoint: str) -> None:
        """Forget the answers of an endpoint."""
        for name in [name for name, entry in self._answers.items() if entry.endpoint == endpoint]:
            self._answers.pop(name, None)
