"""A client of bare sockets: it hides nothing, neither bytes nor how the connection ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, urlencode, urlsplit

FORM = "application/x-www-form-urlencoded"
QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"

End = Literal["whole", "closed", "reset"]
Headers = Mapping[str, str]
Pairs = Iterable[tuple[str, str]] | Mapping[str, str]
NO_HEADERS: Headers = {}

# Longer than any request of a test takes: a proxy that never answers must fail its test, not stop the suite.
_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """Hold a response as it came.

    Shapes: ``headers`` in their order, by lower-case name; ``body`` without the chunks' frames. ``end`` is "whole"
    where the framing says that all is there, else how the connection ended in the middle of it: "closed" or "reset".
    A body that only the end of the connection ends (HTTP/1.0) is "closed" where all is well.
    """

    version: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    end: End

    def header(self, name: str) -> str | None:
        """Return a header, or None."""
        found = self.every(name)
        return ", ".join(found) if found else None

    def every(self, name: str) -> list[str]:
        """Return all values of a header."""
        return [value for key, value in self.headers if key == name.lower()]

    @property
    def type(self) -> str:
        """The media type, without its parameters."""
        return (self.header("content-type") or "").partition(";")[0].strip().lower()

    @property
    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)

    @property
    def values(self) -> list[dict[str, str]]:
        """The rows of a SELECT, each a value by variable."""
        return [{name: term["value"] for name, term in row.items()} for row in self.json["results"]["bindings"]]


async def get(url: str, fields: Pairs = (), headers: Headers = NO_HEADERS, method: str = "GET") -> Received:
    """Send a request without a body."""
    encoded = urlencode(list(fields.items() if isinstance(fields, Mapping) else fields), quote_via=quote)
    return await send(f"{url}?{encoded}" if encoded else url, method, headers)


async def post(url: str, fields: Pairs, headers: Headers = NO_HEADERS) -> Received:
    """Send a form."""
    encoded = urlencode(list(fields.items() if isinstance(fields, Mapping) else fields))
    return await send(url, "POST", {"Content-Type": FORM, **headers}, encoded.encode())


async def direct(
    url: str, text: str, type: str = QUERY, headers: Headers = NO_HEADERS, method: str = "POST"
) -> Received:
    """Send the text itself as the body."""
    return await send(url, method, {"Content-Type": type, **headers}, text.encode())


async def send(
    url: str, method: str, headers: Headers = NO_HEADERS, body: bytes | None = None, version: str = "1.1"
) -> Received:
    """Send one request on a connection of its own, and read whatever comes until it is whole or cut."""
    async with connected(url) as (reader, writer):
        writer.write(request(url, method, headers, body, version))
        return await receive(reader, method)


def request(
    url: str, method: str, headers: Headers = NO_HEADERS, body: bytes | None = None, version: str = "1.1"
) -> bytes:
    """Return the bytes of a request; Host, Content-Length and Connection are added where they are not given."""
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    given = {name.lower() for name in headers}
    lines = [f"{method} {target} HTTP/{version}"]
    if "host" not in given:
        lines.append(f"Host: {parts.netloc}")
    if body is not None and not given & {"content-length", "transfer-encoding"}:
        lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a connection, and close it."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=2**20)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def receive(reader: asyncio.StreamReader, method: str = "GET") -> Received:
    """Read one response. Raises TimeoutError where it does not come."""
    async with asyncio.timeout(_PATIENCE_S):
        return await _receive(reader, method)


async def _receive(reader: asyncio.StreamReader, method: str) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *rest = head.rstrip("\r\n").split("\r\n")
    version, status, *_ = line.split(" ")
    headers = tuple((name.strip().lower(), value.strip()) for name, _, value in (each.partition(":") for each in rest))
    body = bytearray()
    end = await _body(reader, dict(headers), body, bodiless=method == "HEAD" or status in ("204", "304"))
    return Received(version=version, status=int(status), headers=headers, body=bytes(body), end=end)


async def _body(reader: asyncio.StreamReader, headers: Headers, body: bytearray, *, bodiless: bool) -> End:
    """Fill the body, and say how it ended."""
    try:
        if bodiless:
            return "whole"
        if headers.get("transfer-encoding") == "chunked":
            await _chunks(reader, body)
        elif "content-length" in headers:
            await _exactly(reader, int(headers["content-length"]), body)
        else:
            while data := await reader.read(2**16):
                body += data
            return "closed"
    except asyncio.IncompleteReadError:
        return "closed"
    except ConnectionError:
        return "reset"
    return "whole"


async def _chunks(reader: asyncio.StreamReader, body: bytearray) -> None:
    while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
        await _exactly(reader, size, body)
        await reader.readexactly(2)
    while await reader.readuntil(b"\r\n") != b"\r\n":
        pass


async def _exactly(reader: asyncio.StreamReader, size: int, body: bytearray) -> None:
    """Read so many bytes, keeping those that come before the connection breaks."""
    while size:
        data = await reader.read(min(size, 2**16))
        if not data:
            raise asyncio.IncompleteReadError(b"", size)
        body += data
        size -= len(data)
