"""Records in a Redis that workers and machines share; it may be slow, die and come back, and no question fails.

Needs the extra `redis`. Imported only where an address is configured.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from plugins.nl.records import Change, Record, Records, Unreadable
from proxy.redis_link import RedisLink

# Its own clock, so that machines need not agree on the time.
_READ = "return {redis.call('GET', KEYS[1]), redis.call('TIME')}"
_SWAP = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
"""
# Others that change the same record at the same moment make it a new attempt; one of them always succeeds.
_ATTEMPTS = 20


class SharedRecords(Records):
    """Keep each record under a name that ends with it. How many there are is for Redis's `maxmemory` to bound."""

    def __init__(self, link: RedisLink, prefix: str, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self._link = link
        self._prefix = prefix
        self._get = link.redis.register_script(_READ)
        self._swap = link.redis.register_script(_SWAP)

    async def _read(self, name: str) -> Record:
        record = await self._seen(name)
        if record is None:
            raise Unreadable
        if record.content is None and not self._link.settled:
            # Somebody may have kept it meanwhile, and be about to tell.
            raise Unreadable
        return record

    async def _change(self, name: str, change: Change) -> bool:
        for _ in range(_ATTEMPTS):
            before = await self._seen(name)
            if before is None:
                return False
            content, seconds = change(before)
            words = (before.content or b"", content, max(1, int(seconds * 1000)))
            swapped = await self._link.ask(functools.partial(self._swap, keys=[self._key(name)], args=words))
            if swapped != 0:
                return swapped is not None
        return False

    async def _seen(self, name: str) -> Record | None:
        said = await self._link.ask(lambda: self._get(keys=[self._key(name)]))
        if said is None:
            return None
        content, (seconds, microseconds) = said
        return Record(content=content, now=int(seconds) + int(microseconds) / 1e6)

    def _key(self, name: str) -> str:
        return f"{self._prefix}:{name}"
