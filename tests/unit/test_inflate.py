from __future__ import annotations

import gzip
import zlib

import pytest

from proxy.endpoints.inflate import Inflate
from proxy.errors import Truncated, UpstreamFailed

BODY = b"some line of an answer\n" * 50_000
RAW = zlib.compressobj(wbits=-zlib.MAX_WBITS)
CODED = {
    "gzip": gzip.compress(BODY),
    "x-gzip": gzip.compress(BODY[:1000]) + gzip.compress(BODY[1000:]) + b"\0" * 100,
    "deflate": zlib.compress(BODY),
}


def inflated(coding: str, data: bytes, size: int) -> bytes:
    inflate = Inflate(coding)
    parts = [p for start in range(0, len(data), size) for p in inflate.feed(data[start : start + size])]
    inflate.finish()
    assert max(map(len, parts), default=0) <= 256 * 1024
    return b"".join(parts)


@pytest.mark.parametrize("size", [7, 1000, 10**9])
@pytest.mark.parametrize("coding", CODED)
def test_what_was_compressed_comes_back_however_it_is_cut(coding: str, size: int) -> None:
    assert inflated(coding, CODED[coding], size) == BODY


def test_raw_deflate_is_read_too() -> None:
    assert inflated("deflate", RAW.compress(BODY) + RAW.flush(), 1000) == BODY


@pytest.mark.parametrize("coding", CODED)
@pytest.mark.parametrize("missing", [1, 9])
def test_a_body_without_its_end_is_not_whole(coding: str, missing: int) -> None:
    data = CODED[coding].rstrip(b"\0")[:-missing]
    with pytest.raises(Truncated):
        inflated(coding, data, 1000)


def test_a_stream_that_was_only_flushed_is_not_whole() -> None:
    compressor = zlib.compressobj(wbits=31)
    with pytest.raises(Truncated):
        inflated("gzip", compressor.compress(BODY) + compressor.flush(zlib.Z_SYNC_FLUSH), 1000)


def test_junk_and_unknown_codings_are_refused() -> None:
    with pytest.raises(Truncated):
        inflated("gzip", b"not gzip at all", 4)
    with pytest.raises(UpstreamFailed):
        Inflate("br")


def test_an_empty_body_is_an_empty_body() -> None:
    assert inflated("gzip", b"", 1) == b""
