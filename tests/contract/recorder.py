"""A third party's plugin, found by its dotted path: it changes, answers and refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from aiohttp import web
from multidict import CIMultiDict

from proxy.contract import Context, Plugin, Query, Reply, Route, Run
from proxy.errors import Forbidden
from proxy.results.formats import Format
from proxy.results.state import Completeness, State
from proxy.settings import key


@dataclass(frozen=True, slots=True, kw_only=True)
class RecorderOptions:
    """The `[recorder]` table."""

    greeting: str = key("value of the header that is put on every reply", "hello")


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


class Recorder(Plugin):
    """Change replies, answer the query `ASK {?s <urn:answer> ?o}` itself, refuse `<urn:refuse>`. Fails closed."""

    Options = RecorderOptions

    def __init__(self, options: RecorderOptions) -> None:
        super().__init__(options)
        self._greeting = options.greeting
        self.lives: list[str] = []

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Note that the application started and ended."""
        self.lives.append("started")
        yield
        self.lives.append("ended")

    def routes(self) -> Sequence[Route]:
        """Add a page that needs a right, and one that fails."""
        return (
            Route(method="GET", path="/recorder", handler=self._page, right="admin"),
            Route(method="GET", path="/recorder/broken", handler=self._broken),
        )

    async def query(self, query: Query, run: Run) -> Reply:
        """Wrap a query."""
        if "urn:refuse" in query.text:
            raise Forbidden("Not this one.")
        if "urn:answer" in query.text:
            body = b'{"head":{},"boolean":true}'
            state = State(completeness=Completeness.COMPLETE, boolean=True, size=len(body))
            return Reply(format=Format.JSON, chunks=_once(body), state=state)
        reply = await run(query)
        headers = CIMultiDict(reply.headers)
        headers["X-Greeting"] = self._greeting
        return replace(reply, headers=headers)

    async def _page(self, request: web.Request) -> web.Response:
        return web.json_response(self.lives)

    async def _broken(self, request: web.Request) -> web.Response:
        raise ZeroDivisionError
