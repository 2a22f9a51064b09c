"""All queries on their way, by name: the second of two equal ones finds the first."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from plugins.cache.entry import Packer, Packing
from plugins.cache.flight import Flight, Room

# So many answers are asked for anew at a time, behind clients that got a stale one.
_REFRESHES = 16

Journey = Callable[[Flight], Awaitable[None]]


class Flights:
    """Start flights, find them by name, and end them all with the application."""

    def __init__(self, packer: Packer, room_bytes: int, max_entry_bytes: int) -> None:
        self._room = Room(room_bytes)
        self._max_entry_bytes = max_entry_bytes
        self._packer = packer
        self._by_name: dict[bytes, Flight] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._refreshes = 0

    def __len__(self) -> int:
        """How many are on their way."""
        return len(self._tasks)

    def get(self, name: bytes) -> Flight | None:
        """Return the flight that answers a question, where there is one."""
        return self._by_name.get(name)

    def lead(self, name: bytes, journey: Journey) -> Flight:
        """Start a flight with a leader. Where the question has one already, the new one stays unknown to others."""
        flight = self._new(name)
        flight.lead()
        self._start(flight, journey)
        return flight

    def refresh(self, name: bytes, journey: Journey) -> None:
        """Start a flight that nobody waits for, unless it is on its way or too many such are."""
        if name in self._by_name or self._refreshes >= _REFRESHES:
            return
        self._refreshes += 1
        flight = self._new(name)
        # One rider who never leaves.
        flight.board()
        self._start(flight, journey).add_done_callback(self._refreshed)

    def _refreshed(self, _: asyncio.Task[None]) -> None:
        self._refreshes -= 1

    def _new(self, name: bytes) -> Flight:
        flight = Flight(Packing(self._packer), self._room, self._max_entry_bytes)
        flight.ended = functools.partial(self._forget, name, flight)
        self._by_name.setdefault(name, flight)
        return flight

    def _forget(self, name: bytes, flight: Flight) -> None:
        if self._by_name.get(name) is flight:
            del self._by_name[name]

    def _start(self, flight: Flight, journey: Journey) -> asyncio.Task[None]:
        task = flight.task = asyncio.get_running_loop().create_task(flight.go(journey), name="cache.flight")
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Whoever waited has it; nobody else needs to hear of it.
            task.exception()

    async def __aenter__(self) -> Self:
        """Return the flights."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))
