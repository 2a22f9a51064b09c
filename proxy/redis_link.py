"""A line to a Redis that many workers share; it may be slow, die and come back, and whoever asks goes on without.

Needs the extra `redis`. Imported only where an address is configured.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from proxy.logs import event
from proxy.redis_options import RedisOptions

T = TypeVar("T")

_CONNECTIONS = 16
# While it is away, one look at a time asks whether it is back.
AWAY_S = 0.5


async def _nothing() -> None:
    """Have nothing to do."""


class RedisLink:
    """Ask Redis, within a time. Nothing here raises: what it did not answer is None.

    ``redis`` is its client, whose commands, scripts and pipelines are what `ask` takes; answers are bytes. ``failed``
    is called at each answer that it owes us, but not for those that nobody asked for because it was away.
    """

    def __init__(self, options: RedisOptions, failed: Callable[[], None] = lambda: None) -> None:
        self.redis = _client(options)
        self._limit_s = options.redis_s
        self._failed = failed
        self._there = self._answers = True
        self._back = -math.inf
        self._keeper: asyncio.Task[None] | None = None

    @property
    def there(self) -> bool:
        """Whether Redis answered when it was last asked."""
        return self._there

    @property
    def settled(self) -> bool:
        """Whether it is there so long that everybody saw it, and told what they had kept for it."""
        return self._there and time.monotonic() - self._back > 2 * (AWAY_S + self._limit_s)

    @asynccontextmanager
    async def lifespan(
        self, look: Callable[[], Awaitable[None]] = _nothing, every_s: float = AWAY_S
    ) -> AsyncIterator[Self]:
        """Watch for it while the application runs.

        ``look`` is called again and again while it is there, and where it is back before anybody else asks it anything.
        """
        self._keeper = asyncio.get_running_loop().create_task(self._keep_in_touch(look, every_s), name="redis")
        try:
            yield self
        finally:
            self._keeper.cancel()
            await asyncio.wait((self._keeper,))
            with suppress(RedisError, OSError, TimeoutError):
                async with asyncio.timeout(self._limit_s):
                    await self.redis.aclose()

    async def ask(self, operation: Callable[[], Awaitable[T]]) -> T | None:
        """Return what Redis says; None where it is away, takes too long or refuses."""
        if self._there or asyncio.current_task() is self._keeper:
            return await self._answer(operation)
        return None

    async def _keep_in_touch(self, look: Callable[[], Awaitable[None]], every_s: float) -> None:
        while True:
            # Also one that refuses is there.
            self._answers = True
            if not self._there:
                await self._answer(lambda: self.redis.ping())
            if self._answers:
                await look()
            if self._answers and not self._there:
                self._there, self._back = True, time.monotonic()
                event("redis.back")
            await asyncio.sleep(every_s if self._there else AWAY_S)

    async def _answer(self, operation: Callable[[], Awaitable[T]]) -> T | None:
        task = asyncio.current_task()
        cancelled = task.cancelling() if task is not None else 0
        said: T | None = None
        try:
            async with asyncio.timeout(self._limit_s):
                said = await operation()
        except ResponseError:
            # It is there and refuses this one, such as when its memory is full: reading may still work.
            self._failed()
        except (RedisError, OSError, TimeoutError) as error:
            self._lose(error)
        if task is not None and task.cancelling() > cancelled:
            # The library can turn a cancellation into an error of its own; whoever cancelled waits for it.
            raise asyncio.CancelledError
        return said

    def _lose(self, error: Exception) -> None:
        """Take note that it is away, and say so once."""
        self._answers = False
        if self._there:
            self._there = False
            self._failed()
            event("redis.lost", logging.WARNING, reason=type(error).__name__)


def _client(options: RedisOptions) -> Redis:
    words: dict[str, Any] = {
        "socket_timeout": options.redis_s,
        "socket_connect_timeout": options.redis_s,
        # Whoever asks waits for no second try.
        "retry": Retry(NoBackoff(), 0),
        "max_connections": _CONNECTIONS,
        "timeout": options.redis_s,
    }
    if options.redis_password_env:
        words["password"] = os.environ.get(options.redis_password_env, "")
    return Redis.from_pool(BlockingConnectionPool.from_url(options.redis, **words))
