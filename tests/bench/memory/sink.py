"""A client that keeps nothing: it counts what comes, as fast as it comes or as slowly as it is told."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from urllib.parse import quote

_BUFFER_BYTES = 256 * 1024
_SLOW_BUFFER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """What came. Units: seconds from the request, bytes with their framing; ``whole`` is whether the end was clean."""

    first_byte_s: float
    seconds: float
    size: int
    whole: bool


def drain(address: str, path: str, text: str, media_type: str, limit: float | None) -> Drained:
    """Ask, and read to the end. ``limit`` is the greatest rate, in bytes per second."""
    host, _, port = address.rpartition(":")
    body = f"query={quote(text)}".encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAccept: {media_type}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.socket() as sock:
        if limit is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SLOW_BUFFER_BYTES)
        sock.settimeout(300)
        sock.connect((host, int(port)))
        sock.sendall(head.encode() + body)
        return _read(sock, limit)


def _read(sock: socket.socket, limit: float | None) -> Drained:
    started = time.perf_counter()
    buffer = bytearray(_BUFFER_BYTES if limit is None else _SLOW_BUFFER_BYTES)
    begin, tail, size, first_byte_s = b"", b"", 0, 0.0
    try:
        while got := sock.recv_into(buffer):
            if not size:
                first_byte_s = time.perf_counter() - started
            if b"\r\n\r\n" not in begin:
                begin += buffer[:got]
            size += got
            tail = (tail + buffer[max(0, got - 8) : got])[-8:]
            if limit is not None:
                time.sleep(max(0.0, started + size / limit - time.perf_counter()))
    except ConnectionError:
        tail = b""
    seconds = time.perf_counter() - started
    return Drained(first_byte_s=first_byte_s, seconds=seconds, size=size, whole=_whole(begin, tail, size))


def _whole(begin: bytes, tail: bytes, size: int) -> bool:
    head, _, _ = begin.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    if not lines[0].endswith(b" ok"):
        return False
    if b"transfer-encoding: chunked" in lines:
        return tail.endswith(b"0\r\n\r\n")
    lengths = [int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")]
    return lengths == [size - len(head) - 4]
