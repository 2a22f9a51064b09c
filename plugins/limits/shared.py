"""Accounts in a Redis that many workers share; it may be slow, die and come back, and no query fails.

Needs the extra `redis`. Imported only where an address is configured.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from plugins.limits.account import LEAST_UPSTREAM_S, Allowance, Limit
from plugins.limits.options import LimitsOptions
from plugins.limits.scripts import ENTER, LEAVE

T = TypeVar("T")

_CONNECTIONS = 16
# While it is away, one look at a time asks whether it is back.
_AWAY_S = 0.5
# What is told to a Redis that came back, at most: the ends of queries that it still believes to run.
_MOST_OWED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The place of one query among those of its client, until it is given back or its time is over."""

    client: str
    allowance: Allowance
    name: str


class Shared:
    """Let queries in and count them, together with all who share the Redis."""

    def __init__(self, options: LimitsOptions) -> None:
        self._options = options
        self._redis = _client(options)
        self._enter = self._redis.register_script(ENTER)
        self._leave = self._redis.register_script(LEAVE)
        self._there = True
        self._owed: deque[tuple[Lease, float]] = deque(maxlen=_MOST_OWED)
        self._worker = os.urandom(8).hex()
        self._leases = 0

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Look for a Redis that went away while the application runs."""
        task = asyncio.get_running_loop().create_task(self._keep_in_touch(), name="limits.redis")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait((task,))
            with suppress(RedisError, OSError, TimeoutError):
                async with asyncio.timeout(self._options.redis_s):
                    await self._redis.aclose()

    def lease(self, client: str, allowance: Allowance) -> Lease:
        """Return a new lease, which means nothing until it was entered."""
        self._leases += 1
        return Lease(client=client, allowance=allowance, name=f"{self._worker}:{self._leases}")

    async def enter(self, lease: Lease, requests: int, longest_s: float) -> tuple[Limit, float] | None:
        """Let a query in, or return which limit it met and the seconds to wait; None where Redis is away."""
        if not self._there:
            return None
        words = (requests, lease.name, longest_s, LEAST_UPSTREAM_S)
        said: list[Any] | None = None
        try:
            said = await self._asked(self._enter(keys=self._names(lease), args=[*_words(lease), *words]))
        finally:
            if said is None:
                # Whether it was let in there is unknown, and it must not count for ever.
                self._owed.append((lease, 0.0))
        return None if said is None else (Limit(int(said[0])), float(said[1]))

    async def leave(self, lease: Lease, upstream_s: float) -> None:
        """Give a lease back. What cannot be told now is told when Redis is back."""
        told = None
        try:
            if self._there:
                told = await self._told(lease, upstream_s)
        finally:
            if told is None:
                self._owed.append((lease, upstream_s))

    async def _told(self, lease: Lease, upstream_s: float) -> object:
        words = (lease.name, max(0.0, upstream_s))
        return await self._asked(self._leave(keys=self._names(lease), args=[*_words(lease), *words]))

    async def _keep_in_touch(self) -> None:
        while True:
            await asyncio.sleep(_AWAY_S)
            if not self._there:
                self._there = await self._asked(self._redis.mget([self._options.namespace])) is not None
            while self._there and self._owed:
                lease, upstream_s = self._owed[0]
                if await self._told(lease, upstream_s) is None:
                    break
                self._owed.popleft()

    async def _asked(self, operation: Awaitable[T]) -> T | None:
        """Return what Redis says within its time, or None; then nobody asks it again until it was found back."""
        task = asyncio.current_task()
        cancelled = task.cancelling() if task is not None else 0
        said: T | None = None
        try:
            async with asyncio.timeout(self._options.redis_s):
                said = await operation
        except ResponseError:
            # It is there and refuses this one, such as when its memory is full.
            pass
        except (RedisError, OSError, TimeoutError):
            self._there = False
        if task is not None and task.cancelling() > cancelled:
            # The library can turn a cancellation into an error of its own; whoever cancelled waits for it.
            raise asyncio.CancelledError
        return said

    def _names(self, lease: Lease) -> Sequence[str]:
        # The braces keep both on one machine of a cluster.
        account = f"{self._options.namespace}:limits:{{{lease.client}}}"
        return (account, f"{account}:leases")


def _words(lease: Lease) -> Sequence[float]:
    allowed = lease.allowance
    return (allowed.requests_per_minute, allowed.concurrent, allowed.upstream_s_per_minute)


def _client(options: LimitsOptions) -> Redis:
    words: dict[str, Any] = {
        "socket_timeout": options.redis_s,
        "socket_connect_timeout": options.redis_s,
        # Whoever asks waits for no second try: the query goes on without.
        "retry": Retry(NoBackoff(), 0),
        "max_connections": _CONNECTIONS,
        "timeout": options.redis_s,
    }
    if options.redis_password_env:
        words["password"] = os.environ.get(options.redis_password_env, "")
    return Redis.from_pool(BlockingConnectionPool.from_url(options.redis, **words))
