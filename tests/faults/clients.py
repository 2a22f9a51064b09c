"""Clients that misbehave: they leave, stall, never finish, and flood."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote, urlsplit

from proxy.results.formats import Format
from tests import wire
from tests.faults.fault import ACCEPT, Fault, Sight, Visit, scripted, seen, text
from tests.profiles import results, rows, select
from tests.upstream import Answer, Sent

_NEVER_S = 600.0
_LATE = Answer(before_head_s=_NEVER_S)
_PIPELINED = 20
# Small, so that little fits between the proxy and a client that does not read.
_BUFFER_BYTES = 4096
_TIMEOUT = Sight(504, "timeout")
_BEGUN = results(Format.JSON, 2_000)[:-3]
_FEW, _MANY = b"," + rows(5), b"," + rows(1_000)


def _endless(_: Sent) -> Answer:
    """Answer with rows for ever, as fast as they are taken."""
    return Answer(body=_rows(_MANY), framing="chunked")


def _dripping(_: Sent) -> Answer:
    """Answer with rows for ever, a few at a time."""
    return Answer(body=_rows(_FEW), framing="chunked", between_s=0.01)


def _rows(more: bytes) -> Iterator[bytes]:
    yield _BEGUN
    while True:
        yield more


def _bytes(url: str, number: int) -> bytes:
    return wire.request(f"{url}?query={quote(text(number))}", "GET", ACCEPT)


def leaves(wanted: int, gently: str) -> Visit:
    """Return a client that leaves once it has read so many bytes; with none, a moment after it has asked."""

    async def visit(url: str, number: int) -> Sight | None:
        async with wire.connected(url) as (reader, writer):
            writer.write(_bytes(url, number))
            await (reader.readexactly(wanted) if wanted else asyncio.sleep(0.05))
            if gently:
                writer.close()
        return None

    return visit


def reads(step: int) -> Visit:
    """Return a client that reads so many bytes now and then, until the proxy has enough of it."""

    async def visit(url: str, number: int) -> Sight | None:
        loop = asyncio.get_running_loop()
        parts = urlsplit(url)
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
            sock.setblocking(False)
            await loop.sock_connect(sock, (parts.hostname, parts.port))
            await loop.sock_sendall(sock, _bytes(url, number))
            async with asyncio.timeout(120):
                if b" 200" not in await loop.sock_recv(sock, len(b"HTTP/1.1 200")):
                    # On a busy machine the time is over before there is anything to stall.
                    return _TIMEOUT
                # A reset is seen before what came before it was read; an end would not be.
                while not sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                    await asyncio.sleep(0.05)
                    if step and not await loop.sock_recv(sock, step):
                        raise AssertionError("a cut answer ended as if it were whole")
        return None

    return visit


def sends(data: bytes) -> Visit:
    """Return a client that sends so much and waits for whatever comes."""

    async def visit(url: str, _: int) -> Sight | None:
        async with wire.connected(url) as (reader, writer):
            writer.write(data)
            try:
                return seen(await wire.receive(reader))
            except (asyncio.IncompleteReadError, ConnectionError):
                return None

    return visit


async def pipelines(url: str, number: int) -> Sight | None:
    """Send many requests at once, and read the answers in their order."""
    async with wire.connected(url) as (reader, writer):
        writer.write(b"".join(_bytes(url, number * _PIPELINED + each) for each in range(_PIPELINED)))
        sights = {seen(await wire.receive(reader)) for _ in range(_PIPELINED)}
    (sight,) = sights
    return sight


async def pipelines_and_leaves(url: str, number: int) -> Sight | None:
    """Send many requests at once, and leave after the first answer."""
    async with wire.connected(url) as (reader, writer):
        writer.write(b"".join(_bytes(url, number * _PIPELINED + each) for each in range(_PIPELINED)))
        await wire.receive(reader)
    return None


def _leaving() -> Iterator[Fault]:
    def fault(name: str, answer: Answer, wanted: int, gently: str = "") -> Fault:
        return Fault(
            name=f"leaves: {name}", peer=scripted(answer), visit=leaves(wanted, gently),
            sees=frozenset({None}), outcomes=frozenset({"cancelled"}),
        )  # fmt: skip

    yield fault("before the first byte", _LATE, 0)
    yield fault("before the first byte, gently", _LATE, 0, "gently")
    bare = Answer(framing="chunked", before_body_s=_NEVER_S)
    yield fault("after the headers of the endpoint", bare, 0)
    yield replace(fault("in the middle", _LATE, 200_000), peer=scripted(_dripping))
    yield replace(fault("in the middle, gently", _LATE, 200_000, "gently"), peer=scripted(_dripping))


def _stalling() -> Iterator[Fault]:
    def fault(name: str, visit: Visit) -> Fault:
        return Fault(
            name=f"stalls: {name}", peer=scripted(_endless), visit=visit, table={"total_s": 0.4},
            sees=frozenset({None, _TIMEOUT}), outcomes=frozenset({"truncated", "cancelled", "timeout"}),
        )  # fmt: skip

    yield fault("never reads", reads(0))
    yield fault("reads a byte at a time", reads(1))


def _unfinished() -> Iterator[Fault]:
    def fault(name: str, data: bytes, sight: Sight | None, *outcomes: str) -> Fault:
        return Fault(
            name=f"never finishes: {name}", peer=scripted(Answer()), visit=sends(data),
            server={"head_s": 0.2, "body_s": 0.2}, sees=frozenset({sight}), outcomes=frozenset(outcomes),
        )  # fmt: skip

    form = b"POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    slow = Sight(408, "slow_request")
    yield fault("says nothing", b"", None)
    yield fault("half a request line", b"GET /spa", None)
    yield fault("half a head", b"GET /sparql?query=ASK%7B%7D HTTP/1.1\r\nHost: x\r\nAcc", None)
    yield fault("half a body", form + b"Content-Length: 100\r\n\r\nquery=ASK", slow, "client_error")
    yield fault("half a chunk", form + b"Transfer-Encoding: chunked\r\n\r\n64\r\nquery=ASK", slow, "client_error")


def _flooding() -> Iterator[Fault]:
    def fault(name: str, visit: Visit, *sees: Sight | None) -> Fault:
        return Fault(
            name=f"floods: {name}", peer=scripted(select(5)), visit=visit, sees=frozenset(sees), outcomes=frozenset()
        )

    def pipeline(name: str, visit: Visit, sight: Sight | None) -> Fault:
        return replace(fault(name, visit, sight), outcomes=frozenset({"ok", "cancelled"}), most=_PIPELINED)

    head = b"GET /sparql?query=ASK%7B%7D HTTP/1.1\r\nHost: x\r\n"
    too_long = Sight(414, "line_too_long")
    yield pipeline("pipelines", pipelines, Sight(200))
    yield pipeline("pipelines and leaves", pipelines_and_leaves, None)
    yield fault("a huge header", sends(head + b"X-Large: " + b"x" * 200_000 + b"\r\n\r\n"), too_long)
    yield fault("a huge request line", sends(b"GET /sparql?query=" + b"x" * 1_200_000 + b" HTTP/1.1\r\n\r\n"), too_long)
    many = b"".join(b"X-%d: 1\r\n" % number for number in range(5_000))
    yield fault("thousands of headers", sends(head + many + b"\r\n"), Sight(400, "bad_request"))
    yield fault("no HTTP", sends(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"), Sight(400, "bad_request"))


CLIENTS = [*_leaving(), *_stalling(), *_unfinished(), *_flooding()]
