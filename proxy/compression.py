"""Compress an answer once, as the client's Accept-Encoding allows."""

from __future__ import annotations

import functools
import zlib
from collections.abc import AsyncIterator, Callable
from typing import Literal, Protocol

import zstandard

Coding = Literal["zstd", "gzip"]

# Below this a body fits a packet or two and compressing it only costs.
SMALLEST = 1024

_GZIP_LEVEL = 1
_ZSTD_LEVEL = 3
_GZIP_WINDOW = 31


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self, mode: int = ..., /) -> bytes: ...


@functools.lru_cache(maxsize=1024)
def coding_for(accept_encoding: str) -> Coding | None:
    """Return the best coding that the client takes, or None for none.

    Source: RFC 9110 section 12.5.3. A coding counts as a token, with its quality: `gzip;q=0` refuses it, and
    `x-gzip-like` is another one.
    """
    qualities = {}
    for part in accept_encoding.lower().split(","):
        token, _, parameter = part.partition(";")
        name, _, value = parameter.strip().partition("=")
        try:
            qualities[token.strip()] = float(value) if name.strip() == "q" else 1.0
        except ValueError:
            qualities[token.strip()] = 0.0
    # Whoever takes anything means what everybody knows.
    qualities.setdefault("gzip", qualities.get("*", 0.0))
    codings: tuple[Coding, ...] = ("zstd", "gzip")
    return max((c for c in codings if qualities.get(c, 0.0) > 0), key=lambda c: qualities[c], default=None)


def compressed(body: bytes, coding: Coding) -> bytes:
    """Return a whole body, compressed."""
    compressor = _COMPRESSORS[coding]()
    return compressor.compress(body) + compressor.flush()


async def compressing(chunks: AsyncIterator[bytes], coding: Coding) -> AsyncIterator[bytes]:
    """Compress a stream, each chunk so that it can be read when it has come.

    A stream that breaks never gets the end that would make it look whole.
    """
    compressor = _COMPRESSORS[coding]()
    async for chunk in chunks:
        yield compressor.compress(chunk) + compressor.flush(_SO_FAR[coding])
    yield compressor.flush()


_SO_FAR: dict[Coding, int] = {"zstd": zstandard.COMPRESSOBJ_FLUSH_BLOCK, "gzip": zlib.Z_SYNC_FLUSH}
_COMPRESSORS: dict[Coding, Callable[[], _Compressor]] = {
    "zstd": lambda: zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compressobj(),
    "gzip": lambda: zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _GZIP_WINDOW),
}
