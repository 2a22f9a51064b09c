"""Queries that an operator ends: how long until the client is told and the endpoint is free."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time

from tests import wire
from tests.bench.soak.endpoint import Endpoint
from tests.bench.soak.ledger import Ledger
from tests.bench.soak.timeline import Timeline

_PATIENCE_S = 20.0
_LOOK_S = 0.02
# Above this the timeline tells of it.
_LONG_S = 0.3


class Kills:
    """End queries that hang and queries that stream, in turn.

    Shapes: ``lost`` counts those that met the death of a worker, ``failed`` says what became of others that were not
    done. Units: ``took`` in seconds, by kind.
    """

    def __init__(self, base: str, endpoint: Endpoint, ledger: Ledger, timeline: Timeline) -> None:
        self._base = base
        self._endpoint = endpoint
        self._ledger = ledger
        self._timeline = timeline
        self._ports: set[int] = set()
        self.took: dict[str, list[float]] = {"hangs": [], "streams": []}
        self.lost = 0
        self.failed: list[str] = []

    async def run(self, pause_s: float) -> None:
        """Kill one after the other for as long as the task runs."""
        for number, kind in zip(itertools.count(1), itertools.cycle(self.took), strict=False):
            await asyncio.sleep(pause_s)
            self._ports.clear()
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    took = await self._once(kind, f"{kind}-{number}")
            except (OSError, EOFError, TimeoutError, LookupError) as error:
                self._not_done(error)
                continue
            self.took[kind].append(took)

    def _not_done(self, error: Exception) -> None:
        if self._ledger.lost(self._ports):
            self.lost += 1
        else:
            self.failed.append(repr(error))
            self._timeline.note(f"a kill failed: {error!r}")

    async def _arrived(self, mark: str) -> None:
        while not await self._endpoint.has(mark):  # noqa: ASYNC110 - what is watched is another process
            await asyncio.sleep(_LOOK_S)

    async def _freed(self, mark: str) -> float:
        """Return the moment in which the endpoint saw that nobody waits any more."""
        while (left := await self._endpoint.left(mark)) is None:  # noqa: ASYNC110 - as above
            await asyncio.sleep(_LOOK_S)
        return left

    async def _once(self, kind: str, mark: str) -> float:
        """Start a query, wait until it flows, kill it, and return the time until both sides are free."""
        headers = {"X-Request-Id": mark, "Content-Type": wire.QUERY}
        url = f"{self._base}/sparql/killed"
        async with wire.connected(url) as (reader, writer):
            self._ports.add(_port(writer))
            writer.write(wire.request(url, "POST", headers, f"SELECT ?n ?s {{ ?n ?p ?s, '{mark}' }}".encode()))
            self._ledger.left["killed"] += 1
            await self._arrived(mark)
            if kind == "streams":
                # What is sent and not read yet must not hide that the connection ends.
                await reader.readuntil(b"\r\n\r\n")
            begun = time.monotonic()
            await self._kill(mark)
            answered = time.monotonic()
            with contextlib.suppress(ConnectionError):
                while await reader.read(2**16):
                    if kind == "hangs":
                        break
            told = time.monotonic()
            freed = await self._freed(mark)
        took_s = max(told, freed) - begun
        if took_s > _LONG_S:
            parts = (("answered", answered), ("client told", told), ("endpoint free", freed))
            took = ", ".join(f"{what} after {moment - begun:.1f} s" for what, moment in parts)
            self._timeline.note(f"a kill of one that {kind}: {took}")
        return took_s

    async def _kill(self, mark: str) -> None:
        """Ask the proxy to end a query, again where a worker was too busy to say. Raises LookupError where it does not.

        What such a worker has ended in the meantime is not found any more.
        """
        done = [200]
        while (status := await self._asked(mark)) == 503:
            done = [200, 404]
        if status not in done:
            raise LookupError(f"{mark}: {status}")

    async def _asked(self, mark: str) -> int:
        url = f"{self._base}/admin/queries/{mark}"
        async with wire.connected(url) as (reader, writer):
            self._ports.add(_port(writer))
            writer.write(wire.request(url, "DELETE"))
            return (await wire.receive(reader)).status


def _port(writer: asyncio.StreamWriter) -> int:
    return int(writer.get_extra_info("sockname")[1])
