"""The faults of a run, by tenths of it: workers are renewed and killed at both ends, the rest fails between."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time

from tests.bench.soak.endpoint import Endpoint
from tests.bench.soak.journal import Journal
from tests.bench.soak.ledger import Ledger
from tests.bench.soak.moody import MOODS
from tests.bench.soak.sockets import clients_of
from tests.bench.soak.timeline import Timeline
from tests.redis import RedisServer
from tests.served import Served

WORKERS = 2
_RELOADED = ("reload.done", "reload.refused")
_LOOK_S = 0.5
# Until a pool of clients has closed what it does not use, and whoever stalls has left.
_DRAINED_S = 120.0


class Faults:
    """Do harm, and write it down."""

    def __init__(
        self,
        proxy: Served,
        journal: Journal,
        stormy: Endpoint,
        redis: RedisServer,
        ledger: Ledger,
        timeline: Timeline,
        seconds: float,
    ) -> None:
        self._proxy = proxy
        self._journal = journal
        self._stormy = stormy
        self._redis = redis
        self._ledger = ledger
        self._timeline = timeline
        self._tenth_s = seconds / 10
        self._chance = random.Random(seconds)
        self._replaced: set[int] = set()
        self.reloads = 0
        self.kills = 0
        # Between these moments the workers stay the same.
        self.steady_from = self.steady_to = 0.0

    async def run(self) -> None:
        """Go through all of it once; on a slow machine it takes longer than it should."""
        for _ in range(2):
            await self._pause(0.4)
            await self._renew()
        await self._pause(0.4)
        await self._kill_worker()
        # A new worker takes a while to hold all that it will.
        await self._pause(0.8)
        # Those that were replaced stay until their last connection has ended.
        async with asyncio.timeout(_DRAINED_S):
            while len(self._proxy.workers) != WORKERS:  # noqa: ASYNC110 - what is watched is processes
                await asyncio.sleep(_LOOK_S)
        self.steady_from = time.monotonic()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._storms(6.5 / len(MOODS)))
            group.create_task(self._lose_redis())
        self.steady_to = time.monotonic()
        await self._renew()
        await self._pause(0.4)
        await self._kill_worker()
        await self._pause(0.4)
        await self._renew()
        await self._pause(0.4)

    async def _pause(self, tenths: float) -> None:
        await asyncio.sleep(tenths * self._tenth_s)

    async def _renew(self) -> None:
        before = self._proxy.workers
        await self._journal.more(*_RELOADED, do=lambda: self._proxy.child.send_signal(signal.SIGHUP))
        self._replaced.update(before)
        self.reloads += 1

    async def _kill_worker(self) -> None:
        """Kill a worker that takes connections, and write down which ones it had: those are lost, and no others."""
        pid = self._chance.choice(sorted({*self._proxy.workers} - self._replaced))
        # It takes none any more while it is looked at.
        os.kill(pid, signal.SIGSTOP)
        lost = clients_of(pid, self._proxy.port)
        fault = self._ledger.begin("worker killed")
        fault.lost = lost
        await self._journal.more("worker.died", do=lambda: os.kill(pid, signal.SIGKILL))
        self.kills += 1
        fault.ended = time.monotonic()

    async def _storms(self, tenths: float) -> None:
        """Let the endpoint be in each mood for as long as in good spirits after it."""
        for mood in MOODS:
            fault = self._ledger.begin(f"endpoint: {mood}", "stormy")
            await self._stormy.feel(mood)
            await self._pause(tenths / 2)
            await self._stormy.feel("")
            fault.ended = time.monotonic()
            await self._pause(tenths / 2)

    async def _lose_redis(self) -> None:
        """Let Redis die twice and come back without its data."""
        for _ in range(2):
            await self._pause(1.5)
            self._redis.kill()
            self._timeline.note("Redis killed")
            await self._pause(0.5)
            await asyncio.to_thread(self._redis.start)
            self._timeline.note("Redis is back")
