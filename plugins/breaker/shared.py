"""Pauses in a Redis that many workers share; it may be slow, die and come back, and no query fails.

Needs the extra `redis`. Imported only where an address is configured.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from plugins.breaker.options import BreakerOptions

T = TypeVar("T")

_CONNECTIONS = 16
# While it is away, one look at a time asks whether it is back.
_AWAY_S = 0.5
# A longer pause stands.
_TELL = "if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], 1, 'PX', ARGV[1]) end"


class SharedPauses:
    """Keep a pause as a name that ends with it. Away, it says and hears nothing, at once."""

    def __init__(self, options: BreakerOptions) -> None:
        self._options = options
        self._redis = _client(options)
        self._tell = self._redis.register_script(_TELL + " return 1")
        self._there = True

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[Self]:
        """Look for a Redis that went away while the application runs."""
        task = asyncio.get_running_loop().create_task(self._keep_in_touch(), name="breaker.redis")
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.wait((task,))
            with suppress(RedisError, OSError, TimeoutError):
                async with asyncio.timeout(self._options.redis_s):
                    await self._redis.aclose()

    async def left_s(self, endpoint: str) -> float:
        """Return what is left of the longest pause that anybody was asked for."""
        if not self._there:
            return 0.0
        left_ms = await self._asked(self._redis.pttl(self._name(endpoint)))
        return max(0.0, (left_ms or 0) / 1000)

    async def tell(self, endpoint: str, seconds: float) -> None:
        """Tell the others, where Redis is there."""
        if self._there and seconds > 0:
            await self._asked(self._tell(keys=[self._name(endpoint)], args=[int(seconds * 1000)]))

    async def _keep_in_touch(self) -> None:
        while True:
            await asyncio.sleep(_AWAY_S)
            if not self._there:
                self._there = await self._asked(self._redis.mget([self._options.namespace])) is not None

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

    def _name(self, endpoint: str) -> str:
        return f"{self._options.namespace}:pause:{endpoint}"


def _client(options: BreakerOptions) -> Redis:
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
