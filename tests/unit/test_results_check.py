from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable

import pytest

from proxy.errors import Truncated, UpstreamTimeout
from proxy.results.check import HOLD_BYTES, checked
from proxy.results.formats import Format
from proxy.results.state import Completeness, State
from tests.bench.mutations.dialects import bodies

TRACE = b"\nSPARQL-QUERY: queryStr=SELECT\njava.util.concurrent.TimeoutException\n"


async def source(parts: Iterable[bytes | Exception]) -> AsyncIterator[bytes]:
    for part in parts:
        if isinstance(part, Exception):
            raise part
        yield part


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


async def read(parts: Iterable[bytes | Exception], fmt: Format, state: State) -> tuple[bytes, Exception | None]:
    passed = b""
    try:
        async for chunk in checked(source(parts), fmt, state):
            passed += chunk
    except (Truncated, UpstreamTimeout) as error:
        return passed, error
    return passed, None


@pytest.mark.parametrize("fmt", list(Format))
@pytest.mark.parametrize("rows", [0, 3, 700])
async def test_a_whole_answer_passes_unchanged_and_its_state_is_known(fmt: Format, rows: int) -> None:
    for body in bodies(fmt, seed=rows, rows=rows):
        state = State()
        assert await read(cut(body, 1000), fmt, state) == (body, None)
        assert state.completeness is Completeness.COMPLETE
        assert (state.size, state.empty) == (len(body), rows == 0)
        assert state.rows == rows or fmt in (Format.JSONLD, Format.RDFXML, Format.TURTLE, Format.NTRIPLES)


@pytest.mark.parametrize("fmt", [Format.JSON, Format.XML, Format.RDFXML, Format.JSONLD])
async def test_nothing_of_a_small_broken_answer_leaves(fmt: Format) -> None:
    for body in bodies(fmt, seed=1, rows=20):
        for damaged in (body[:-3], body + body, body + TRACE, body[: len(body) // 2] + TRACE):
            state = State()
            passed, error = await read(cut(damaged, 100), fmt, state)
            # The trace names a time limit, and says so: that is why the answer broke.
            assert passed == b""
            assert type(error) is (UpstreamTimeout if TRACE in damaged else Truncated)
            assert state.completeness is Completeness.BROKEN


async def test_the_end_of_a_large_broken_answer_never_leaves() -> None:
    body = bodies(Format.JSON, seed=1, rows=3000)[0]
    state = State()
    passed, error = await read([*cut(body, 5000), b"\n", TRACE], Format.JSON, state)
    assert isinstance(error, UpstreamTimeout)
    assert HOLD_BYTES < len(passed) < len(body)
    assert body.startswith(passed)
    assert state.size == len(passed)


async def test_an_answer_that_drips_is_not_held_for_long() -> None:
    body = bodies(Format.JSON, seed=1, rows=100)[0]
    pulled = 0

    async def dripping() -> AsyncIterator[bytes]:
        nonlocal pulled
        for part in cut(body, 1000):
            pulled += 1
            await asyncio.sleep(0.01)
            yield part

    stream = checked(dripping(), Format.JSON, State(), hold_s=0.05)
    assert await anext(stream) == body[:1000]
    assert pulled < len(body) // 1000


async def test_an_error_of_the_source_passes_and_the_answer_is_broken() -> None:
    state = State()
    error = UpstreamTimeout("too slow")
    assert await read([b'{"head":{}', error], Format.JSON, state) == (b"", error)
    assert state.completeness is Completeness.BROKEN


async def test_an_answer_that_the_endpoint_called_partial_stays_partial() -> None:
    body = bodies(Format.JSON, seed=1, rows=2)[0]
    state = State(completeness=Completeness.PARTIAL, partial="row_cap")
    assert await read([body], Format.JSON, state) == (body, None)
    assert state.completeness is Completeness.PARTIAL
    state = State(completeness=Completeness.PARTIAL, partial="row_cap")
    assert (await read([body[:-1]], Format.JSON, state))[1] is not None
    assert state.completeness is Completeness.BROKEN


async def test_a_reader_that_leaves_early_leaves_no_verdict_of_whole() -> None:
    state = State()
    stream = checked(source(cut(bodies(Format.JSON, seed=1, rows=3000)[0], 5000)), Format.JSON, state)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]  # it is an async generator
    assert state.completeness is Completeness.BROKEN


@pytest.mark.parametrize("fmt", list(Format))
async def test_one_huge_chunk_does_not_stall_the_loop(fmt: Format) -> None:
    body = bodies(fmt, seed=1, rows=8000)[0]
    worst = 0.0

    async def watch() -> None:
        nonlocal worst
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            worst = max(worst, time.thread_time() - before)

    async with asyncio.TaskGroup() as tasks:
        watcher = tasks.create_task(watch())
        await read([body], fmt, State())
        watcher.cancel()
    assert worst < 0.05
