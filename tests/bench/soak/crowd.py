"""Clients that do not behave: those that leave, those that stall, those that flood."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import time
from collections import Counter

from tests import wire
from tests.bench.soak.configuration import FLOOD_KEY
from tests.bench.soak.ledger import Ledger, Outcome
from tests.served import Client

_EXPECTED = frozenset({200, 429})
_BURST, _BURST_PAUSE_S = 30, 5.0
_PAUSE_S = 0.5
_PATIENCE_S = 10.0


class Crowd:
    """Come for as long as the task runs."""

    def __init__(self, base: str, ledger: Ledger, seed: int) -> None:
        self._base = base
        self._ledger = ledger
        self._chance = random.Random(seed)
        self._number = itertools.count(1).__next__
        self.came: Counter[str] = Counter()

    async def leave(self) -> None:
        """Ask and go away, before the answer or just at its start."""
        url = f"{self._base}/sparql/left"
        while True:
            text = f"SELECT ?n ?s {{ ?n ?p ?s, 'late {self._number()}' }}"
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                # Until there is an answer it may leave at any moment, also because the run ends.
                self._ledger.left["left"] += 1
                self.came["left"] += 1
                async with asyncio.timeout(self._chance.uniform(0.0, 0.25)):
                    await wire.direct(url, text)
                self._ledger.left["left"] -= 1
                self.came["left"] -= 1
                self._ledger.statuses["left"][200] += 1
            await asyncio.sleep(self._chance.uniform(0.0, _PAUSE_S))

    async def stall(self) -> None:
        """Send half a request and no more, or ask for much and read nothing."""
        url = f"{self._base}/sparql/left"
        while True:
            with contextlib.suppress(OSError):
                async with wire.connected(url) as (_, writer):
                    if self._chance.random() < 0.5:
                        writer.write(b"POST /sparql/left HTTP/1.1\r\nHost: half")
                        self.came["sent half a request"] += 1
                    else:
                        text = f"SELECT ?n ?s {{ ?n ?p ?s, 'large {self._number()}' }}"
                        writer.write(wire.request(url, "POST", {"Content-Type": wire.QUERY}, text.encode()))
                        self.came["did not read"] += 1
                        self._ledger.left["left"] += 1
                    await asyncio.sleep(self._chance.uniform(1.0, 8.0))

    async def flood(self) -> None:
        """Send far more than is allowed; each is answered or told that it is too much."""
        headers = {"Authorization": f"Bearer {FLOOD_KEY}"}
        while True:
            await asyncio.gather(*(self._flood_once(headers) for _ in range(_BURST)))
            await asyncio.sleep(_BURST_PAUSE_S)

    async def _flood_once(self, headers: wire.Headers) -> None:
        begun = time.monotonic()
        status, end = 0, ""
        client = Client(f"{self._base}/sparql/flooded", headers)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                received = await client.ask(f"SELECT ?n ?s {{ ?n ?p ?s, 'flood {self._number()}' }}")
            status, end = received.status, received.end
        except (OSError, EOFError, TimeoutError) as error:
            end = type(error).__name__
        except asyncio.CancelledError:
            self._ledger.left["flooded"] += 1
            raise
        finally:
            await client.close()
        self.came["flooded"] += 1
        ended = time.monotonic()
        self._ledger.note(
            Outcome(
                endpoint="flooded",
                expected=_EXPECTED,
                status=status,
                end=end,
                begun=begun,
                ended=ended,
                port=client.port,
            )
        )
