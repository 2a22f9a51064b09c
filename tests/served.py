"""`saga serve` as an operator runs it: a process of its own, its configuration file, its workers and its log."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests import stage, wire

_PATIENCE_S = 30.0
_PROC = Path("/proc")


class Served:
    """One proxy that runs; ``config`` is its file, written anew before a reload."""

    def __init__(self, config: Path, log: Path, base: str, child: subprocess.Popen[bytes]) -> None:
        self.config = config
        self.base = base
        self.child = child
        self._log = log
        self._read = 0
        self._events: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)

    @property
    def sparql(self) -> str:
        """The address of the default endpoint."""
        return f"{self.base}/sparql"

    @property
    def port(self) -> int:
        """The port of the proxy."""
        return int(self.base.rpartition(":")[2])

    def log(self, event: str) -> list[dict[str, Any]]:
        """Return the lines of an event, the oldest first."""
        with self._log.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole, _, _ = new.rpartition(b"\n")
        self._read += len(whole) + bool(whole)
        for line in whole.splitlines():
            # What is no object was printed by something else.
            with contextlib.suppress(ValueError, TypeError, KeyError):
                members = json.loads(line)
                self._events[members["event"]].append(members)
        return list(self._events[event])

    @property
    def said(self) -> str:
        """Everything that the process wrote, for a test that failed."""
        return self._log.read_text(errors="replace")

    async def logged(self, event: str, count: int = 1) -> dict[str, Any]:
        """Wait until an event was logged so often, and return the last one."""
        await self.until(lambda: len(self.log(event)) >= count, f"{count} x {event}")
        return self.log(event)[-1]

    async def reload(self, config: str | None = None) -> None:
        """Ask for a reload, and wait for its end, whichever."""
        if config is not None:
            self.config.write_text(config)
        before = len(self.log("reload.done") + self.log("reload.refused"))
        self.child.send_signal(signal.SIGHUP)
        await self.until(lambda: len(self.log("reload.done") + self.log("reload.refused")) > before, "a reload")

    async def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds."""
        end = time.monotonic() + _PATIENCE_S
        while not holds():
            assert time.monotonic() < end, f"{what} did not come:\n{self.said}"
            await asyncio.sleep(0.05)

    @property
    def workers(self) -> list[int]:
        """The process ids of the workers, those that drain among them."""
        return sorted(pid for pid in children(self.child.pid) if b"proxy.worker" in _command(pid))

    async def stopped(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a stop signal, wait for the end, and return the exit code."""
        self.child.send_signal(number)
        return await asyncio.to_thread(self.child.wait, _PATIENCE_S)


@asynccontextmanager
async def served(
    folder: Path,
    config: str,
    *words: str,
    environment: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
) -> AsyncIterator[Served]:
    """Start a proxy, wait until it answers, and end it with all that it started."""
    port = stage.free_port()
    file, log = folder / "saga.toml", folder / "log"
    file.write_text(config)
    command = [sys.executable, "-m", "proxy", "serve", "--config", str(file), "--port", str(port), *words]
    child = _started(command, log, {**os.environ, **(environment or {})}, stdin)
    proxy = Served(file, log, f"http://127.0.0.1:{port}", child)
    try:
        await asyncio.to_thread(stage.wait_for, f"{proxy.base}/health/live", child)
        yield proxy
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _started(command: list[str], log: Path, environment: dict[str, str], stdin: int) -> subprocess.Popen[bytes]:
    with log.open("wb") as sink:
        return subprocess.Popen(
            command,
            cwd=stage.ROOT,
            start_new_session=True,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=sink,
            env=environment,
        )


class Client:
    """A client that keeps its connection as long as it is told to."""

    def __init__(self, url: str, headers: wire.Headers = wire.NO_HEADERS) -> None:
        self._url = url
        self._headers = headers
        self._stack = contextlib.AsyncExitStack()
        self._connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        # Our end of the last connection.
        self.port = 0

    @property
    def connected(self) -> bool:
        """Whether it holds a connection."""
        return self._connection is not None

    async def ask(self, text: str, type: str = wire.QUERY) -> wire.Received:
        """Send a query, on the connection that is there or on a new one."""
        if self._connection is not None and self._is_over(*self._connection):
            await self.close()
        if self._connection is None:
            self._connection = await self._stack.enter_async_context(wire.connected(self._url))
        reader, writer = self._connection
        self.port = writer.get_extra_info("sockname")[1]
        writer.write(wire.request(self._url, "POST", {"Content-Type": type, **self._headers}, text.encode()))
        received = await wire.receive(reader, "POST")
        if received.end != "whole" or received.header("connection") == "close":
            await self.close()
        return received

    @staticmethod
    def _is_over(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Whether the other side has ended the connection since the last answer."""
        return reader.at_eof() or writer.is_closing() or reader.exception() is not None

    async def close(self) -> None:
        """Let go of the connection."""
        self._connection = None
        await self._stack.aclose()

    async def closed_by_the_other(self) -> bytes:
        """Wait until the other side ends the connection, and return what it still sent. A reset raises."""
        assert self._connection is not None
        async with asyncio.timeout(_PATIENCE_S):
            return await self._connection[0].read()


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    found = []
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                # After the name in brackets, which may hold anything: the state, then the parent.
                state, parent, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(parent) == pid and state != "Z":
                    found.append(int(folder.name))
    return found


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return (_PROC / str(pid) / "cmdline").read_bytes()
    return b""
