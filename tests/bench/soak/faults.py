"""The faults of a run, by tenths of it: workers are renewed and killed at both ends, the rest fails between."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time

from tests.bench.soak.endpoint import MOODS, Moody
from tests.bench.soak.ledger import Ledger
from tests.redis import RedisServer
from tests.served import Served

WORKERS = 2


class Faults:
    """Do harm, and write it down."""

    def __init__(self, proxy: Served, stormy: Moody, redis: RedisServer, ledger: Ledger, seconds: float) -> None:
        self._proxy = proxy
        self._stormy = stormy
        self._redis = redis
        self._ledger = ledger
        self._tenth_s = seconds / 10
        self._chance = random.Random(seconds)
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
        with contextlib.suppress(AssertionError):
            await self._proxy.until(lambda: len(self._proxy.workers) == WORKERS, "the end of the old workers")
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
        await self._proxy.reload()
        self.reloads += 1

    async def _kill_worker(self) -> None:
        died = len(self._proxy.log("worker.died"))
        fault = self._ledger.begin("worker killed")
        os.kill(self._chance.choice(self._proxy.workers), signal.SIGKILL)
        self.kills += 1
        # One that drains, after it was replaced, dies without a word.
        with contextlib.suppress(AssertionError):
            await self._proxy.until(lambda: len(self._proxy.log("worker.died")) > died, "the death of a worker")
        fault.ended = time.monotonic()

    async def _storms(self, tenths: float) -> None:
        """Let the endpoint be in each mood for as long as in good spirits after it."""
        for mood in MOODS:
            fault = self._ledger.begin(f"endpoint: {mood}", "stormy")
            self._stormy.mood = mood
            if mood == "dead":
                await self._stormy.die()
            await self._pause(tenths / 2)
            if mood == "dead":
                await self._stormy.revive()
            self._stormy.mood = ""
            fault.ended = time.monotonic()
            await self._pause(tenths / 2)

    async def _lose_redis(self) -> None:
        """Let Redis die twice and come back without its data."""
        for _ in range(2):
            await self._pause(1.5)
            self._redis.kill()
            await self._pause(0.5)
            await asyncio.to_thread(self._redis.start)
