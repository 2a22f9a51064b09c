"""The child's side of the pipe: frames in from standard input, frames out, errors in words."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import sys
from typing import Any

from proxy.endpoints.folder import StoreDamaged, StoreMissing
from proxy.endpoints.frames import Decoder, Kind, decode, encode, header
from proxy.endpoints.gate import StoreBusy

_READ_BYTES = 65536
_PIPE_BYTES = 256 * 1024
_LONGEST_MESSAGE = 4000


class Pipe:
    """Speak frames over two file descriptors. Blocks: that is the back-pressure of a slow client."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self._sink = sink
        self._decoder = Decoder()
        self.waiting: list[bytes] = []

    @classmethod
    def take_over(cls) -> Pipe:
        """Claim standard input and output; what anything else prints goes to standard error."""
        sink = os.dup(1)
        os.dup2(2, 1)
        if sys.platform == "linux":
            with contextlib.suppress(OSError):  # above the user's allowance of pipe memory the smaller pipe will do
                fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        return cls(0, sink)

    def receive(self) -> dict[str, Any] | None:
        """Return the next request, or None when the proxy closed the pipe."""
        while not self.waiting:
            data = os.read(self.source, _READ_BYTES)
            if not data:
                return None
            self.waiting += [body for _, body in self._decoder.feed(data)]
        return decode(self.waiting.pop(0))

    def send(self, kind: Kind, payload: bytes) -> None:
        """Send one frame."""
        self._write(header(kind, len(payload)), payload)

    def send_last(self, data: bytes, kind: Kind, members: dict[str, Any]) -> None:
        """Send the rest of the data, if any, and a closing frame."""
        if data:
            self._write(header(Kind.DATA, len(data)), data, encode(kind, members))
        else:
            self._write(encode(kind, members))

    def _write(self, *parts: bytes) -> None:
        try:
            written = os.writev(self._sink, parts)
            whole = sum(map(len, parts))
            if written < whole:
                rest = memoryview(b"".join(parts))
                while written < whole:
                    written += os.write(self._sink, rest[written:])
        except OSError:
            os._exit(0)  # the proxy is gone, or does not want the answer: there is nobody to tell


_KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (SyntaxError, "syntax"),
    (StoreMissing, "missing"),
    (StoreBusy, "busy"),
    (StoreDamaged, "store"),
    (MemoryError, "memory"),
    (OSError, "storage"),
    (ValueError, "request"),
)


_EVALUATION = re.compile(r"The custom function .* is not supported|The graph .* (?:does not|already) exists?")


def complaint(error: BaseException) -> dict[str, str]:
    """Return the members of an ERROR frame: a kind from a closed set, and the message."""
    message = f"{error}"[:_LONGEST_MESSAGE]
    if isinstance(error, RuntimeError):
        # Oxigraph says so what the query asks for in vain, and that its files are damaged.
        return {"kind": "evaluation" if _EVALUATION.match(message) else "storage", "message": message}
    return {"kind": next((kind for type_, kind in _KINDS if isinstance(error, type_)), "panic"), "message": message}
