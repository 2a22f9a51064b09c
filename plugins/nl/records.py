"""Records: small things with a name that are kept for a time, and that workers may share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

# Changes that wait for better times, at most.
_MOST_OWED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is known under a name; ``content`` is None where nothing is.

    Units: ``now`` is when it was read, in seconds, on the clock that all have who share the record.
    """

    content: bytes | None
    now: float


# From a record as it is to its new content, and the seconds that this is kept.
Change = Callable[[Record], tuple[bytes, float]]


class Unreadable(Exception):
    """What is kept cannot be read now, and may well be there."""


@dataclass(frozen=True, slots=True, eq=False)
class _Owed:
    name: str
    change: Change
    made: float


class Records(ABC):
    """Read and change records, one change after the other, whoever makes them.

    A change that cannot be made now is made later. Until then it counts here, and nowhere else. One whose answer was
    lost is made twice: whoever cannot stand that has to see it in the record.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._owed: deque[_Owed] = deque(maxlen=_MOST_OWED)

    async def read(self, name: str) -> Record:
        """Return a record. Raises Unreadable."""
        record = await self._read(name)
        for owed in self._owed:
            if owed.name == name:
                content, seconds = owed.change(record)
                record = replace(record, content=content) if self._clock() < owed.made + seconds else record
        return record

    async def change(self, name: str, change: Change) -> None:
        """Change a record, now or later."""
        if await self._make(_Owed(name, change, self._clock())):
            await self.settle()

    async def settle(self) -> None:
        """Make the changes that could not be made before, as far as that is possible now."""
        while self._owed and await self._make(self._owed.popleft()):
            pass

    async def _make(self, owed: _Owed) -> bool:
        made = False
        try:
            made = await self._change(owed.name, owed.change)
        finally:
            if not made:
                # Behind the others: it may be the only one that is refused.
                self._owed.append(owed)
        return made

    @abstractmethod
    async def _read(self, name: str) -> Record:
        """Return a record as it is kept. Raises Unreadable."""

    @abstractmethod
    async def _change(self, name: str, change: Change) -> bool:
        """Change a record in one step, and return whether that was done."""
