"""The HTTP server below the application: limits of the request line, and errors before there is a request."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import LineTooLong
from aiohttp.web_protocol import RequestHandler

from proxy.errors import BadRequest, ProxyError
from proxy.errors import LineTooLong as OurLineTooLong
from proxy.headers import CommonHeaders
from proxy.observe import take_request_id
from proxy.settings import Server
from proxy.web import problem

# A client that closed its sending side gets so long to read an answer that is nearly ready.
_HALF_CLOSED_S = 0.25


class _Connection(RequestHandler):
    """Answer what is not HTTP, or too long, in our one shape of error."""

    __slots__ = ("common", "head_s")

    def __init__(self, server: web.Server, common: CommonHeaders, head_s: float, **options: Any) -> None:
        super().__init__(server, **options)
        self.common = common
        self.head_s = head_s

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the first request its time; one that never comes holds nothing."""
        super().connection_made(transport)
        asyncio.get_running_loop().call_later(self.head_s, self._close_if_silent)

    def _close_if_silent(self) -> None:
        if self._request_count == 0:
            self.force_close()

    def eof_received(self) -> bool:  # type: ignore[override]  # asyncio's contract, which aiohttp narrows
        """Let a client that sends no more still read what is nearly ready; a departure looks the same at first."""
        self.close()
        asyncio.get_running_loop().call_later(_HALF_CLOSED_S, self.force_close)
        return True

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


class Runner(web.AppRunner):
    """Run the application on connections of ours."""

    def __init__(self, app: web.Application, common: CommonHeaders, server: Server) -> None:
        super().__init__(
            app,
            access_log=None,
            handler_cancellation=True,
            shutdown_timeout=server.drain_s,
            max_line_size=server.max_line_bytes,
            max_field_size=64 * 1024,
            # How long a body that nobody wants may still come in after its refusal.
            lingering_time=0.5,
        )
        self._common = common
        self._head_s = server.head_s

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
