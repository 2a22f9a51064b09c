"""The HTTP server below the application: limits of the request line, and errors before there is a request."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import LineTooLong
from aiohttp.web_protocol import RequestHandler

from proxy.errors import BadRequest, ProxyError
from proxy.errors import LineTooLong as OurLineTooLong
from proxy.headers import CommonHeaders
from proxy.observe import take_request_id
from proxy.web import problem


class _Connection(RequestHandler):
    """Answer what is not HTTP, or too long, in our one shape of error."""

    __slots__ = ("common",)

    def __init__(self, server: web.Server, common: CommonHeaders, **options: Any) -> None:
        super().__init__(server, **options)
        self.common = common

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
    """Run the application on connections of ours.

    Units: ``drain_s`` in seconds, for running requests after a stop.
    """

    def __init__(self, app: web.Application, common: CommonHeaders, *, max_line_bytes: int, drain_s: float) -> None:
        super().__init__(
            app,
            access_log=None,
            handler_cancellation=True,
            shutdown_timeout=drain_s,
            max_line_size=max_line_bytes,
            max_field_size=64 * 1024,
            # How long a body that nobody wants may still come in after its refusal.
            lingering_time=0.5,
        )
        self._common = common

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        server.__class__ = _Server
        assert isinstance(server, _Server)
        server.common = self._common
        return server


class _Server(web.Server):
    common: CommonHeaders

    def __call__(self) -> RequestHandler:
        return _Connection(self, self.common, loop=self._loop, **self._kwargs)
