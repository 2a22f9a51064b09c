"""The workers of one proxy ask each other through sockets in the folder that their parent made for metrics.

A thread of its own answers: where many queries make the rounds of a worker's loop long, and an exchange takes many of
them, the loop would answer after seconds.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from proxy.errors import ConfigError

# A worker that does not answer within this time is stuck, or starved; who asked is to hear within a second.
_PATIENCE_S = 0.75
# Without room for another connection.
_PAUSE_S = 0.1
_LONGEST_PATH = 100
_PIECE = 2**16
_NAME = "admin-{pid}.sock"

Message = Mapping[str, Any]
Answer = Callable[[Message], Message]


class Peers:
    """Put a question to every worker, this one among them.

    Shapes: a question and an answer are one JSON object each, ended by the end of the stream. ``answer`` is called in
    the loop and in a thread. The folder is its owner's alone, so whoever can ask is trusted. Units: ``patience_s`` in
    seconds.
    """

    def __init__(self, folder: Path | None, answer: Answer, patience_s: float = _PATIENCE_S) -> None:
        self._folder = folder
        self._name = _NAME.format(pid=os.getpid())
        self._answer = answer
        self._patience_s = patience_s
        self._closing = False

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Answer the other workers. Raises ConfigError where the folder's name is too long for a socket."""
        if self._folder is None:
            yield
            return
        path = self._folder / self._name
        if len(os.fsencode(path)) > _LONGEST_PATH:
            raise ConfigError(f"admin: {path} is too long for the name of a socket; set TMPDIR to a shorter one")
        # A worker that died may have had the same number.
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            path.chmod(0o600)
            listener.listen()
            thread = threading.Thread(target=self._serve, args=(listener,), name="admin.peers", daemon=True)
            thread.start()
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
                self._closing = True
                # Wakes the one who waits in it.
                listener.shutdown(socket.SHUT_RDWR)
                await asyncio.to_thread(thread.join)

    async def ask(self, question: Message) -> list[Message | None]:
        """Return the answers of all workers; None for one that is late, which does as it was asked once it can."""
        own = self._answer(question)
        if self._folder is None:
            return [own]
        paths = sorted(path for path in self._folder.glob(_NAME.format(pid="*")) if path.name != self._name)
        answers = await asyncio.gather(*(_asked(path, question, self._patience_s) for path in paths))
        return [own, *(answer for found, answer in answers if found)]

    def _serve(self, listener: socket.socket) -> None:
        while not self._closing:
            try:
                line, _ = listener.accept()
            except OSError:
                time.sleep(_PAUSE_S)
                continue
            # Whoever asked may have left, or be no worker of ours; there is nobody to tell.
            with line, suppress(OSError, ValueError, RecursionError):
                line.settimeout(self._patience_s)
                question = json.loads(_read(line))
                if isinstance(question, dict):
                    line.sendall(json.dumps(self._answer(question)).encode())


def _read(line: socket.socket) -> bytes:
    data = b""
    while more := line.recv(_PIECE):
        data += more
    return data


async def _asked(path: Path, question: Message, patience_s: float) -> tuple[bool, Message | None]:
    """Return whether there is such a worker, and its answer."""
    loop = asyncio.get_running_loop()
    data = b""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.setblocking(False)
            # Within a machine this is done at once or never.
            line.connect(str(path))
            async with asyncio.timeout(patience_s):
                await loop.sock_sendall(line, json.dumps(question).encode())
                line.shutdown(socket.SHUT_WR)
                while more := await loop.sock_recv(line, _PIECE):
                    data += more
            return True, json.loads(data)
    except (ConnectionRefusedError, FileNotFoundError):
        # Left behind by a worker that died.
        return False, None
    except (OSError, TimeoutError, ValueError):
        return True, None
