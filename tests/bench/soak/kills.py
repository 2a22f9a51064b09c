"""Queries that an operator ends: how long until the client is told and the endpoint is free."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time

from tests import wire
from tests.bench.soak.endpoint import Moody
from tests.bench.soak.ledger import Ledger
from tests.upstream import Sent

_PATIENCE_S = 20.0


class Kills:
    """End queries that hang and queries that stream, in turn. Units: ``took`` in seconds, by kind."""

    def __init__(self, base: str, endpoint: Moody, ledger: Ledger) -> None:
        self._base = base
        self._endpoint = endpoint
        self._ledger = ledger
        self.took: dict[str, list[float]] = {"hangs": [], "streams": []}
        self.lost = 0

    async def run(self, pause_s: float) -> None:
        """Kill one after the other for as long as the task runs."""
        for number, kind in zip(itertools.count(1), itertools.cycle(self.took), strict=False):
            await asyncio.sleep(pause_s)
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    self.took[kind].append(await self._once(kind, f"{kind}-{number}"))
            except (OSError, EOFError, TimeoutError, LookupError):
                self.lost += 1

    async def _arrived(self, mark: str) -> Sent:
        while True:
            if (sent := self._endpoint.find(mark)) is not None:
                return sent
            await asyncio.sleep(0.01)

    async def _once(self, kind: str, mark: str) -> float:
        """Start a query, wait until it flows, kill it, and return the time until both sides are free."""
        headers = {"X-Request-Id": mark, "Content-Type": wire.QUERY}
        url = f"{self._base}/sparql/killed"
        async with wire.connected(url) as (reader, writer):
            writer.write(wire.request(url, "POST", headers, f"SELECT ?n ?s {{ ?n ?p ?s, '{mark}' }}".encode()))
            self._ledger.left["killed"] += 1
            sent = await self._arrived(mark)
            if kind == "streams":
                # What is sent and not read yet must not hide that the connection ends.
                await reader.readuntil(b"\r\n\r\n")
            begun = time.monotonic()
            answer = await wire.send(f"{self._base}/admin/queries/{mark}", "DELETE")
            if answer.status != 200:
                raise LookupError(mark)
            with contextlib.suppress(ConnectionError):
                while await reader.read(2**16):
                    if kind == "hangs":
                        break
            await sent.departure(_PATIENCE_S)
            return time.monotonic() - begun
