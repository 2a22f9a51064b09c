"""How long a query waited, told to the plugin around it also where the query then fails or is left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Waits:
    """Sum up what one query waited for its turns. Units: seconds."""

    seconds: float = 0.0


_waits: ContextVar[Waits | None] = ContextVar("waits", default=None)


@contextmanager
def waits_noted() -> Iterator[Waits]:
    """Collect what the query that runs inside notes."""
    waits = Waits()
    token = _waits.set(waits)
    try:
        yield waits
    finally:
        _waits.reset(token)


def note_wait(seconds: float) -> None:
    """Add to the wait of the query that runs now, where anybody asks."""
    waits = _waits.get()
    if waits is not None:
        waits.seconds += seconds
