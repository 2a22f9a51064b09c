"""The HTTP server below the application: limits of the request line, errors before there is a request, a clean end."""

from __future__ import annotations

import asyncio
import math
import socket
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import LineTooLong
from aiohttp.web_protocol import RequestHandler

from proxy.contract import REQUEST_ID
from proxy.door import Door
from proxy.errors import BadRequest, ProxyError, Stopping
from proxy.errors import LineTooLong as OurLineTooLong
from proxy.headers import CommonHeaders
from proxy.logs import take_request_id
from proxy.settings import Server
from proxy.web import problem

# A client that closed its sending side gets so long to read an answer that is nearly ready.
_HALF_CLOSED_S = 0.25
# A connection that was idle for so long may be closed at a drain. Those that pool connections have closed it themselves
# by then (nginx after 60 s, aiohttp after 15 s), so that no request meets the end of its connection on the way.
_IDLE_S = 65.0
_LOOK_S = 0.02
# What the last words to those who waited in vain may take.
_LAST_WORDS_S = 0.5
_RETRY_S = "5"


class Deadline:
    """When a worker must have ended: unknown at first, and then it only comes nearer."""

    def __init__(self) -> None:
        self.at = math.inf
        self._known = asyncio.Event()

    def within(self, seconds: float) -> None:
        """End within so many seconds from now, or sooner where that was said before."""
        self.at = min(self.at, asyncio.get_running_loop().time() + seconds)
        self._known.set()

    async def known(self) -> None:
        """Wait until there is one."""
        await self._known.wait()


class _Connection(RequestHandler):
    """Answer what is not HTTP, or too long, in our one shape of error; end without an empty close."""

    __slots__ = ("answering", "common", "ending", "head_s", "patience")

    def __init__(self, server: web.Server, common: CommonHeaders, head_s: float, **options: Any) -> None:
        super().__init__(server, **options)
        self.common = common
        self.head_s = head_s
        self.ending = False
        self.answering: asyncio.Task[Any] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the first request its time; one that never comes holds nothing."""
        super().connection_made(transport)
        self.patience = asyncio.get_running_loop().call_later(self.head_s, self._close_if_silent)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Let go of everything: a timer that is left would keep all of it for its time."""
        self.patience.cancel()
        super().connection_lost(exc)

    def _close_if_silent(self) -> None:
        if self._request_count == 0:
            self.force_close()

    def eof_received(self) -> bool:  # type: ignore[override]  # asyncio's contract, which aiohttp narrows
        """Let a client that sends no more still read what is nearly ready; a departure looks the same at first."""
        self.close()
        asyncio.get_running_loop().call_later(_HALF_CLOSED_S, self.force_close)
        return True

    @property
    def idle_since(self) -> float:
        """When the last answer ended; infinity where a request is being answered."""
        if self._waiter is None or self._waiter.done():
            return math.inf
        return self._next_keepalive_close_time - self._keepalive_timeout

    def end(self) -> None:
        """End now: who waits for a first byte is told to come back, who reads an answer sees that it was cut."""
        self.ending = True
        if self.answering is not None:
            self.answering.cancel()
        else:
            self.force_close()

    async def _handle_request(
        self, request: web.BaseRequest, start_time: float | None, request_handler: Any
    ) -> tuple[web.StreamResponse, bool]:
        task = self.answering = asyncio.current_task()
        assert task is not None
        try:
            return await super()._handle_request(request, start_time, request_handler)
        except asyncio.CancelledError:
            if not self.ending or request.writer.output_size > 0 or REQUEST_ID not in request:
                raise
            task.uncancel()
            return await self.finish_response(request, _farewell(request[REQUEST_ID]), start_time)
        finally:
            self.answering = None

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if request.writer.output_size > 0:
            raise ConnectionError("part of a response was sent already")
        error: ProxyError
        if isinstance(exc, LineTooLong):
            error = OurLineTooLong("The request line or a header is too long; send long queries with POST.")
        elif status < 500:
            error = BadRequest("The request is not HTTP that can be read.", private=message or "")
        else:
            error = ProxyError("An error of the proxy itself; it is in its log.")
        request_id = take_request_id(None)
        response = problem(error, request_id)
        self.common.lay(response.headers, request.headers, request.method, request_id)
        response.force_close()
        return response


def _farewell(request_id: str) -> web.Response:
    return problem(
        Stopping(
            f"This proxy is stopping. Send the request again in {_RETRY_S} s; "
            "an update may just have been applied: query for its effect first.",
            headers={"Retry-After": _RETRY_S, "Connection": "close"},
        ),
        request_id,
    )


class Runner(web.AppRunner):
    """Run the application on connections of ours."""

    def __init__(self, app: web.Application, common: CommonHeaders, server: Server) -> None:
        super().__init__(
            app,
            access_log=None,
            handler_cancellation=True,
            shutdown_timeout=_LAST_WORDS_S / 2,
            max_line_size=server.max_line_bytes,
            max_field_size=64 * 1024,
            # How long a body that nobody wants may still come in after its refusal.
            lingering_time=0.5,
        )
        self._common = common
        self._head_s = server.head_s
        self._draining = False
        self._door: Door | None = None
        app.on_response_prepare.append(self._announce)

    def accept(self, listener: socket.socket) -> None:
        """Take connections from an open socket, from now on."""
        assert self.server is not None
        self._door = Door(listener, self.server)
        self._door.open()

    async def refuse(self) -> None:
        """Take no more connections; those that wait for it are left to others on the same socket."""
        if self._door is not None:
            await self._door.close()
        self._draining = True

    async def drain(self, deadline: Deadline) -> None:
        """Return when all connections are gone, at the deadline at the latest.

        Requests go on being answered. Each connection ends with its next answer, or when it has long been idle; those
        who still wait at the deadline get 503.
        """
        clock = asyncio.get_running_loop().time
        idle_s = min(_IDLE_S, deadline.at - clock())
        while (open_ := self._connections()) and clock() < deadline.at:
            idle = [each for each in open_ if each.idle_since + idle_s <= clock()]
            # A request that the kernel has already taken is seen in between.
            await asyncio.sleep(_LOOK_S)
            for each in idle:
                if each.idle_since + idle_s <= clock():
                    each.force_close()
        await self._end(clock() + _LAST_WORDS_S)

    async def _end(self, until: float) -> None:
        for each in self._connections():
            each.end()
        clock = asyncio.get_running_loop().time
        while self._connections():
            if clock() > until:
                break
            await asyncio.sleep(_LOOK_S)

    async def shutdown(self) -> None:
        """End what no drain has ended."""
        await self.refuse()
        await self._end(asyncio.get_running_loop().time() + _LAST_WORDS_S)
        await super().shutdown()

    def _connections(self) -> list[_Connection]:
        assert self.server is not None
        return [each for each in self.server.connections if isinstance(each, _Connection)]

    async def _announce(self, request: web.Request, response: web.StreamResponse) -> None:
        """Tell the client at a drain that its connection ends with this answer."""
        if self._draining:
            response.force_close()
            response.headers["Connection"] = "close"

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        server.__class__ = _Server
        assert isinstance(server, _Server)
        server.common, server.head_s = self._common, self._head_s
        return server


class _Server(web.Server):
    common: CommonHeaders
    head_s: float

    def __call__(self) -> RequestHandler:
        return _Connection(self, self.common, self.head_s, loop=self._loop, **self._kwargs)
