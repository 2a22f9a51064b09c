"""The queries that run now, and how to end one: `GET /admin/queries`, `DELETE /admin/queries/{id}`.

Stands outside of everything but the limits, so that queries that wait are seen and ended too. With many workers each
of them shows and ends the queries of all. Watching cannot fail; a query that is killed is stopped.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from aiohttp import web

from plugins.admin.peers import Message, Peers
from plugins.admin.running import Running
from proxy.contract import Context, Plugin, Query, Reply, Route, Run
from proxy.errors import NotFound, UpstreamBusy

# Set by the parent of many workers, and absent where there is one.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_UNCACHED = {"Cache-Control": "no-store"}


class Admin(Plugin):
    """Show and end running queries. Nothing here stops a query but its operator."""

    def __init__(self, options: object) -> None:
        super().__init__(options)
        self._running: set[Running] = set()
        folder = os.environ.get(_FOLDER)
        self._peers = Peers(Path(folder) if folder else None, self._answer)

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Answer the other workers while the application runs."""
        self._clock = context.clock
        self._loop = asyncio.get_running_loop()
        async with self._peers.listening():
            yield

    def routes(self) -> Sequence[Route]:
        """Return the pages, for callers with the right and for this machine itself."""
        return (
            Route(method="GET", path="/admin/queries", handler=self._list, right="admin", local=True),
            Route(method="DELETE", path="/admin/queries/{id}", handler=self._kill, right="admin", local=True),
        )

    async def query(self, query: Query, run: Run) -> Reply:
        """Keep the query in sight until its answer was read or left."""
        running = Running(query, self._clock)
        self._running.add(running)
        try:
            reply = await running.start(run)
        except BaseException:
            self._ended(running)
            raise

        async def release() -> None:
            self._ended(running)
            await reply.aclose()

        return replace(reply, release=release)

    def _ended(self, running: Running) -> None:
        running.end()
        self._running.discard(running)

    async def _list(self, request: web.Request) -> web.StreamResponse:
        answers = await self._peers.ask({})
        queries = [query for answer in answers if answer is not None for query in answer["queries"]]
        queries.sort(key=lambda query: -float(query["seconds"]))
        shown = {"queries": queries, "workers": len(answers), "silent_workers": answers.count(None)}
        return web.json_response(shown, headers=_UNCACHED)

    async def _kill(self, request: web.Request) -> web.StreamResponse:
        wanted = request.match_info["id"]
        answers = await self._peers.ask({"kill": wanted})
        killed = sum(answer["killed"] for answer in answers if answer is not None)
        if not killed and None in answers:
            raise UpstreamBusy(
                "A worker did not answer in time. Where it runs the query, it ends it as soon as it can; ask again.",
                headers={"Retry-After": "1"},
            )
        if not killed:
            raise NotFound("No running query has this id; it may just have ended. GET /admin/queries shows what runs.")
        return web.json_response({"killed": killed}, headers=_UNCACHED)

    def _answer(self, question: Message) -> Message:
        """Answer a worker, from any thread: what runs here, or how many queries with an id are ended now."""
        # A copy in one step: the loop goes on meanwhile.
        here = tuple(self._running)
        if "kill" not in question:
            return {"queries": [{**running.shown(), "worker": os.getpid()} for running in here]}
        found = [running for running in here if running.id == question["kill"]]
        for running in found:
            self._loop.call_soon_threadsafe(running.kill)
        return {"killed": len(found)}
