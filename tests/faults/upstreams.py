"""Endpoints that misbehave: slow, dead, half-closed, lying about length, babbling, busy, redirecting."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

from proxy.results.formats import Format
from tests import stage
from tests.faults.fault import Behind, Fault, Peer, Sight, scripted
from tests.profiles import FAILURE_TRACE, blazegraph_tail, results, select
from tests.upstream import Answer, Script, Sent

_NEVER_S = 600.0
_SMALL, _LARGE = select(5), select(3_000)
_BYTES = results(Format.JSON, 5)
_CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\nTransfer-Encoding: chunked\r\n\r\n"
_RESET = Sight(200, end="reset")
_TIMEOUT = Sight(504, "timeout")
_FAILED = Sight(502, "upstream_failed")
_CUT = Sight(502, "truncated")


def _nothing() -> None:
    """There is nothing to forget."""


@asynccontextmanager
async def refusing() -> AsyncIterator[Peer]:
    """Yield an address that refuses connections."""
    yield Peer(f"http://127.0.0.1:{stage.free_port()}/sparql", _nothing)


@asynccontextmanager
async def deaf() -> AsyncIterator[Peer]:
    """Yield an address whose queue of connections is full: whoever connects now waits."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield Peer(f"http://127.0.0.1:{listener.getsockname()[1]}/sparql", _nothing)


def half_closing(data: bytes) -> Behind:
    """Return a peer that says so much, ends its side of the connection, and keeps the other one open."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(data)
            writer.write_eof()
            while await reader.read(2**16):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    @asynccontextmanager
    async def peer() -> AsyncIterator[Peer]:
        async with await asyncio.start_server(serve, "127.0.0.1", 0, backlog=512) as server:
            yield Peer(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/sparql", _nothing)

    return peer


@asynccontextmanager
async def luring() -> AsyncIterator[Peer]:
    """Redirect to another service of this machine, which must hear nothing of it."""
    lured = 0

    async def trap(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal lured
        lured += 1
        writer.close()

    async with await asyncio.start_server(trap, "127.0.0.1", 0) as server:
        target = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/sparql"
        async with scripted(_redirect(307, target))() as peer:
            yield peer
    assert not lured, "a redirect led to a private address"


def _redirect(status: int, target: str) -> Answer:
    return Answer(status=status, type=None, body=b"", headers=[("Location", target)])


def _busy(status: int, said: str | None) -> Answer:
    headers = [] if said is None else [("Retry-After", said)]
    return Answer(status=status, type="text/plain", body=b"slow down", headers=headers)


def _head(answer: Answer) -> bytes:
    return answer.head(len(_BYTES))


def _trickle() -> Iterator[bytes]:
    while True:
        yield b" "


def _trickling(_: Sent) -> Answer:
    return Answer(body=_trickle(), framing="chunked", between_s=0.02)


def _slow() -> Iterator[Fault]:
    def fault(name: str, answer: Answer | Script, **more: float) -> Fault:
        return Fault(
            name=f"slow: {name}", peer=scripted(answer), table={"connect_s": 0.3, **more},
            sees=frozenset({_TIMEOUT}), outcomes=frozenset({"timeout"}),
        )  # fmt: skip

    yield replace(fault("no first byte", Answer(before_head_s=_NEVER_S), first_byte_s=0.1), opens=True)
    silent = fault("headers and no body", Answer(framing="chunked", before_body_s=_NEVER_S), first_byte_s=0.1)
    yield replace(silent, opens=True)
    yield fault("a trickle", _trickling, total_s=0.2)
    stuck = fault("silence in the middle", replace(_LARGE, framing="chunked", cut=250_000, end="stall"), idle_s=0.2)
    # On a busy machine the silence may come before anything was sent on.
    yield replace(stuck, sees=frozenset({_RESET, _TIMEOUT}), outcomes=frozenset({"truncated", "timeout"}))


def _dead() -> Iterator[Fault]:
    def fault(name: str, peer: Behind, reason: str) -> Fault:
        return Fault(
            name=f"dead: {name}", peer=peer, opens=True, retries=reason,
            sees=frozenset({_FAILED}), outcomes=frozenset({"upstream_error"}),
        )  # fmt: skip

    yield fault("refuses connections", refusing, "connect")
    yield replace(
        fault("answers no connection", deaf, "connect"), table={"connect_s": 0.2},
        sees=frozenset({_TIMEOUT}), outcomes=frozenset({"timeout"}),
    )  # fmt: skip
    yield fault("hangs up", scripted(Answer(raw=b"", end="close")), "reset")
    yield fault("resets", scripted(Answer(raw=b"", end="reset")), "reset")
    yield fault("half-closed before the answer", half_closing(b""), "reset")


def _lying() -> Iterator[Fault]:
    def fault(name: str, answer: Answer) -> Fault:
        return Fault(
            name=f"length: {name}", peer=scripted(answer), sees=frozenset({_CUT}), outcomes=frozenset({"truncated"})
        )

    size = len(_BYTES)
    yield fault("too long", replace(_SMALL, length=size + 10, end="close"))
    # What comes with the head, and is more than it said, breaks the answer before it begins; what comes later cuts it.
    short = replace(_SMALL, length=size - 9, end="close")
    yield replace(
        fault("too short", Answer(raw=_head(short) + _BYTES)),
        sees=frozenset({_FAILED}), outcomes=frozenset({"upstream_error"}), opens=True,
    )  # fmt: skip
    yield fault("too short, head first", replace(short, before_body_s=0.05))
    yield fault("none, and cut", replace(_SMALL, framing="close", cut=size - 9))
    whole = fault("none, and whole", replace(_SMALL, framing="close"))
    yield replace(whole, sees=frozenset({Sight(200)}), outcomes=frozenset({"ok"}))
    large = fault("too long, of a large one", replace(_LARGE, length=2_000_000, end="close"))
    yield replace(large, sees=frozenset({_RESET}))
    twice = fault("said twice", replace(_SMALL, headers=[("Content-Length", "7")]))
    yield replace(twice, sees=frozenset({_FAILED}), outcomes=frozenset({"upstream_error"}), opens=True)
    yield replace(whole, name="length: half-closed within the answer", peer=half_closing(_head(_SMALL) + _BYTES[:200]),
                  sees=frozenset({_CUT}), outcomes=frozenset({"truncated"}))  # fmt: skip


def _garbage() -> Iterator[Fault]:
    def fault(name: str, answer: Answer) -> Fault:
        return Fault(
            name=f"garbage: {name}", peer=scripted(answer), sees=frozenset({_CUT}), outcomes=frozenset({"truncated"})
        )

    no_http = replace(
        fault("no HTTP", Answer(raw=b"SSH-2.0-OpenSSH_9.2\r\n\r\n")),
        sees=frozenset({_FAILED}), outcomes=frozenset({"upstream_error"}), opens=True,
    )  # fmt: skip
    yield no_http
    page = b"<html><body>It works!</body></html>"
    for name, answer in (("a page", Answer(type="text/html", body=page)), ("a page as JSON", Answer(body=page))):
        yield replace(no_http, name=f"garbage: {name}", peer=scripted(answer))
    no_gzip = fault("no gzip", replace(_SMALL, headers=[("Content-Encoding", "gzip")]))
    yield replace(no_gzip, opens=True, retries="reset")
    broken = fault("no chunk", Answer(raw=_CHUNKED + b"zz\r\n", end="close"))
    yield replace(broken, sees=frozenset({_FAILED}), outcomes=frozenset({"upstream_error"}), opens=True)


def _traces() -> Iterator[Fault]:
    def fault(name: str, answer: Answer, sight: Sight, outcome: str) -> Fault:
        return Fault(
            name=f"stack trace: {name}", peer=scripted(answer), table={"engine": "blazegraph"},
            sees=frozenset({sight}), outcomes=frozenset({outcome}),
        )  # fmt: skip

    late, broken = blazegraph_tail(Format.JSON, 10_000), blazegraph_tail(Format.JSON, 10_000, FAILURE_TRACE)
    yield fault("time limit after 10,000 rows", late, _RESET, "truncated")
    yield fault("fault after 10,000 rows", broken, _RESET, "truncated")
    yield fault("time limit after 5 rows", blazegraph_tail(Format.JSON, 5), _TIMEOUT, "timeout")


def _busy_ones() -> Iterator[Fault]:
    def fault(name: str, status: int, said: str | None, *retry: int) -> Fault:
        return Fault(
            name=f"busy: {name}", peer=scripted(_busy(status, said)), outcomes=frozenset({"rejected"}),
            sees=frozenset(Sight(503, "upstream_busy", retry=str(each)) for each in retry),
        )  # fmt: skip

    # Whoever comes later is told what is left of the pause.
    left = range(3000, 3601)
    yield fault("429 without Retry-After", 429, None, *range(1, 6))
    yield replace(fault("429 with a second", 429, "1", 1), retries="busy")
    yield fault("429 with seconds", 429, "3600", *left)
    yield fault("429 with a date", 429, "Wed, 21 Oct 2065 07:28:00 GMT", *left)
    yield replace(fault("a storm of 503", 503, None, 5), opens=True)
    yield fault("a storm of 503 with seconds", 503, "3600", *left)


def _redirects() -> Iterator[Fault]:
    def fault(name: str, peer: Behind, reason: str | None = None) -> Fault:
        return Fault(
            name=f"redirect: {name}", peer=peer, opens=True, retries=reason,
            sees=frozenset({_FAILED}), outcomes=frozenset({"upstream_error"}),
        )  # fmt: skip

    yield fault("to the machine's own data", scripted(_redirect(307, "http://169.254.169.254/latest")), "connect")
    yield fault("to a private network", scripted(_redirect(308, "http://10.0.0.1/sparql")), "connect")
    yield fault("to another service here", luring, "connect")
    yield fault("to itself, for ever", scripted(_redirect(307, "/sparql")))
    yield fault("that would make a GET of a POST", scripted(_redirect(302, "/sparql")))


UPSTREAMS = [*_slow(), *_dead(), *_lying(), *_garbage(), *_traces(), *_busy_ones(), *_redirects()]
