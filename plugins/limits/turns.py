"""A fair line in front of each endpoint: a client with a hundred queries does not starve one with one.

It stands inside the cache, so that hits wait for nobody. A query whose turn does not come is refused with 503 and
Retry-After. Updates pass: they are few, of callers who are trusted, and a store applies them one by one anyway.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from plugins.limits.client import client_of
from plugins.limits.line import Line
from plugins.limits.waiting import note_wait
from proxy.contract import Context, Plugin, Query, Reply, Run
from proxy.syntax import Form


class Turns(Plugin):
    """Give each client its turn at the endpoint. A query without one is stopped.

    How many run, how many wait and for how long is the endpoint's: its `concurrency`, `queue` and `queue_s`.
    """

    def __init__(self, options: object) -> None:
        super().__init__(options)
        self._lines: dict[str, Line] = {}

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Set up one line per endpoint."""
        self._clock = context.clock
        tables = context.tables.items()
        self._lines = {name: Line(table.places, table.queue, table.queue_s) for name, table in tables}
        yield

    async def query(self, query: Query, run: Run) -> Reply:
        """Wait for a turn, and hold it until the answer was read or left."""
        if query.form is Form.UPDATE:
            return await run(query)
        line = self._lines[query.endpoint]
        waited_s = await self._take(line, query)
        try:
            reply = await run(query)
        except BaseException:
            line.give_back()
            raise

        free = reply.release

        async def release() -> None:
            try:
                await free()
            finally:
                line.give_back()

        reply.queue_s += waited_s
        reply.release = release
        return reply

    async def _take(self, line: Line, query: Query) -> float:
        started = self._clock()
        try:
            await line.take(client_of(query.caller))
        finally:
            waited_s = self._clock() - started
            note_wait(waited_s)
        return waited_s
