"""Several addresses of one endpoint: the first that can be reached is asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import aiohttp

from proxy.contract import Endpoint, Health, Query, Reply
from proxy.errors import UpstreamError, UpstreamTimeout

# An address that could not be reached is asked last for so long, so that not every query waits for it first.
_REST_S = 10.0


class FailoverEndpoint:
    """Ask the addresses in their order, and the next one where nothing reached the one before.

    Only what was never sent goes elsewhere, so an update is applied once too. What an address answers, also that it
    is overloaded, is the answer.
    Units: ``clock`` is monotonic, in seconds.
    """

    def __init__(self, name: str, endpoints: Sequence[Endpoint], clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self._endpoints = endpoints
        self._clock = clock
        self._rests_until = [clock()] * len(endpoints)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hold the connections to all addresses."""
        async with AsyncExitStack() as stack:
            for endpoint in self._endpoints:
                await stack.enter_async_context(endpoint.lifespan())
            yield

    async def run(self, query: Query) -> Reply:
        """Return the reply of the first address that can be reached.

        Raises:
            UpstreamError: what the last address says, where none can be reached.
            ProxyError: whatever an address that was reached says.
        """
        started = self._clock()
        *firsts, last = self._order()
        for number in firsts:
            try:
                return await self._ask(number, query, started)
            except UpstreamError as error:
                if not _never_sent(error):
                    raise
        return await self._ask(last, query, started)

    def _order(self) -> list[int]:
        """Return the addresses as configured, but those that could not be reached lately at the end."""
        now = self._clock()
        return sorted(range(len(self._endpoints)), key=lambda number: max(0.0, self._rests_until[number] - now))

    async def _ask(self, number: int, query: Query, started: float) -> Reply:
        try:
            reply = await self._endpoints[number].run(self._in_time(query, started))
        except UpstreamError as error:
            if _never_sent(error):
                self._rests_until[number] = self._clock() + _REST_S
            raise
        self._rests_until[number] = self._clock()
        return reply

    def _in_time(self, query: Query, started: float) -> Query:
        """Return the query with the time that it has left. Raises UpstreamTimeout where there is none."""
        spent_s = self._clock() - started
        if query.timeout_s is None or spent_s < 0.001:
            return query
        if spent_s >= query.timeout_s:
            raise UpstreamTimeout(f"No address of the endpoint could be reached within {query.timeout_s:g} s.")
        return replace(query, timeout_s=query.timeout_s - spent_s)

    async def health(self) -> Health:
        """Ask all addresses; one that answers is enough."""
        found = await asyncio.gather(*(endpoint.health() for endpoint in self._endpoints))
        alive = sum(each.ok for each in found)
        if alive == len(found):
            return found[0]
        details = "; ".join(f"address {number}: {each.detail}" for number, each in enumerate(found, 1))
        return Health(ok=alive > 0, detail=details)


def _never_sent(error: UpstreamError) -> bool:
    """Whether no connection was made: the error of the HTTP client, which is the cause, says so."""
    return isinstance(error.__cause__, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
