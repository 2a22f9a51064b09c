"""A real Redis on a free port that can be killed, frozen and started again."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import stage

_PATIENCE_S = 10.0


class RedisServer:
    """Run a server that keeps everything in memory."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._child: subprocess.Popen[bytes] | None = None
        self.port = stage.free_port()

    @property
    def url(self) -> str:
        """The address to configure."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it on its port, and wait until it answers."""
        words = [self._program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        words += ["--save", "", "--appendonly", "no", "--databases", "1", "--io-threads", "1"]
        self._child = subprocess.Popen(
            words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                if self.command("PING") == b"+PONG\r\n":
                    return
            time.sleep(0.02)
        raise AssertionError("redis-server did not start")

    def kill(self) -> None:
        """End it as a power cut would: kill -9, all data lost."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None

    def freeze(self) -> None:
        """Let it take connections and never answer."""
        assert self._child is not None
        os.kill(self._child.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._child is not None
        os.kill(self._child.pid, signal.SIGCONT)

    def command(self, *words: str) -> bytes:
        """Send one command on a connection of its own, and return what comes first."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
            parts = [f"*{len(words)}\r\n", *(f"${len(word.encode())}\r\n{word}\r\n" for word in words)]
            connection.sendall("".join(parts).encode())
            return connection.recv(64 * 1024)


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[RedisServer]:
    """Start Redis, and end it however it is by then. Skips the test where there is none."""
    program = stage.program("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    server = RedisServer(program, folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()
