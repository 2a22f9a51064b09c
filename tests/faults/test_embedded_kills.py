"""Readers that must end, and readers that do: at deadlines, by signals, with their client, with their parent."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from proxy.errors import ResourceLimit, Truncated, UpstreamError, UpstreamTimeout
from proxy.results.formats import Format
from tests import embedded

ROWS = 20_000
ALL = "SELECT * { ?s ?p ?o }"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return embedded.store(tmp_path_factory.mktemp("kills") / "store", ROWS)


@pytest.fixture
async def endpoint(folder: Path) -> AsyncIterator[EmbeddedEndpoint]:
    made = EmbeddedEndpoint("test", EmbeddedSettings(store=folder))
    async with made.lifespan():
        await _full(made, 2)
        yield made


async def _full(endpoint: EmbeddedEndpoint, readers: int) -> None:
    await embedded.eventually(lambda: len(endpoint.pids) >= readers)


async def _replaced(endpoint: EmbeddedEndpoint, before: set[int]) -> set[int]:
    """Wait until some reader is gone and the pool is full again; return the gone ones."""
    await embedded.eventually(lambda: not before <= set(endpoint.pids) and len(endpoint.pids) >= len(before))
    return before - set(endpoint.pids)


async def _gone(pids: set[int]) -> None:
    await embedded.eventually(lambda: not any(map(embedded.alive, pids)), 2)


async def test_a_count_over_a_cross_product_is_gone_process_and_all(endpoint: EmbeddedEndpoint) -> None:
    before = set(endpoint.pids)
    started = time.monotonic()
    with pytest.raises(UpstreamTimeout):
        await embedded.ask(endpoint, embedded.CROSS, timeout_s=0.5)
    [killed] = await _replaced(endpoint, before)
    assert not embedded.alive(killed)
    assert time.monotonic() - started < 1.5
    await embedded.ask(endpoint, "ASK {}")


async def test_a_deadline_in_the_middle_breaks_the_answer(endpoint: EmbeddedEndpoint) -> None:
    before = set(endpoint.pids)
    got = 0
    started = time.monotonic()
    async with await endpoint.run(embedded.query(_endless(), Format.CSV, timeout_s=1)) as reply:
        with pytest.raises(UpstreamTimeout):  # noqa: PT012 - the answer is read until it breaks
            async for chunk in reply.chunks:
                got += len(chunk)
    assert got > 100_000
    assert time.monotonic() - started < 2
    assert len(await _replaced(endpoint, before)) == 1


async def test_a_deadline_holds_when_nobody_reads(endpoint: EmbeddedEndpoint) -> None:
    before = set(endpoint.pids)
    async with await endpoint.run(embedded.query(_endless(), Format.CSV, timeout_s=0.5)) as reply:
        await asyncio.sleep(1)
        assert await _replaced(endpoint, before)
        with pytest.raises(UpstreamTimeout):
            async for _ in reply.chunks:
                pass


def _endless() -> str:
    # A path and a literal join stream at once; 20,000 times 20,000 rows.
    return "SELECT * { ?s ?p ?o . FILTER(true) { SELECT * { ?a ?b ?c } } }"


async def test_kill_9_under_load_costs_that_query_an_error_and_nothing_else(endpoint: EmbeddedEndpoint) -> None:
    whole = await embedded.ask(endpoint, ALL, Format.CSV)
    kills = 0
    outcomes: list[bytes | Exception] = []

    async def client() -> None:
        for _ in range(25):
            try:
                outcomes.append(await embedded.ask(endpoint, ALL, Format.CSV))
            except UpstreamError as error:
                outcomes.append(error)

    async def killer() -> None:
        nonlocal kills
        chance = random.Random(7)
        for _ in range(12):
            await asyncio.sleep(chance.uniform(0.01, 0.15))
            if endpoint.pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(endpoint.pids), signal.SIGKILL)
                    kills += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(client())
        group.create_task(killer())
    errors = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert all(isinstance(error, ResourceLimit | Truncated) for error in errors), errors
    assert 0 < len(errors) <= kills
    assert all(outcome == whole for outcome in outcomes if isinstance(outcome, bytes))


async def test_kill_9_before_the_first_byte_is_a_503(endpoint: EmbeddedEndpoint) -> None:
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(_error(endpoint, embedded.CROSS))
        await asyncio.sleep(0.2)
        for pid in endpoint.pids:
            os.kill(pid, signal.SIGKILL)
    error = asked.result()
    assert isinstance(error, ResourceLimit)
    assert error.status == 503
    assert "SIGKILL" in error.private


async def _error(endpoint: EmbeddedEndpoint, text: str) -> Exception | None:
    try:
        await embedded.ask(endpoint, text)
    except UpstreamError as error:
        return error
    return None


async def test_a_query_that_eats_memory_is_a_503_and_the_next_one_is_answered(folder: Path) -> None:
    settings = EmbeddedSettings(store=folder, readers=1, memory_bytes=100_000_000)
    endpoint = EmbeddedEndpoint("test", settings)
    async with endpoint.lifespan():
        with pytest.raises(ResourceLimit) as caught:
            await embedded.ask(endpoint, "SELECT * { ?s ?p ?o . ?a ?b ?c } ORDER BY ?o ?c")
        assert "SIGABRT" in caught.value.private or "memory" in caught.value.private
        assert await embedded.number(endpoint, "SELECT (COUNT(*) AS ?c) { ?s ?p ?o }") == ROWS


async def test_processor_time_is_limited_by_the_kernel_too(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, readers=1, cpu_s=0))
    async with endpoint.lifespan():
        with pytest.raises(ResourceLimit) as caught:
            await embedded.ask(endpoint, embedded.CROSS)
        assert "SIGXCPU" in caught.value.private


async def test_idle_readers_that_die_are_replaced_and_cost_nothing(endpoint: EmbeddedEndpoint) -> None:
    before = set(endpoint.pids)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    await _gone(before)
    await asyncio.sleep(0.05)
    await embedded.ask(endpoint, "ASK {}")
    await _full(endpoint, 2)
    assert before.isdisjoint(endpoint.pids)


async def test_a_client_that_leaves_ends_its_query(endpoint: EmbeddedEndpoint) -> None:
    before = set(endpoint.pids)
    asked = asyncio.ensure_future(embedded.ask(endpoint, embedded.CROSS))
    await asyncio.sleep(0.1)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    async with await endpoint.run(embedded.query(_endless(), Format.CSV)) as reply:
        await anext(aiter(reply.chunks))
    await _gone(await _replaced(endpoint, before))


async def test_departures_at_random_moments_leak_nothing(folder: Path) -> None:
    chance = random.Random(3)
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder))
    async with endpoint.lifespan():
        await _full(endpoint, 2)
        await asyncio.sleep(0.1)
        tasks, files = len(asyncio.all_tasks()), embedded.open_files()
        for turn in range(200):
            await _depart(endpoint, chance, turn)
        await _full(endpoint, 2)
        await embedded.ask(endpoint, "ASK {}")
        await embedded.eventually(lambda: len(asyncio.all_tasks()) <= tasks and embedded.open_files() <= files)
        readers = set(endpoint.pids)
        assert _children() == readers
    assert _children() == set()


async def _depart(endpoint: EmbeddedEndpoint, chance: random.Random, turn: int) -> None:
    text = chance.choice([ALL, "ASK {}", _endless()])
    if turn % 3 == 0:
        asked = asyncio.ensure_future(embedded.ask(endpoint, text, timeout_s=5))
        await asyncio.sleep(chance.uniform(0, 0.02))
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        return
    async with await endpoint.run(embedded.query(text, timeout_s=5)) as reply:
        async for _ in reply.chunks:
            if chance.random() < 0.5:
                return


def _children() -> set[int]:
    """Return our readers and writers; other tests may have servers of their own."""
    out = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return {int(line.split()[0]) for line in out.stdout.splitlines() if "proxy.endpoints" in line}


async def test_closing_leaves_no_process_even_in_the_middle_of_work(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder))
    async with asyncio.TaskGroup() as group:
        async with endpoint.lifespan():
            await _full(endpoint, 2)
            group.create_task(_error(endpoint, embedded.CROSS))
            waiting = group.create_task(_error(endpoint, embedded.CROSS))
            await embedded.ask(endpoint, "INSERT DATA { <urn:x> <urn:y> 1 }")
            await embedded.ask(endpoint, "DELETE DATA { <urn:x> <urn:y> 1 }")
            await asyncio.sleep(0.1)
            pids = set(endpoint.pids)
            assert len(pids) == 3
            started = time.monotonic()
        assert time.monotonic() - started < 2
    assert isinstance(waiting.result(), UpstreamError)
    assert not any(embedded.alive(pid) for pid in pids)
    assert endpoint.pids == []


async def test_closing_before_anything_started(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, readers=4))
    async with endpoint.lifespan():
        pass
    async with endpoint.lifespan():
        await asyncio.sleep(0.02)
    assert _children() == set()


_PARENT = """
import asyncio, sys
from pathlib import Path
from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from tests import embedded

async def main():
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=Path(sys.argv[1])))
    async with endpoint.lifespan():
        await embedded.ask(endpoint, "INSERT DATA { <urn:x> <urn:y> 1 }")
        while len(endpoint.pids) < 3:
            await asyncio.sleep(0.01)
        busy = asyncio.ensure_future(embedded.ask(endpoint, embedded.CROSS))
        await asyncio.sleep(0.1)
        print(*endpoint.pids, flush=True)
        await busy

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_children_die_with_their_parent(folder: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(folder)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 3
        parent.send_signal(number)
        parent.wait()
        assert embedded.until(lambda: not any(map(embedded.alive, pids)), 2)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_signals_to_all_are_not_for_readers(endpoint: EmbeddedEndpoint, number: signal.Signals) -> None:
    assert all(os.getpgid(pid) == pid != os.getpgrp() for pid in endpoint.pids)
    for pid in endpoint.pids:
        os.kill(pid, number)
    await asyncio.sleep(0.1)
    assert all(map(embedded.alive, endpoint.pids))


async def test_300_mb_pass_in_bounded_memory(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder))
    async with endpoint.lifespan():
        before, got = _resident(), 0
        async with await endpoint.run(embedded.query(_endless(), Format.XML)) as reply:
            async for chunk in reply.chunks:
                got += len(chunk)
                if got % 7 == 0:
                    await asyncio.sleep(0.001)
                if got > 300_000_000:
                    break
        assert got > 300_000_000
        assert _resident() - before < 20_000_000


def _resident() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmHWM")
