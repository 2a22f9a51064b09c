"""One query sent to a remote endpoint: the request, the answer as it streams, and its end."""

from __future__ import annotations

import asyncio
import io
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress

import aiohttp
from yarl import URL

from proxy.contract import Query
from proxy.endpoints.connect import Connections
from proxy.endpoints.engine import Engine, Failure
from proxy.endpoints.inflate import Inflate
from proxy.errors import ProxyError, Truncated, UpstreamFailed, UpstreamTimeout
from proxy.settings import EndpointTable
from proxy.syntax import Form

_ERROR_BYTES = 64 * 1024
_LARGE_BODY_BYTES = 512 * 1024
_ERROR_BODY_S = 5.0
_CANCEL_S = 2.0
_SUCCESS = (200, 203, 204, 206)
_FORM = "application/x-www-form-urlencoded"
_TRACE_HEADERS = ("traceparent", "tracestate")


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
        self._body: AsyncIterator[bytes]
        self._response: aiohttp.ClientResponse | None = None
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.upstream_s = 0.0

    async def open(self, text: str) -> bytes:
        """Send the query and return the first bytes of a success; header names are lower-case.

        Raises:
            ProxyError: whatever the engine's failure means; UpstreamTimeout, UpstreamFailed.
        """
        started = time.perf_counter()
        try:
            with self._translated():
                async with asyncio.timeout(min(self._table.first_byte_s, self._total_s)):
                    response = self._response = await self._send(text)
                    self.status = response.status
                    self.headers = {name.lower(): value for name, value in response.headers.items()}
                    if not self._succeeded:
                        raise self._engine.failure(await self._failure(), self._query)
                    self._body = self._pieces(response)
                    self._first = await anext(self._body, b"")
        except BaseException:
            await self.close()
            raise
        self.upstream_s = time.perf_counter() - started
        return self._first

    @property
    def deadline(self) -> float:
        """When the whole answer must have been sent on, on the loop's clock."""
        return self._deadline

    @property
    def _succeeded(self) -> bool:
        # An update that was done is done, however its success is worded.
        return 200 <= self.status < 300 if self._query.form is Form.UPDATE else self.status in _SUCCESS

    async def _send(self, text: str) -> aiohttp.ClientResponse:
        # yarl quotes in C, which for a query of 100 kB is the difference between 0.2 and 6 ms.
        body = URL.build(path="/", query=self._fields(text)).raw_query_string.encode()
        headers = {"Content-Type": _FORM, "Accept": self._engine.accept(self._query)}
        headers.update(self._engine.headers(self._ticket))
        headers.update({name: self._query.hints[name] for name in _TRACE_HEADERS if name in self._query.hints})
        home = self._connections.home
        url = URL(self._address())
        try:
            response = await home.post(url, data=_payload(body), headers=headers, allow_redirects=False)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            kept = isinstance(error, (aiohttp.ServerDisconnectedError, ConnectionResetError, BrokenPipeError))
            if self._query.form is Form.UPDATE or not kept or isinstance(error, aiohttp.ClientConnectorError):
                raise
            # A kept connection that the endpoint closed while it was idle: nothing was answered, so ask again.
            response = await home.post(url, data=_payload(body), headers=headers, allow_redirects=False)
        if response.status in (307, 308) and "Location" in response.headers:
            response.close()
            target = url.join(URL(response.headers["Location"]))
            session = home if target.origin() == url.origin() else self._connections.elsewhere
            response = await session.post(target, data=_payload(body), headers=headers, allow_redirects=False)
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
                async for piece in self._pieces(self._response):
                    body += piece
                    if len(body) >= _ERROR_BYTES:
                        break
        return Failure(
            status=self.status,
            headers=self.headers,
            content_type=self._response.content_type,
            text=_decoded(bytes(body[:_ERROR_BYTES]), self._response.charset),
        )

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body after decompression. Raises Truncated, UpstreamTimeout, UpstreamFailed."""
        size = len(self._first)
        if self._first:
            yield self._first
        with self._translated():
            async for piece in self._body:
                size += len(piece)
                if size > self._table.max_result_bytes:
                    limit = self._table.max_result_bytes
                    raise Truncated(f"The answer is larger than {limit:,} bytes (`max_result_bytes`).")
                yield piece

    async def drain(self) -> None:
        """Read a body that nobody wants, as far as it is small. Raises what `chunks` raises."""
        size = 0
        async for piece in self.chunks():
            size += len(piece)
            if size > _ERROR_BYTES:
                return

    async def _pieces(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        content = response.content
        coding = self.headers.get("content-encoding", "").strip().lower()
        inflate = None if coding in ("", "identity") else Inflate(coding)
        while chunk := await self._read(content):
            if inflate is None:
                yield chunk
            else:
                for piece in inflate.feed(chunk):
                    yield piece
        if inflate is not None:
            inflate.finish()

    async def _read(self, content: aiohttp.StreamReader) -> bytes:
        if content.is_eof():
            # All of it has come: there is nothing to wait for.
            return await content.readany()
        async with asyncio.timeout_at(self._deadline):
            return await content.readany()

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

    @contextmanager
    def _translated(self) -> Iterator[None]:
        table = self._table
        try:
            yield
        except aiohttp.ConnectionTimeoutError as error:
            raise UpstreamTimeout(f"The endpoint could not be reached within {table.connect_s:g} s.") from error
        except TimeoutError as error:
            raise UpstreamTimeout(
                f"The endpoint took longer than its limits here: {table.first_byte_s:g} s to the first byte, "
                f"{table.idle_s:g} s without one, {self._total_s:g} s in all. Ask for less, or for fewer rows."
            ) from error
        except (aiohttp.ClientPayloadError, aiohttp.http.HttpProcessingError, RuntimeError) as error:
            # RuntimeError is how the library says that the framing itself broke in the middle of a body.
            raise Truncated("The endpoint ended its answer before the end.", private=repr(error)) from error
        except aiohttp.ClientConnectorError as error:
            raise UpstreamFailed("The endpoint cannot be reached.", private=repr(error)) from error
        except (aiohttp.ClientError, ValueError, OSError) as error:
            raise UpstreamFailed("The connection to the endpoint failed.", private=repr(error)) from error


def _decoded(body: bytes, charset: str | None) -> str:
    """Return the text of an error, without control characters."""
    try:
        text = body.decode(charset or "utf-8", "replace")
    except LookupError:
        text = body.decode("utf-8", "replace")
    return "".join(each if each.isprintable() or each in "\n\t" else " " for each in text)


def _payload(body: bytes) -> bytes | io.BytesIO:
    """Return the body as the client library sends it best: a large one in pieces, so that the loop goes on."""
    return body if len(body) <= _LARGE_BODY_BYTES else io.BytesIO(body)
