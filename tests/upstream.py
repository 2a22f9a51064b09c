"""A SPARQL endpoint on loopback that does what it is told, also what no endpoint should.

It speaks HTTP byte by byte itself, so that it can misbehave at every byte, and it records what it was sent and when
its client left.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self, cast
from urllib.parse import parse_qs

from proxy.results.formats import Format

Framing = Literal["length", "chunked", "close"]
End = Literal["whole", "close", "reset", "stall"]
Script = Callable[["Sent"], "Answer"]

TRUE = b'{"head":{},"boolean":true}'
_PIECE = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Say what the endpoint does with one request.

    Shapes: ``body`` is one piece or many (an iterable is read once, as it is sent); ``type`` None sends no
    Content-Type; ``raw`` is sent instead of everything else. ``length`` is a Content-Length that need not be true.
    ``cut`` is how many bytes of the body are sent before ``end`` happens; None sends them all. With ``end`` "whole"
    the body ends as its framing says; "close", "reset" and "stall" leave the framing open.
    Units: the delays in seconds: before the status line, before the body, and between its pieces.
    """

    status: int = 200
    type: str | None = Format.JSON.media_type
    body: bytes | Iterable[bytes] = TRUE
    headers: Sequence[tuple[str, str]] = ()
    framing: Framing = "length"
    length: int | None = None
    gzip: bool = False
    version: str = "1.1"
    before_head_s: float = 0.0
    before_body_s: float = 0.0
    between_s: float = 0.0
    cut: int | None = None
    end: End = "whole"
    raw: bytes | None = None

    def pieces(self) -> Iterable[bytes]:
        """Return the body as it is sent."""
        pieces = (self.body,) if isinstance(self.body, bytes) else self.body
        return _gzipped(pieces) if self.gzip else pieces

    def head(self, body_bytes: int) -> bytes:
        """Return the status line and the headers."""
        lines = [f"HTTP/{self.version} {self.status} As-told"]
        headers = list(self.headers)
        if self.type is not None:
            headers.append(("Content-Type", self.type))
        if self.gzip:
            headers.append(("Content-Encoding", "gzip"))
        if self.framing == "length":
            headers.append(("Content-Length", str(body_bytes if self.length is None else self.length)))
        elif self.framing == "chunked":
            headers.append(("Transfer-Encoding", "chunked"))
        lines += [f"{name}: {value}" for name, value in headers]
        return "\r\n".join([*lines, "", ""]).encode()


@dataclass(slots=True)
class Sent:
    """Record one request, and whether its client waited for the answer.

    Shapes: ``headers`` by lower-case name; ``form`` is the body where it is a form, as lists of values.
    Units: ``arrived`` and ``left`` are moments of the monotonic clock, in seconds.
    """

    method: str
    path: str
    query_string: str
    headers: dict[str, str]
    body: bytes
    arrived: float
    form: dict[str, list[str]] = field(default_factory=dict)
    answered: bool = False
    left: float | None = None
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def text(self) -> str:
        """The query or update, however it was sent."""
        if self.form:
            return next(value for name in ("query", "update") for value in self.form.get(name, ()))
        return self.body.decode()

    async def departure(self, seconds: float = 2.0) -> None:
        """Wait until the client has left without the whole answer. Raises TimeoutError where it stays."""
        async with asyncio.timeout(seconds):
            await self.gone.wait()


class Upstream:
    """Serve a script: the answers in their order, the last one for ever; or one that looks at the request."""

    def __init__(self, *script: Answer | Script) -> None:
        self._script = script or (Answer(),)
        self._server: asyncio.Server | None = None
        self._arrival = asyncio.Condition()
        self._open: set[_Connection] = set()
        self.sent: list[Sent] = []
        self.connections = 0

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", 0, backlog=512)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Drop everybody."""
        assert self._server is not None
        self._server.close()
        for connection in tuple(self._open):
            await connection.stop()

    @property
    def url(self) -> str:
        """The address to configure."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/sparql"

    @property
    def last(self) -> Sent:
        """The newest request."""
        return self.sent[-1]

    async def arrival(self, count: int = 1, seconds: float = 2.0) -> Sent:
        """Wait for so many requests and return the last of them. Raises TimeoutError."""
        async with asyncio.timeout(seconds), self._arrival:
            await self._arrival.wait_for(lambda: len(self.sent) >= count)
        return self.sent[count - 1]

    async def answer(self, sent: Sent) -> Answer:
        """Take the request down and choose its answer."""
        entry = self._script[min(len(self.sent), len(self._script) - 1)]
        async with self._arrival:
            self.sent.append(sent)
            self._arrival.notify_all()
        return entry if isinstance(entry, Answer) else entry(sent)

    def opened(self, connection: _Connection) -> None:
        """Count a connection."""
        self.connections += 1
        self._open.add(connection)

    def closed(self, connection: _Connection) -> None:
        """Forget a connection."""
        self._open.discard(connection)


class _Connection(asyncio.Protocol):
    """One client: its requests, one after the other."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._buffer = bytearray()
        self._more = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._lost = False
        self._current: Sent | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A cast, since the transports of uvloop are of no class that asyncio knows.
        self._transport = cast(asyncio.Transport, transport)
        self._upstream.opened(self)
        self._task = asyncio.ensure_future(self._serve())

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._more.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        self._more.set()
        self._writable.set()
        self._upstream.closed(self)
        if self._current is not None and not self._current.answered:
            self._current.left = time.monotonic()
            self._current.gone.set()
        self._task.cancel()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def stop(self) -> None:
        self._transport.abort()
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _serve(self) -> None:
        while not self._lost:
            head = bytes(await self._until(b"\r\n\r\n"))
            self._current = sent = _sent(head)
            size = int(sent.headers.get("content-length", 0))
            while len(self._buffer) < size:
                await self._receive()
            sent.body = bytes(self._buffer[:size])
            del self._buffer[:size]
            if sent.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
                sent.form = parse_qs(sent.body.decode(), keep_blank_values=True, strict_parsing=bool(sent.body))
            await self._act(await self._upstream.answer(sent), sent)

    async def _until(self, mark: bytes) -> bytearray:
        while mark not in self._buffer:
            await self._receive()
        end = self._buffer.index(mark) + len(mark)
        found = self._buffer[:end]
        del self._buffer[:end]
        return found

    async def _receive(self) -> None:
        self._more.clear()
        await self._more.wait()

    async def _act(self, answer: Answer, sent: Sent) -> None:
        await asyncio.sleep(answer.before_head_s)
        if answer.raw is not None:
            await self._write(answer.raw)
        else:
            pieces = answer.pieces()
            if answer.framing == "length":
                pieces = list(pieces)
            await self._write(answer.head(sum(map(len, pieces)) if isinstance(pieces, list) else 0))
            await asyncio.sleep(answer.before_body_s)
            async for piece in _up_to(answer.cut, pieces):
                await self._write(b"%x\r\n%b\r\n" % (len(piece), piece) if answer.framing == "chunked" else piece)
                await asyncio.sleep(answer.between_s)
        await self._finish(answer, sent)

    async def _write(self, data: bytes) -> None:
        await self._writable.wait()
        if not self._lost:
            self._transport.write(data)

    async def _finish(self, answer: Answer, sent: Sent) -> None:
        if answer.end == "stall":
            await asyncio.Event().wait()
        sent.answered = True
        if answer.end == "whole" and answer.framing == "chunked" and answer.raw is None:
            await self._write(b"0\r\n\r\n")
        if answer.end == "reset":
            # What was written must have left before the reset overtakes it.
            await asyncio.sleep(0.05)
            sock = self._transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()
        elif answer.end == "close" or answer.framing == "close" or answer.version == "1.0" or answer.raw is not None:
            self._transport.close()


def _sent(head: bytes) -> Sent:
    line, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = line.split(" ")
    path, _, query_string = target.partition("?")
    headers = {name.strip().lower(): value.strip() for name, _, value in (each.partition(":") for each in rest)}
    return Sent(method, path, query_string, headers, b"", time.monotonic())


async def _up_to(count: int | None, pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Yield so many bytes of the pieces, none of them empty or large."""
    left = float("inf") if count is None else count
    for whole in pieces:
        for start in range(0, len(whole), _PIECE):
            piece = whole[start : start + _PIECE]
            if left <= 0:
                return
            yield piece if len(piece) <= left else piece[: int(left)]
            left -= len(piece)


def _gzipped(pieces: Iterable[bytes]) -> Iterable[bytes]:
    packer = zlib.compressobj(wbits=31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
