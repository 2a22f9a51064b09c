"""How long a query waited, told to the plugin around it also where the query then fails or is left."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Waits:
    """Sum up what one query waited for its turns. Units: seconds."""

    seconds: float = 0.0


_waits: ContextVar[Waits | None] = ContextVar("waits", default=None)


class _Noted:
    """Be there while a query runs. A context manager made of a generator would take three times as long."""

    def __enter__(self) -> Waits:
        """Begin to collect."""
        waits = Waits()
        self._token = _waits.set(waits)
        return waits

    def __exit__(self, *_: object) -> None:
        """Collect no more."""
        _waits.reset(self._token)


def waits_noted() -> AbstractContextManager[Waits]:
    """Collect what the query that runs inside notes."""
    return _Noted()


def note_wait(seconds: float) -> None:
    """Add to the wait of the query that runs now, where anybody asks."""
    waits = _waits.get()
    if waits is not None:
        waits.seconds += seconds
