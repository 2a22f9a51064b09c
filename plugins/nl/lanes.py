"""Clients first: where they are, questions take half of an endpoint's places and a part of its time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from time import monotonic

from proxy.contract import Query, Reply, Run
from proxy.settings import EndpointTable

# A client that sent nothing for so long is gone.
_LATELY_S = 1.0
# Where clients are and questions wait for each other, a place rests so many times as long as it was used; but never for
# long, since a slow query waits for its endpoint and not for this machine. Source: tests/bench/nl_load.py.
_REST = 5.0
_MOST_REST_S = 0.1


class Clients:
    """Know at which endpoints clients are."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}

    def note(self, endpoint: str) -> None:
        """Take note of a query of a client."""
        self._seen[endpoint] = monotonic()

    def lately(self, endpoint: str) -> bool:
        """Whether there was one in the last second."""
        return monotonic() - self._seen.get(endpoint, -_LATELY_S) < _LATELY_S


class Lanes:
    """Let the queries of all questions through; a query that finds no place waits."""

    def __init__(self, run: Run, tables: Mapping[str, EndpointTable], clients: Clients) -> None:
        self._run = run
        self._lanes = {name: _Lane(name, table.places, clients) for name, table in tables.items()}

    async def run(self, query: Query) -> Reply:
        """Run a query; its place is free again once the reply is closed."""
        lane = self._lanes[query.endpoint]
        await lane.enter()
        began = monotonic()
        try:
            reply = await self._run(query)
        except BaseException:
            lane.leave(monotonic() - began)
            raise
        release = reply.release

        async def released() -> None:
            try:
                await release()
            finally:
                lane.leave(monotonic() - began)

        reply.release = released
        return reply


class _Lane:
    """The places of one endpoint that questions may take; who waited longest is the next."""

    def __init__(self, endpoint: str, places: int, clients: Clients) -> None:
        self._endpoint = endpoint
        self._places = places
        self._clients = clients
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> None:
        """Wait for a place."""
        mine = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        self._admit()
        try:
            await mine
        except asyncio.CancelledError:
            # One that has a place already must give it back.
            if not mine.cancelled():
                self._free()
            raise

    def leave(self, used_s: float) -> None:
        """Give the place back, at once where nobody is kept from anything."""
        if self._waiting and self._clients.lately(self._endpoint):
            asyncio.get_running_loop().call_later(min(_MOST_REST_S, _REST * used_s), self._free)
        else:
            self._free()

    def _free(self) -> None:
        self._taken -= 1
        self._admit()

    def _admit(self) -> None:
        room = max(1, self._places // 2) if self._clients.lately(self._endpoint) else self._places
        while self._taken < room and self._waiting:
            first = self._waiting.popleft()
            # Whoever has left is still in the queue.
            if not first.done():
                self._taken += 1
                first.set_result(None)
