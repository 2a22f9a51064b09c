"""Answers and epochs in a Redis that many workers share; it may be slow, die and come back, and no query fails.

Needs the extra `redis`. Imported only where an address is configured.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from plugins.cache.entry import Entry
from plugins.cache.epochs import Epochs
from plugins.cache.options import CacheOptions
from plugins.cache.record import BadRecord, read, written

T = TypeVar("T")

_CONNECTIONS = 16
# While it is away, one look at a time asks whether it is back.
_AWAY_S = 0.5
# Names of epochs outlive every answer.
_EPOCH_S = 30 * 24 * 3600


class Shared:
    """Look up, keep, and tell of new epochs. Away, it finds and keeps nothing, at once."""

    def __init__(
        self, options: CacheOptions, epochs: Epochs, clock: Callable[[], float], failed: Callable[[], None]
    ) -> None:
        self._options = options
        self._epochs = epochs
        self._clock = clock
        self._failed = failed
        self._there = True
        self._redis = _client(options)

    @property
    def there(self) -> bool:
        """Whether Redis answered when it was last asked."""
        return self._there

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Keep the epochs in step while the application runs."""
        await self.look()
        if not self._there:
            # What others left there is unknown, so nothing of it may be taken for new.
            for endpoint in self._epochs.endpoints:
                self._epochs.bump(endpoint)
        task = asyncio.get_running_loop().create_task(self._keep_in_step(), name="cache.epochs")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait((task,))
            with suppress(RedisError, OSError, TimeoutError):
                async with asyncio.timeout(self._options.redis_s):
                    await self._redis.aclose()

    async def get(self, names: Sequence[bytes]) -> Entry | None:
        """Return the first answer that is there under one of these names."""
        if not self._there:
            return None
        records = await self._asked(self._redis.mget([self._name(each) for each in names]))
        for record in records or ():
            if isinstance(record, bytes):
                try:
                    return read(record, self._clock(), time.time())
                except BadRecord:
                    self._failed()
        return None

    async def put(self, name: bytes, entry: Entry) -> None:
        """Keep an answer for as long as it is of use."""
        now = self._clock()
        left_ms = int((entry.born + entry.fresh_s + entry.stale_s - now) * 1000)
        if self._there and left_ms > 0:
            record = written(entry, now, time.time())
            await self._asked(self._redis.set(self._name(name), record, px=left_ms))

    async def tell(self, endpoint: str) -> None:
        """Tell the others of a new epoch. What cannot be told now is told by the next look."""
        if self._there:
            epoch = self._epochs.current(endpoint)
            await self._asked(self._redis.set(self._epoch_name(endpoint), epoch, ex=_EPOCH_S))

    async def look(self) -> None:
        """Take the epochs that others began, and tell them ours."""
        endpoints = self._epochs.endpoints
        found = await self._asked(self._redis.mget([self._epoch_name(each) for each in endpoints]))
        if found is None:
            return
        self._there = True
        theirs = {endpoint: _number(value) for endpoint, value in zip(endpoints, found, strict=True)}
        for endpoint in self._epochs.merge(theirs):
            await self.tell(endpoint)

    async def _keep_in_step(self) -> None:
        while True:
            await self.look()
            every_s = self._options.redis_sync_s or _AWAY_S
            await asyncio.sleep(every_s if self._there else _AWAY_S)

    async def _asked(self, operation: Awaitable[T]) -> T | None:
        """Return what Redis says within its time, or None; then nobody asks it again until it was found back."""
        said: T | None = None
        try:
            async with asyncio.timeout(self._options.redis_s):
                said = await operation
        except ResponseError:
            # It is there and refuses this one, such as when its memory is full: reading may still work.
            self._failed()
        except (RedisError, OSError, TimeoutError):
            if self._there:
                self._failed()
            self._there = False
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            # The library can turn a cancellation into an error of its own; whoever cancelled waits for it.
            raise asyncio.CancelledError
        return said

    def _name(self, name: bytes) -> str:
        return f"{self._options.namespace}:answer:{name.hex()}"

    def _epoch_name(self, endpoint: str) -> str:
        return f"{self._options.namespace}:epoch:{endpoint}"


def _client(options: CacheOptions) -> Redis:
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


def _number(value: bytes | str | None) -> int | None:
    """Return an epoch; what is none counts as absent."""
    try:
        return None if value is None else int(value)
    except ValueError:
        return None
