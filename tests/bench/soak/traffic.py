"""The load: one mix of requests, sent as fast as answers come or at a rate of its own."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections import defaultdict
from dataclasses import dataclass

from tests import wire
from tests.bench.soak.configuration import LOAD_KEY
from tests.bench.soak.ledger import Ledger, Outcome
from tests.bench.soak.moody import LARGE, SMALL
from tests.served import Client

_HOT = 50
_KEPT_S = 15.0
_PATIENCE_S = 10.0
_AUTHORIZATION = {"Authorization": f"Bearer {LOAD_KEY}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, and what a right answer is; ``body`` None is any."""

    endpoint: str
    text: str
    type: str = wire.QUERY
    expected: frozenset[int] = frozenset({200})
    body: bytes | None = SMALL


class Traffic:
    """Clients that behave."""

    def __init__(self, base: str, ledger: Ledger, seed: int) -> None:
        self._base = base
        self._ledger = ledger
        self._chance = random.Random(seed)
        self._number = itertools.count(1).__next__
        self._free: defaultdict[str, list[tuple[Client, float]]] = defaultdict(list)
        self.updates = 0
        self.waiting = 0

    def _next(self) -> Request:
        """Draw from the mix."""
        number = self._number()
        draw = self._chance.random()
        if draw < 0.60:
            return Request(endpoint="calm", text=f"SELECT ?n ?s {{ ?n ?p ?s }} # hot {number % _HOT}")
        if draw < 0.75:
            return Request(endpoint="calm", text=f"SELECT ?n ?s {{ ?n ?p ?s, 'number {number}' }}")
        if draw < 0.80:
            return Request(endpoint="calm", text=f"SELECT ?n ?s {{ ?n ?p ?s, 'large {number}' }}", body=LARGE)
        if draw < 0.93:
            return Request(endpoint="stormy", text=f"SELECT ?n ?s {{ ?n ?p ?s, 'number {number}' }}")
        if draw < 0.97:
            return Request(endpoint="demo", text=f"SELECT ?x {{ wd:Q142 wdt:P36 ?x }} # {number % 1000}", body=None)
        if draw < 0.997:
            text = "SELECT ?d { wd:Q142 wdt:P569 ?d }"
            # A guard whose look-up took too long lets the query pass.
            return Request(endpoint="demo", text=text, expected=frozenset({200, 422}), body=None)
        # Each is on the disk before it is answered, and some disks take no more than five a second.
        text = f"INSERT DATA {{ <urn:note:{number}> <urn:noted> {number} }}"
        return Request(endpoint="notes", text=text, type=wire.UPDATE, expected=frozenset({204}), body=b"")

    async def one(self) -> None:
        """Send one request and note how it ended."""
        request = self._next()
        client = await self._client(request.endpoint)
        self.waiting += 1
        begun = time.monotonic()
        status, end, right = 0, "", True
        try:
            async with asyncio.timeout(_PATIENCE_S):
                received = await client.ask(request.text, request.type)
        except (OSError, EOFError, TimeoutError) as error:
            end = type(error).__name__
            await client.close()
        else:
            status, end = received.status, received.end
            right = status != 200 or end != "whole" or request.body in (None, received.body)
            self.updates += status == 204
            self._free[request.endpoint].append((client, time.monotonic()))
        self.waiting -= 1
        self._ledger.note(
            Outcome(
                endpoint=request.endpoint,
                expected=request.expected,
                status=status,
                end=end,
                begun=begun,
                ended=time.monotonic(),
                right=right,
                port=client.port,
            )
        )

    async def _client(self, endpoint: str) -> Client:
        """Take a connection that was used a moment ago, as any pool does, or a new one."""
        free = self._free[endpoint]
        while free:
            client, since = free.pop()
            if time.monotonic() - since < _KEPT_S:
                return client
            await client.close()
        return Client(f"{self._base}/sparql/{endpoint}", _AUTHORIZATION)

    async def closed_loop(self, clients: int, seconds: float) -> float:
        """Ask as fast as answers come, and return the good answers per second."""
        end = time.monotonic() + seconds
        before = self._ledger.good

        async def client() -> None:
            while time.monotonic() < end:
                await self.one()

        async with asyncio.TaskGroup() as group:
            for _ in range(clients):
                group.create_task(client())
        return (self._ledger.good - before) / seconds

    async def open_loop(self, rate: float, until: asyncio.Future[None]) -> float:
        """Send so many requests a second, whatever becomes of them; return by how many seconds the last was late."""
        begun = time.monotonic()
        late = 0.0
        async with asyncio.TaskGroup() as group:
            for number in itertools.count():
                if until.done():
                    break
                due = begun + number / rate
                if (early := due - time.monotonic()) > 0:
                    await asyncio.sleep(early)
                late = max(0.0, time.monotonic() - due)
                group.create_task(self.one())
        return late

    async def close(self) -> None:
        """Let go of all connections."""
        for client, _ in itertools.chain.from_iterable(self._free.values()):
            await client.close()
