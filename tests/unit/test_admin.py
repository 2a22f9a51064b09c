from __future__ import annotations

import asyncio
import json
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from plugins.admin.peers import Peers
from plugins.admin.running import Running
from proxy.contract import Query, Reply
from proxy.errors import ConfigError, UpstreamTimeout
from tests.embedded import query


def _clock() -> float:
    return 0.0


async def _none() -> AsyncIterator[bytes]:
    yield b"first"
    await asyncio.Event().wait()


async def _stuck(_: Query) -> Reply:
    await asyncio.Event().wait()
    raise AssertionError


async def _answered(_: Query) -> Reply:
    return Reply(format=None, chunks=_none())


async def test_a_kill_before_the_first_byte_is_an_error_and_no_cancellation() -> None:
    running = Running(query("ASK {}"), _clock)
    asyncio.get_running_loop().call_later(0.01, running.kill)
    with pytest.raises(UpstreamTimeout, match="operator"):
        await running.start(_stuck)
    running.end()
    # The task was asked to end and is not any more.
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_kill_between_two_chunks_and_one_in_the_middle_of_one() -> None:
    for between in (True, False):
        running = Running(query("ASK {}"), _clock)
        reply = await running.start(_answered)
        assert await anext(reply.chunks) == b"first"
        if between:
            running.kill()
        else:
            asyncio.get_running_loop().call_later(0.01, running.kill)
        with pytest.raises(UpstreamTimeout):
            await anext(reply.chunks)
        running.end()


async def test_a_departure_stays_a_cancellation() -> None:
    running = Running(query("ASK {}"), _clock)
    waiting = asyncio.ensure_future(running.start(_stuck))
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_departure_in_the_moment_of_a_kill_stays_a_cancellation() -> None:
    running = Running(query("ASK {}"), _clock)
    waiting = asyncio.ensure_future(running.start(_stuck))
    await asyncio.sleep(0.01)
    running.kill()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    running.end()


async def test_a_kill_of_what_clears_up_first_waits_for_that_and_leaves_no_mark() -> None:
    async def tidy(_: Query) -> Reply:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.02)
        return Reply(format=None, chunks=_none())

    running = Running(query("ASK {}"), _clock)
    asyncio.get_running_loop().call_later(0.01, running.kill)
    reply = await running.start(tidy)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    with pytest.raises(UpstreamTimeout):
        await anext(reply.chunks)
    running.end()


async def test_a_time_limit_from_below_is_not_taken_for_a_kill() -> None:
    async def late(_: Query) -> Reply:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        await Running(query("ASK {}"), _clock).start(late)


async def test_a_second_kill_and_one_after_the_end_do_nothing() -> None:
    async def task() -> str:
        running = Running(query("ASK {}"), _clock)
        await running.start(_answered)
        running.end()
        running.kill()
        other = Running(query("ASK {}"), _clock)
        other.kill()
        other.kill()
        other.end()
        await asyncio.sleep(0.4)
        return "went on"

    assert await asyncio.ensure_future(task()) == "went on"


async def test_what_asks_in_its_own_name_goes_on_after_a_kill() -> None:
    async def task() -> str:
        running = Running(replace(query("ASK {}"), source="nl"), _clock)
        await running.start(_answered)
        running.kill()
        await asyncio.sleep(0.4)
        return "went on"

    assert await asyncio.ensure_future(task()) == "went on"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder as the parent makes it; pytest's own has too long a name for a socket."""
    with tempfile.TemporaryDirectory(prefix="saga-test-") as name:
        yield Path(name)


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def _socket(folder: Path) -> Path:
    (name,) = _names(folder)
    return folder / name


async def test_a_single_process_asks_itself() -> None:
    assert await Peers(None, dict).ask({"kill": "x"}) == [{"kill": "x"}]


async def test_peers_answer_and_leave_no_socket_behind(folder: Path) -> None:
    peers = Peers(folder, lambda question: {"heard": question["kill"]})
    async with peers.listening():
        path = _socket(folder)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert await peers.ask({"kill": "ü" * 100_000}) == [{"heard": "ü" * 100_000}]
    assert _names(folder) == []


async def test_a_worker_that_died_is_left_out_and_a_stuck_one_is_counted(folder: Path) -> None:
    peers = Peers(folder, dict)
    gone = await asyncio.start_unix_server(lambda reader, writer: None, folder / "admin-1.sock")
    gone.close()
    await gone.wait_closed()

    asked, over = asyncio.Event(), asyncio.Event()

    async def stuck(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked.wait()
        writer.close()
        over.set()

    async def garbage(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.write(b"{")
        writer.close()

    async with (
        peers.listening(),
        await asyncio.start_unix_server(stuck, folder / "admin-2.sock"),
        await asyncio.start_unix_server(garbage, folder / "admin-3.sock"),
    ):
        assert sorted(await peers.ask({"is": 1}), key=str) == [None, None, {"is": 1}]
        asked.set()
        await over.wait()


@pytest.mark.parametrize(
    "sent", [b"", b"{", b"7", b"\xff\xfe", b"[" * 100_000], ids=["empty", "cut", "number", "bytes", "deep"]
)
async def test_garbage_on_the_socket_does_no_harm(folder: Path, sent: bytes, caplog: pytest.LogCaptureFixture) -> None:
    peers = Peers(folder, dict)
    async with peers.listening():
        path = _socket(folder)
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(sent)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        assert await peers.ask({"still": "here"}) == [{"still": "here"}]
    assert caplog.records == []


async def test_a_folder_with_too_long_a_name_says_what_to_do(folder: Path) -> None:
    deep = folder / ("x" * 100)
    deep.mkdir()
    with pytest.raises(ConfigError, match="TMPDIR"):
        async with Peers(deep, dict).listening():
            pass


async def test_the_socket_of_a_dead_worker_with_the_same_number_is_replaced(folder: Path) -> None:
    peers = Peers(folder, dict)
    async with peers.listening():
        path = _socket(folder)
    path.write_text(json.dumps("left behind"))
    async with peers.listening():
        assert await peers.ask({"is": 1}) == [{"is": 1}]
