"""Where answers are kept: in this worker, and in a Redis where one is configured."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from multidict import CIMultiDict

from plugins.cache.entry import Entry, Packing
from plugins.cache.epochs import Epochs
from plugins.cache.events import Count, Event
from plugins.cache.flight import Flight
from plugins.cache.local import Local
from plugins.cache.options import CacheOptions
from plugins.cache.question import Question
from proxy.contract import Context, Reply, Run
from proxy.results.state import Completeness

if TYPE_CHECKING:
    from plugins.cache.shared import Shared


class Store:
    """Find answers, take new ones, and forget those of an endpoint."""

    def __init__(self, options: CacheOptions, context: Context, count: Count) -> None:
        self._options = options
        self._count = count
        self._clock = context.clock
        self.epochs = Epochs(context.endpoints)
        self._local = Local(options.max_bytes, context.clock, count[Event.EVICT])
        self._shared: Shared | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hold the connections to Redis."""
        if not self._options.redis:
            # Without others there is nobody whose answers could still be around.
            yield
            return
        from plugins.cache.shared import Shared

        self._shared = Shared(self._options, self.epochs, self._clock, self._count[Event.ERROR])
        async with self._shared.lifespan():
            yield

    async def look(self) -> None:
        """Hear of new epochs now, where the configuration wants that before every answer."""
        if self._shared is not None and not self._options.redis_sync_s and self._shared.there:
            await self._shared.look()

    def get(self, question: Question) -> Entry | None:
        """Return an answer of this worker, fresh or stale."""
        narrow, whole = question.names
        entry = self._local.get(narrow)
        return self._local.get(whole) if entry is None and whole != narrow else entry

    async def forget(self, endpoint: str) -> None:
        """Begin a new epoch of an endpoint, in all workers and wherever the same Redis is used."""
        self.epochs.bump(endpoint)
        if self._shared is not None:
            await self._shared.tell(endpoint)

    async def clear(self, endpoint: str) -> None:
        """Forget the answers of an endpoint, and free their memory."""
        await self.forget(endpoint)
        self._local.drop(endpoint)

    def journey(self, question: Question, run: Run) -> Callable[[Flight], Awaitable[None]]:
        """Return what a flight does: look into Redis, ask the endpoint, keep the answer."""

        async def journey(flight: Flight) -> None:
            if await self._found(question, flight):
                return
            kept: list[bytes] = []

            def keep(reply: Reply, packing: Packing) -> Entry | None:
                entry = self._entry(question, reply, packing)
                if entry is not None and entry.fresh_s and self._local.put(question.name(entry.format), entry):
                    self._count[Event.STORE]()
                    kept.append(question.name(entry.format))
                return entry

            await flight.fly(question.query, run, keep)
            if self._shared is not None and flight.entry is not None:
                for name in kept:
                    await self._shared.put(name, flight.entry)

        return journey

    async def _found(self, question: Question, flight: Flight) -> bool:
        """Land with an answer that somebody left in Redis. Returns whether there is one that will do."""
        if self._shared is None or question.wish.max_age_s <= 0:
            return False
        entry = await self._shared.get(question.names.likely)
        if entry is None:
            return False
        self._local.put(question.name(entry.format), entry)
        if self._clock() - entry.born > min(entry.fresh_s, question.wish.max_age_s):
            flight.stale = entry
            return False
        flight.land(entry)
        return True

    def _entry(self, question: Question, reply: Reply, packing: Packing) -> Entry | None:
        """Return a whole answer, or one that its endpoint calls partial, which is shared and not kept."""
        complete = reply.state.completeness is Completeness.COMPLETE
        if reply.format is None or reply.status != 200:
            return None
        if not complete and reply.state.completeness is not Completeness.PARTIAL:
            return None
        etag = packing.etag(reply.format)
        slices, packed = packing.finish()
        life = question.life
        return Entry(
            endpoint=question.query.endpoint,
            format=reply.format,
            version=reply.version,
            headers=CIMultiDict(reply.headers),
            etag=etag,
            slices=slices,
            packed=packed,
            rows=reply.state.rows,
            boolean=reply.state.boolean,
            size=reply.state.size,
            partial=None if complete else reply.state.partial,
            born=self._clock(),
            fresh_s=life.ttl_s * (1 - self._options.jitter * random.random()) if complete else 0.0,
            stale_s=life.stale_s,
        )
