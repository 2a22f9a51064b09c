from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import AsyncIterator

import pytest
import zstandard

from proxy.compression import Coding, coding_for, compressed, compressing


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        ("", None),
        ("identity", None),
        ("gzip", "gzip"),
        ("GZIP;q=0.5, br", "gzip"),
        ("gzip;q=0", None),
        ("gzip;q=0, *", None),
        ("*", "gzip"),
        ("gzip, zstd", "zstd"),
        ("gzip;q=1, zstd;q=0.5", "gzip"),
        ("x-gzip-like", None),
        ("gzip;q=much", None),
        ("*;q=0", None),
    ],
)
def test_a_coding_is_a_token_with_a_quality(header: str, coding: Coding | None) -> None:
    assert coding_for(header) == coding


async def parts() -> AsyncIterator[bytes]:
    for _ in range(100):
        yield b"some row of an answer\n" * 50


async def broken() -> AsyncIterator[bytes]:
    yield random.Random(1).randbytes(1_000_000)
    raise EOFError


async def test_both_ways_give_back_what_went_in() -> None:
    whole = b"".join([part async for part in parts()])
    assert gzip.decompress(compressed(whole, "gzip")) == whole
    assert gzip.decompress(b"".join([part async for part in compressing(parts(), "gzip")])) == whole
    for body in (compressed(whole, "zstd"), b"".join([part async for part in compressing(parts(), "zstd")])):
        assert zstandard.ZstdDecompressor().decompressobj().decompress(body) == whole


async def test_a_broken_stream_has_no_end() -> None:
    stream = compressing(broken(), "gzip")
    out = await anext(stream)
    with pytest.raises(EOFError):
        await anext(stream)
    decoder = zlib.decompressobj(31)
    decoder.decompress(out)
    assert not decoder.eof
