"""Send a reply: in one write where it is small, as a stream where it is not, and never a broken one as whole."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import AsyncIterator

from aiohttp import HttpVersion11, web
from multidict import CIMultiDict

from proxy.compression import SMALLEST, Coding, coding_for, compressed, compressing
from proxy.contract import Reply
from proxy.errors import ProxyError
from proxy.logs import event
from proxy.results.ahead import Ahead
from proxy.results.state import Completeness

_SMALL = 64 * 1024
# A slow answer starts to flow after this long, however small it is by then.
_PATIENCE_S = 0.05


async def send(request: web.Request, reply: Reply) -> web.StreamResponse:
    """Send the reply and free its endpoint, whatever happens on the way.

    Raises:
        ProxyError: the answer broke before anything was sent; later errors cut the connection instead.
    """
    async with reply:
        body = _Body(reply)
        try:
            await body.gather()
            return _whole(request, reply, body.head) if body.whole else await _stream(request, reply, body)
        finally:
            await body.aclose()


class _Body:
    """An answer on its way out: its start, gathered, and then the rest as it comes."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self._chunks = Ahead(reply.chunks)
        self.head = b""
        self.whole = False

    async def gather(self) -> None:
        """Collect until the end, the size of a small body, or the end of patience."""
        until = asyncio.get_running_loop().time() + _PATIENCE_S
        parts: list[bytes] = []
        size = 0
        while size <= _SMALL and not self.whole:
            # While nothing is here that could go out, or when all of it has been judged, no clock is needed.
            hurry = size and self._reply.state.completeness is Completeness.OPEN
            if hurry and not await self._chunks.comes(until):
                break
            chunk = await self._chunks.take()
            if chunk is None:
                self.whole = True
            else:
                parts.append(chunk)
                size += len(chunk)
        self.head = b"".join(parts)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.head
        while (chunk := await self._chunks.take()) is not None:
            yield chunk

    async def aclose(self) -> None:
        """Let go of a chunk that is still waited for."""
        await self._chunks.aclose()


def _headers(reply: Reply, coding: Coding | None) -> CIMultiDict[str]:
    headers = CIMultiDict(reply.headers)
    headers.setdefault("Vary", "Accept, Accept-Encoding")
    if coding is not None:
        headers["Content-Encoding"] = coding
    if reply.format is not None:
        version = f";version={reply.version}" if reply.version else ""
        headers["Content-Type"] = reply.format.content_type + version
    if reply.state.partial:
        headers["Saga-Partial"] = reply.state.partial
    return headers


def _whole(request: web.Request, reply: Reply, body: bytes) -> web.Response:
    if reply.format is None:
        return web.Response(status=204, headers=_headers(reply, None))
    if reply.status == 304:
        return web.Response(status=304, headers=_headers(reply, None))
    coding = _coding(request) if len(body) >= SMALLEST else None
    return web.Response(body=compressed(body, coding) if coding else body, headers=_headers(reply, coding))


def _coding(request: web.Request) -> Coding | None:
    return coding_for(request.headers.get("Accept-Encoding", ""))


async def _stream(request: web.Request, reply: Reply, body: _Body) -> web.StreamResponse:
    announced = reply.state.partial
    coding = _coding(request)
    response = web.StreamResponse(headers=_headers(reply, coding))
    if request.version < HttpVersion11:
        # Without chunks only the end of the connection tells where the answer ends.
        response.force_close()
    try:
        reply.state.sent = True
        await response.prepare(request)
        chunks = aiter(body)
        async with asyncio.timeout_at(reply.until):
            async for chunk in compressing(chunks, coding) if coding else chunks:
                await response.write(chunk)
        if reply.state.completeness is Completeness.PARTIAL and announced is None:
            # Found partial only now: the headers have promised a whole answer.
            break_connection(request)
            return response
        await response.write_eof()
    except ProxyError as error:
        said = {"code": error.code, "detail": error.detail, "private": error.private}
        event("answer.broken", logging.WARNING, bytes=reply.state.size, **said)
        break_connection(request)
    except TimeoutError:
        detail = "The client did not read."
        event("answer.broken", logging.WARNING, code="timeout", detail=detail, bytes=reply.state.size)
        break_connection(request)
    except ConnectionError:
        # The client left; aiohttp says so on the next write. `release` frees the endpoint.
        pass
    except BaseException:
        # Ended from outside, or a fault of ours: what is cut must look cut, also to a client that reads it later.
        break_connection(request)
        raise
    return response


def break_connection(request: web.Request) -> None:
    """End the connection so that no client can take what it has for the whole answer.

    A reset, not an end of stream: an HTTP/1.0 client reads until the end, and a plain close would look like one.
    """
    transport = request.transport
    if transport is None:
        return
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
