"""One query sent to a remote endpoint: the request, the answer as it streams, and its end."""

from __future__ import annotations

import asyncio
import functools
import io
import math
import time
import uuid
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self

import aiohttp
from yarl import URL

from proxy.contract import Query
from proxy.endpoints.connect import Connections
from proxy.endpoints.engine import Engine, Failure
from proxy.endpoints.pieces import Pieces
from proxy.errors import ProxyError, Truncated, UpstreamFailed, UpstreamTimeout
from proxy.settings import EndpointTable
from proxy.syntax import Form

_ERROR_BYTES = 64 * 1024
_LARGE_BODY_BYTES = 512 * 1024
_ERROR_BODY_S = 5.0
_CANCEL_S = 2.0
_SPARE_S = 1.0
_SUCCESS = (200, 203, 204, 206)
_FORM = "application/x-www-form-urlencoded"
_TRACE_HEADERS = ("traceparent", "tracestate")
# HttpProcessingError and RuntimeError are how the client library says that the framing broke in the middle of a body.
_BROKEN = (aiohttp.ClientPayloadError, aiohttp.http.HttpProcessingError, RuntimeError)
_OF_THE_LIBRARY = (*_BROKEN, aiohttp.ClientError, TimeoutError, ValueError, OSError)
# Longer texts are not remembered.
_KEPT_LENGTH = 4000


class Exchange:
    """Send one query and read its answer. Foreign errors become ours here and nowhere else.

    Units: times in seconds.
    """

    def __init__(self, query: Query, table: EndpointTable, engine: Engine, connections: Connections) -> None:
        self._query = query
        self._table = table
        self._engine = engine
        self._connections = connections
        self._ticket = str(uuid.uuid4()) if engine.tickets else ""
        self._total_s = table.total_s
        if query.timeout_s is not None:
            # The engine was told, and says better than we what it had by then.
            self._total_s = min(query.timeout_s + engine.grace_s, table.total_s)
        self._deadline = asyncio.get_running_loop().time() + self._total_s
        self._first = b""
        self._size = 0
        self._body: Pieces
        self._response: aiohttp.ClientResponse | None = None
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.upstream_s = 0.0

    async def open(self, text: str) -> bytes:
        """Send the query and return the first bytes of a success.

        Raises:
            ProxyError: whatever the engine's failure means; UpstreamTimeout, UpstreamFailed.
        """
        started = time.perf_counter()
        try:
            with self._translated():
                response = self._response = await self._send(text)
                self.status = response.status
                self.headers = response.headers
                if not self._succeeded:
                    raise self._engine.failure(await self._failure(), self._query)
                self._body = Pieces(response, self._deadline)
                self._first = await anext(self._body, b"")
                self._flows(response)
        except BaseException:
            await self.close()
            raise
        self.upstream_s = time.perf_counter() - started
        return self._first

    def _flows(self, response: aiohttp.ClientResponse) -> None:
        """From the first byte on another limit holds for silence."""
        if response.connection is not None and (protocol := response.connection.protocol) is not None:
            protocol.read_timeout = self._table.idle_s
            protocol.start_timeout()

    @property
    def arrived(self) -> bool:
        """Whether all of the answer is here, so that nothing of it has to be waited for."""
        return self._response is not None and self._response.content.is_eof()

    @property
    def deadline(self) -> float:
        """When the whole answer must have been sent on, on the loop's clock."""
        return self._deadline

    @property
    def _succeeded(self) -> bool:
        # An update that was done is done, however its success is worded.
        return 200 <= self.status < 300 if self._query.form is Form.UPDATE else self.status in _SUCCESS

    async def _send(self, text: str) -> aiohttp.ClientResponse:
        fields = tuple(self._fields(text))
        comes_again = len(text) <= _KEPT_LENGTH and not self._query.dataset and not self._ticket
        body = (_remembered_form if comes_again else _form)(fields)
        headers = {"Content-Type": _FORM, "Accept": self._engine.accept(self._query)}
        headers.update(self._engine.headers(self._ticket))
        headers.update({name: self._query.hints[name] for name in _TRACE_HEADERS if name in self._query.hints})
        home = self._connections.home
        url = URL(self._address())
        limits = _limits(self._table.connect_s, min(self._table.first_byte_s, self._total_s), self._total_s)
        post = functools.partial(_post, body=body, headers=headers, limits=limits)
        try:
            response = await post(home, url)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            kept = isinstance(error, (aiohttp.ServerDisconnectedError, ConnectionResetError, BrokenPipeError))
            if self._query.form is Form.UPDATE or not kept or isinstance(error, aiohttp.ClientConnectorError):
                raise
            # A kept connection that the endpoint closed while it was idle: nothing was answered, so ask again.
            response = await post(home, url)
        if response.status in (307, 308) and "Location" in response.headers:
            response.close()
            target = url.join(URL(response.headers["Location"]))
            session = home if target.origin() == url.origin() else self._connections.elsewhere
            response = await post(session, target)
        return response

    def _address(self) -> str:
        update = self._query.form is Form.UPDATE
        return (self._table.update_url if update else "") or self._table.url

    def _fields(self, text: str) -> list[tuple[str, str]]:
        update = self._query.form is Form.UPDATE
        names = ("using-graph-uri", "using-named-graph-uri") if update else ("default-graph-uri", "named-graph-uri")
        return [
            ("update" if update else "query", text),
            *((names[0], graph) for graph in self._query.dataset.default),
            *((names[1], graph) for graph in self._query.dataset.named),
            *self._engine.fields(self._query, self._ticket).items(),
        ]

    async def _failure(self) -> Failure:
        """Read the start of an error body; one that does not come, or cannot be read, is no reason to wait."""
        assert self._response is not None
        body = bytearray()
        with suppress(TimeoutError, aiohttp.ClientError, RuntimeError, ProxyError):
            async with asyncio.timeout(_ERROR_BODY_S):
                async for piece in Pieces(self._response, self._deadline):
                    body += piece
                    if len(body) >= _ERROR_BYTES:
                        break
        return Failure(
            status=self.status,
            headers=self.headers,
            content_type=self._response.content_type,
            text=_decoded(bytes(body[:_ERROR_BYTES]), self._response.charset),
        )

    def __aiter__(self) -> Self:
        """Return itself: an answer is read once."""
        return self

    async def __anext__(self) -> bytes:
        """Return the next part of the body after decompression. Raises Truncated, UpstreamTimeout, UpstreamFailed."""
        piece, self._first = self._first, b""
        if not piece:
            with self._translated():
                piece = await anext(self._body)
        self._size += len(piece)
        if self._size > self._table.max_result_bytes:
            limit = self._table.max_result_bytes
            raise Truncated(f"The answer is larger than {limit:,} bytes (`max_result_bytes`).")
        return piece

    async def drain(self) -> None:
        """Read a body that nobody wants, as far as it is small. Raises what reading it raises."""
        async for _ in self:
            if self._size > _ERROR_BYTES:
                return

    async def close(self) -> None:
        """End the exchange. In the middle of an answer this closes the connection, and tells the engine if it can."""
        if self._response is not None and self._response.content.at_eof():
            self._response.release()
            return
        if self._response is not None:
            self._response.close()
        address = self._engine.cancel(self._table.url, self._ticket)
        if address is not None and (not self.status or self._succeeded):
            with suppress(aiohttp.ClientError, TimeoutError, OSError):
                async with asyncio.timeout(_CANCEL_S), self._connections.home.post(address, allow_redirects=False):
                    pass

    def _translated(self) -> _Translated:
        return _Translated(self._table, self._total_s)


class _Translated:
    """Turn the errors of the client library into ours; what is ours already, or nobody's, passes."""

    def __init__(self, table: EndpointTable, total_s: float) -> None:
        self._table = table
        self._total_s = total_s

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise ours instead."""
        table = self._table
        if error is None or not isinstance(error, _OF_THE_LIBRARY):
            return
        # The errors raised below hold this frame.
        del trace
        _let_go(error)
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            raise UpstreamTimeout(f"The endpoint could not be reached within {table.connect_s:g} s.") from error
        if isinstance(error, TimeoutError):
            raise UpstreamTimeout(
                f"The endpoint took longer than its limits here: {table.first_byte_s:g} s to the first byte, "
                f"{table.idle_s:g} s without one, {self._total_s:g} s in all. Ask for less, or for fewer rows."
            ) from error
        if isinstance(error, _BROKEN):
            raise Truncated("The endpoint ended its answer before the end.", private=repr(error)) from error
        if isinstance(error, aiohttp.ClientConnectorError):
            raise UpstreamFailed("The endpoint cannot be reached.", private=repr(error)) from error
        raise UpstreamFailed("The connection to the endpoint failed.", private=repr(error)) from error


def _let_go(error: BaseException | None) -> None:
    """Take from an error of the library, and from those behind it, the frames that they came through.

    The library keeps some of them in what these frames hold. Without them an exchange is gone when it ends, and not
    when garbage is collected.
    """
    behind, seen = error, set[int]()
    while behind is not None and id(behind) not in seen:
        seen.add(id(behind))
        behind.__traceback__ = behind.__context__ = None
        behind = behind.__cause__


def _decoded(body: bytes, charset: str | None) -> str:
    """Return the text of an error, without control characters."""
    try:
        text = body.decode(charset or "utf-8", "replace")
    except LookupError:
        text = body.decode("utf-8", "replace")
    return "".join(each if each.isprintable() or each in "\n\t" else " " for each in text)


def _form(fields: tuple[tuple[str, str], ...]) -> bytes:
    # yarl quotes in C, which for a query of 100 kB is the difference between 0.2 and 6 ms.
    return URL.build(path="/", query=fields).raw_query_string.encode()


# The same short query comes again and again.
_remembered_form = functools.lru_cache(maxsize=1024)(_form)


@functools.lru_cache(maxsize=64)
def _limits(connect_s: float, first_byte_s: float, total_s: float) -> aiohttp.ClientTimeout:
    """Return the limits of a request that the client library's own timers keep, which it has anyway.

    Its limit for all comes a little later than ours, since it also holds for what has come and must only be read.
    """
    total_s += _SPARE_S
    return aiohttp.ClientTimeout(total=total_s, sock_connect=connect_s, sock_read=first_byte_s, ceil_threshold=math.inf)


def _post(
    session: aiohttp.ClientSession, url: URL, *, body: bytes, headers: dict[str, str], limits: aiohttp.ClientTimeout
) -> Awaitable[aiohttp.ClientResponse]:
    """Send the body as the client library sends it best: a large one in pieces, so that the loop goes on."""
    data = body if len(body) <= _LARGE_BODY_BYTES else io.BytesIO(body)
    return session.post(url, data=data, headers=headers, timeout=limits, allow_redirects=False)
