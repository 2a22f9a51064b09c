"""One process that serves: an event loop, the application, and a clean end; and how its parent speaks to it.

Shapes: both sides write lines. The parent sends the configuration; the worker answers `{"ready": true}`, or
`{"mistakes": [...]}` and ends; the parent then says `go`, and in the end `drain SECONDS`, to which the worker answers
`{"closed": true}` once it takes no more connections. When either of them dies, the line ends, and the other one knows.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from proxy.app import build, metrics_app
from proxy.config import read_settings
from proxy.errors import ConfigError
from proxy.headers import CommonHeaders
from proxy.heap import give_back, settle
from proxy.listener import Deadline, Runner
from proxy.loader import Loaded, check
from proxy.logs import event, start_logging
from proxy.settings import Settings

_START_S = 120.0
# How long a worker may take to end after its own time to drain.
_GRACE_S = 1.5
_TIDY_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A configuration as it was read, unchecked: every worker gets the same one, whatever becomes of the file."""

    tables: Mapping[str, Any]
    folder: Path

    def line(self) -> bytes:
        """Return it as one line of JSON."""
        # A date is no value that any key takes; the check will say so.
        return json.dumps({"tables": self.tables, "folder": str(self.folder)}, default=str).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Plan:
        """Read what `line` wrote."""
        members = json.loads(line)
        return cls(tables=members["tables"], folder=Path(members["folder"]))

    def settings(self) -> Settings:
        """Check the tables of the core only. Raises ConfigError."""
        return read_settings(self.tables, self.folder)

    def loaded(self) -> Loaded:
        """Check everything, plugins too. Raises ConfigError with every mistake."""
        return check(self.tables, self.folder)


class StartFailed(Exception):
    """A worker does not start, and not because of its configuration."""


class Worker:
    """One worker, as its parent sees it: a process, and a line to it that ends when either of them does."""

    def __init__(self, process: asyncio.subprocess.Process, line: socket.socket) -> None:
        self.process = process
        self.line = line
        self.started = time.monotonic()
        self.serving = False

    @classmethod
    async def start(cls, plan: Plan, listener: socket.socket) -> Self:
        """Start a process, and tell it its configuration."""
        fd = listener.fileno()
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        words = (sys.executable, "-m", "proxy.worker", "--fd", str(fd))
        with theirs:
            worker = cls(await asyncio.create_subprocess_exec(*words, stdin=theirs.fileno(), pass_fds=(fd,)), ours)
        with contextlib.suppress(OSError):
            await asyncio.get_running_loop().sock_sendall(ours, plan.line())
        return worker

    async def ready(self) -> None:
        """Wait until it could take connections. Raises StartFailed, or ConfigError with every mistake."""
        try:
            async with asyncio.timeout(_START_S):
                said = await self._heard()
        except TimeoutError:
            raise StartFailed(f"a worker was not ready within {_START_S:g} s") from None
        if not said:
            code = await self.process.wait()
            raise StartFailed(f"a worker ended with code {code} before it was ready; its last words stand in the log")
        if mistakes := json.loads(said).get("mistakes"):
            raise ConfigError(*mistakes)

    async def closed(self) -> None:
        """Wait until it takes no more connections, but not for one that is stuck."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                await self._heard()

    async def _heard(self) -> bytes:
        said = b""
        while not said.endswith(b"\n") and (more := await self._receive()):
            said += more
        return said

    async def _receive(self) -> bytes:
        try:
            return await asyncio.get_running_loop().sock_recv(self.line, 2**16)
        except OSError:
            return b""

    def go(self) -> None:
        """Let it take connections."""
        self.serving = True
        self.tell("go")

    def tell(self, word: str) -> None:
        """Say one word, which fits into the line's buffer; one that is gone hears nothing."""
        with contextlib.suppress(OSError):
            self.line.send(f"{word}\n".encode())

    async def end(self, seconds: float) -> None:
        """Return when it is gone, killed where it takes longer than so many seconds and its own last words."""
        try:
            async with asyncio.timeout(seconds + _GRACE_S):
                await self.process.wait()
        except TimeoutError:
            event("worker.killed", logging.WARNING, pid=self.process.pid)
            self.kill()
            await self.process.wait()
        self.line.close()

    def kill(self) -> None:
        """End it now."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()


def serve(loaded: Loaded, listener: socket.socket, parent: socket.socket) -> int:
    """Serve on an open socket for a parent at the other end of a line, and return the exit code."""
    start_logging(loaded.settings.server.log_level)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        try:
            runner.run(_serve(loaded, listener, parent))
        except ConfigError as error:
            return _refused(parent, error)
    return 0


async def _serve(loaded: Loaded, listener: socket.socket, parent: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    deadline = Deadline()
    drain_s = loaded.settings.server.drain_s
    loop.add_signal_handler(signal.SIGTERM, deadline.within, drain_s)
    loop.add_signal_handler(signal.SIGINT, deadline.within, 0.0)
    async with _prepared(loaded) as runner:
        reader, writer = await asyncio.open_unix_connection(sock=parent)
        settle()
        writer.write(b'{"ready": true}\n')
        if await reader.readline() == b"go\n":
            runner.accept(listener)
            event("worker.ready", endpoints=list(loaded.settings.endpoints))
            beside = [asyncio.ensure_future(each) for each in (_obey(reader, deadline, drain_s), _tidy())]
            await deadline.known()
            event("worker.stopping")
            await runner.refuse()
            writer.write(b'{"closed": true}\n')
            await runner.drain(deadline)
            for each in beside:
                each.cancel()
        writer.close()


async def _obey(reader: asyncio.StreamReader, deadline: Deadline, drain_s: float) -> None:
    """Do what the parent says until it is gone, and end then."""
    while line := await reader.readline():
        deadline.within(float(line.split()[1]))
    deadline.within(drain_s)


async def _tidy() -> None:
    """Keep no memory for long that is free."""
    while True:
        await asyncio.sleep(_TIDY_S)
        await asyncio.to_thread(give_back)


@contextlib.asynccontextmanager
async def running(loaded: Loaded, listener: socket.socket) -> AsyncIterator[None]:
    """Run the application of one worker on an open socket."""
    async with _prepared(loaded) as runner:
        runner.accept(listener)
        yield


@contextlib.asynccontextmanager
async def _prepared(loaded: Loaded) -> AsyncIterator[Runner]:
    """Hold the application of one worker, ready to take connections."""
    server = loaded.settings.server
    app = build(loaded)
    runner = Runner(app, CommonHeaders(server.cors_origins), server)
    runners: list[web.AppRunner] = [runner]
    try:
        await runner.setup()
        if server.metrics_bind:
            metrics = web.AppRunner(metrics_app(app), access_log=None)
            runners.append(metrics)
            await metrics.setup()
            await _bind(metrics, server.metrics_bind)
        yield runner
    finally:
        for each in runners:
            await each.cleanup()


async def _bind(metrics: web.AppRunner, address: str) -> None:
    """Serve the metrics on an address that all workers share. Raises ConfigError."""
    host, _, port = address.rpartition(":")
    try:
        await web.TCPSite(metrics, host or "127.0.0.1", int(port), reuse_port=True).start()
    except (OSError, OverflowError) as error:
        raise ConfigError(f"server.metrics_bind: cannot listen on {address}: {error}") from error


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def _refused(parent: socket.socket, error: ConfigError) -> int:
    with contextlib.suppress(OSError):
        parent.sendall(json.dumps({"mistakes": error.mistakes}).encode() + b"\n")
    return 2


def main() -> int:
    """Serve for the parent that holds the other end of standard input, on the socket that it opened."""
    # A terminal tells all of its processes that it is gone; what to do is the parent's word.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    parser = argparse.ArgumentParser(prog="python -m proxy.worker")
    parser.add_argument("--fd", type=int, required=True)
    args = parser.parse_args()
    parent = socket.socket(fileno=sys.stdin.fileno())
    with parent.makefile("rb") as lines:
        line = lines.readline()
    if not line:
        return 0
    try:
        loaded = Plan.from_line(line).loaded()
    except ConfigError as error:
        return _refused(parent, error)
    return serve(loaded, socket.socket(fileno=args.fd), parent)


if __name__ == "__main__":
    sys.exit(main())
