"""The workers of one proxy ask each other through sockets in the folder that their parent made for metrics."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from proxy.errors import ConfigError

# A worker that does not answer within this time is stuck, and is left out.
_PATIENCE_S = 0.5
_LONGEST_PATH = 100
_NAME = "admin-{pid}.sock"

Message = Mapping[str, Any]
Answer = Callable[[Message], Message]


class Peers:
    """Put a question to every worker, this one among them.

    Shapes: a question and an answer are one JSON object each, ended by the end of the stream. The folder is its
    owner's alone, so whoever can ask is trusted.
    """

    def __init__(self, folder: Path | None, answer: Answer) -> None:
        self._folder = folder
        self._answer = answer

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Answer the other workers. Raises ConfigError where the folder's name is too long for a socket."""
        if self._folder is None:
            yield
            return
        path = self._folder / _NAME.format(pid=os.getpid())
        if len(os.fsencode(path)) > _LONGEST_PATH:
            raise ConfigError(f"admin: {path} is too long for the name of a socket; set TMPDIR to a shorter one")
        # A worker that died may have had the same number.
        path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(self._serve, path)
        path.chmod(0o600)
        try:
            yield
        finally:
            server.close()
            path.unlink(missing_ok=True)

    async def ask(self, question: Message) -> list[Message | None]:
        """Return the answers of all workers; None for one that is stuck."""
        if self._folder is None:
            return [self._answer(question)]
        paths = sorted(self._folder.glob(_NAME.format(pid="*")))
        answers = await asyncio.gather(*(self._asked(path, question) for path in paths))
        return [answer for found, answer in answers if found]

    async def _asked(self, path: Path, question: Message) -> tuple[bool, Message | None]:
        """Return whether there is such a worker, and its answer."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                reader, writer = await asyncio.open_unix_connection(path)
                try:
                    writer.write(json.dumps(question).encode())
                    writer.write_eof()
                    return True, json.loads(await reader.read())
                finally:
                    writer.close()
        except (ConnectionRefusedError, FileNotFoundError):
            # Left behind by a worker that died.
            return False, None
        except (OSError, TimeoutError, ValueError):
            return True, None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                question = json.loads(await reader.read())
                if isinstance(question, dict):
                    writer.write(json.dumps(self._answer(question)).encode())
                    await writer.drain()
        except (OSError, TimeoutError, ValueError, RecursionError):
            # Whoever asked has left, or was no worker of ours; there is nobody to tell.
            pass
        finally:
            writer.close()
