"""A time limit of the endpoint's own is told apart from any other fault by what it wrote into the body."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from proxy.results.diagnosis import timed_out

_ROWS = b'{"s": {"type": "literal", "value": "row"}},' * 1_000


async def _rest(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


@pytest.mark.parametrize(
    ("trace", "limit"),
    [
        (b"java.util.concurrent.ExecutionException: com.bigdata.bop.engine.QueryTimeoutException", True),
        (b"java.util.concurrent.TimeoutException: Query deadline is expired.", True),
        (b"Virtuoso S1TAT Error Query did not complete due to ANYTIME timeout.", True),
        (b"The operation has been cancelled", True),
        (b"ERROR: operation TIMED OUT after 60 s", True),
        (b"Time limit exceeded", True),
        (b"java.lang.OutOfMemoryError: heap", False),
        (b"an untimed outing, at S1TATE, of sometime limits", False),
        (b"", False),
    ],
)
async def test_what_an_engine_says_of_its_time_limit(trace: bytes, limit: bool) -> None:
    assert await timed_out(_ROWS + trace, _rest()) is limit
    assert await timed_out(_ROWS, _rest(trace[:7], trace[7:])) is limit


async def test_only_so_much_is_read() -> None:
    endless = _rest(*[_ROWS] * 100, b"timed out")
    assert not await timed_out(b"", endless)
    assert await anext(endless)
