"""The proxy's side of a child process: start it, ask it, read its frames, end it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import cast

from proxy.endpoints.frames import BadFrame, Decoder, Frame, Kind, decode, encode

# Of one answer so much waits here, besides one read of the pipe and the pipe's own 256 kB; then the child must wait.
_HIGH_BYTES = 512 * 1024
_LAST_WORDS_BYTES = 4096

_ROOT = Path(__file__).resolve().parents[2]


class Gone(Exception):
    """The child ended, or broke the protocol, before its answer did. The text is for the log."""


class Child(asyncio.SubprocessProtocol):
    """One child process that answers one request at a time."""

    def __init__(self, stderr: int) -> None:
        self._stderr = stderr
        self._handle = -1
        self._decoder = Decoder()
        self._arrived: list[Frame] = []
        self._waiting_bytes = 0
        self._ended = False
        self._fault: BadFrame | None = None
        self._wake: asyncio.Future[None] | None = None
        self._exited = asyncio.get_running_loop().create_future()
        self._transport: asyncio.SubprocessTransport
        self._input: asyncio.WriteTransport
        self._output: asyncio.ReadTransport
        # Why we killed it, for whoever reads its answer.
        self.verdict: Exception | None = None

    @classmethod
    async def start(cls, module: str, hello: dict[str, object]) -> Child:
        """Start a program of ours; it answers READY or ERROR. Raises OSError where the system has no room for one."""
        stderr, stderr_of_child = os.pipe()
        os.set_blocking(stderr, False)
        child = cls(stderr)
        loop = asyncio.get_running_loop()
        try:
            # Its own session: Ctrl-C on the terminal is for the proxy, which then ends its children.
            started = loop.create_task(
                loop.subprocess_exec(
                    lambda: child,
                    *(sys.executable, "-P", "-m", module),
                    stderr=stderr_of_child,
                    env=_environment(),
                    cwd="/",
                    start_new_session=True,
                )
            )
            # Shielded for its few milliseconds: asyncio loses the exit code of a process whose start is cancelled.
            await _completed(started, child)
        except BaseException:
            child._close()
            raise
        finally:
            os.close(stderr_of_child)
        child.send({**hello, "parent": os.getpid()})
        return child

    # -- what the event loop calls ---------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the ends of the pipes."""
        # Casts, not checks: the transports of uvloop are no subclasses of asyncio's.
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._input = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        self._output = cast(asyncio.ReadTransport, self._transport.get_pipe_transport(1))
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                self._handle = os.pidfd_open(self._transport.get_pid())

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Cut what arrived into frames; let the child wait when the client is slower than it."""
        try:
            self._arrived += self._decoder.feed(data)
        except BadFrame as error:
            self._fault = error
            self.kill()
        self._waiting_bytes += len(data)
        if self._waiting_bytes > _HIGH_BYTES:
            self._output.pause_reading()
        self._notify()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Remember that nothing more will come."""
        if fd == 1:
            self._ended = True
            self._notify()

    def process_exited(self) -> None:
        """Remember that the process is gone."""
        if not self._exited.done():
            self._exited.set_result(None)

    def _notify(self) -> None:
        wake, self._wake = self._wake, None
        if wake is not None and not wake.done():
            wake.set_result(None)

    # -- what the proxy calls --------------------------------------------------------------------------------------

    @property
    def pid(self) -> int:
        """The process id."""
        return self._transport.get_pid()

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not (self._ended or self._exited.done() or self.verdict or self._fault)

    def send(self, request: dict[str, object]) -> None:
        """Send a request. A child that is gone does not answer, and that is how its asker knows."""
        self._input.write(encode(Kind.REQUEST, request))

    async def receive(self) -> list[Frame]:
        """Return the frames that have arrived, at least one. Raises Gone, or the verdict of whoever killed it."""
        while not self._arrived:
            if self._ended or self._fault:
                raise await self._gone()
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        frames, self._arrived = self._arrived, []
        if self._waiting_bytes > _HIGH_BYTES and not self._ended:
            self._output.resume_reading()
        self._waiting_bytes = 0
        return frames

    async def first(self) -> tuple[Kind, dict[str, object]]:
        """Return the one frame that answers a greeting or a short request. Raises Gone."""
        kind, payload = (await self.receive())[0]
        try:
            return kind, decode(payload)
        except BadFrame as error:
            self.kill()
            raise Gone(str(error)) from error

    def kill(self, verdict: Exception | None = None) -> None:
        """End it now. Only a kill stops a runaway query."""
        if self.verdict is None:
            self.verdict = verdict
        if not self._exited.done():
            with contextlib.suppress(OSError):
                self._signal()

    def _signal(self) -> None:
        """Send SIGKILL to this very process: not to another with its number, and without taking its exit code.

        `transport.kill` looks for the exit code first, and then asyncio's own watcher does not find it.
        """
        if sys.platform == "linux" and self._handle >= 0:
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        else:
            self._transport.kill()

    async def wait(self) -> None:
        """Return once the process is gone and nothing of it is left here."""
        await asyncio.shield(self._exited)
        self._transport.close()
        self._close()

    def _close(self) -> None:
        mine, self._stderr, self._handle = (self._stderr, self._handle), -1, -1
        for handle in mine:
            if handle >= 0:
                os.close(handle)

    async def _gone(self) -> Exception:
        if self.verdict is not None:
            return self.verdict
        words = self._last_words()
        self.kill()
        await asyncio.shield(self._exited)
        what = str(self._fault or "its output ended")
        return Gone(f"{what}; {_ending(self._transport.get_returncode() or 0)}; {words or self._last_words()}")

    def _last_words(self) -> str:
        if self._stderr < 0:
            return ""
        try:
            return os.read(self._stderr, _LAST_WORDS_BYTES).decode("utf-8", "replace").strip()
        except BlockingIOError:
            return ""


async def _completed(started: asyncio.Task[object], child: Child) -> None:
    try:
        await asyncio.shield(started)
    except asyncio.CancelledError:
        await asyncio.wait([started])
        if started.exception() is None:
            child.kill()
            await child.wait()
        raise


def _ending(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"ended by {signal.Signals(-code).name}"
    return f"exit code {code}"


def _environment() -> dict[str, str]:
    """Give a child what Python needs, and none of the proxy's secrets."""
    path = os.environ.get("PYTHONPATH", "")
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join([str(_ROOT), path] if path else [str(_ROOT)]),
        "PYTHONDONTWRITEBYTECODE": os.environ.get("PYTHONDONTWRITEBYTECODE", ""),
        # Fewer heaps: less address space and less memory kept after a query.
        "MALLOC_ARENA_MAX": "2",
    }
