"""The frames between the proxy and its child processes, pure: bytes in, frames out.

An answer is a row of DATA frames and then one END or one ERROR. An answer without that last frame is not whole,
whatever its bytes look like; nothing that a query returns can imitate it, because every frame states its length.
"""

from __future__ import annotations

import json
import struct
from enum import IntEnum

_HEADER = struct.Struct(">BI")
HEADER_BYTES = _HEADER.size

# A frame above this is garbage on the pipe, not an answer: readers write blocks of 8 kB.
MAX_FRAME_BYTES = 64 * 1024 * 1024


class Kind(IntEnum):
    """What a frame holds. Texts are JSON objects."""

    READY = 1
    DATA = 2
    END = 3
    ERROR = 4
    REQUEST = 5


# After a complaint of these kinds a child ends itself: its state cannot be trusted.
FATAL = frozenset({"panic", "memory", "store", "storage"})

Frame = tuple[Kind, bytes]


class BadFrame(Exception):
    """Bytes on the pipe are not a frame: the process at the other end cannot be trusted any more."""


def header(kind: Kind, size: int) -> bytes:
    """Return the bytes in front of a payload."""
    return _HEADER.pack(kind, size)


def encode(kind: Kind, members: dict[str, object]) -> bytes:
    """Return a whole frame that holds a JSON object."""
    body = json.dumps(members).encode()
    return header(kind, len(body)) + body


def decode(payload: bytes) -> dict[str, object]:
    """Return the JSON object of a frame. Raises BadFrame."""
    try:
        members = json.loads(payload)
    except ValueError as error:
        raise BadFrame("a frame's text is not JSON") from error
    if not isinstance(members, dict):
        raise BadFrame("a frame's text is not an object")
    return members


class Decoder:
    """Cut a stream into frames, wherever its reads happened to end."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that are complete now. Raises BadFrame."""
        rest = self._rest
        rest += data
        frames: list[Frame] = []
        start, size = 0, len(rest)
        while size - start >= HEADER_BYTES:
            number, length = _HEADER.unpack_from(rest, start)
            kind = _kind(number, length)
            end = start + HEADER_BYTES + length
            if end > size:
                break
            frames.append((kind, bytes(memoryview(rest)[start + HEADER_BYTES : end])))
            start = end
        del rest[:start]
        return frames

    @property
    def pending(self) -> int:
        """Bytes of a frame that has not ended yet."""
        return len(self._rest)


def _kind(number: int, length: int) -> Kind:
    if length > MAX_FRAME_BYTES:
        raise BadFrame(f"a frame of {length} bytes is above the limit of {MAX_FRAME_BYTES}")
    try:
        return Kind(number)
    except ValueError as error:
        raise BadFrame(f"{number} is no kind of frame") from error
