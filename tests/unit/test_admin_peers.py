"""How workers ask each other: in a thread, so that each answers while its loop is busy."""

from __future__ import annotations

import json
import os
import socket
import threading
from pathlib import Path

from plugins.admin.peers import Message, Peers


def _echo(question: Message) -> Message:
    return {"asked": question, "thread": threading.current_thread().name}


def _exchanged(path: Path, sent: bytes) -> bytes:
    """Ask as another process would, without a round of the loop."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(30)
        line.connect(str(path))
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        return line.recv(2**16)


def _socket(folder: Path) -> Path:
    return folder / f"admin-{os.getpid()}.sock"


async def test_a_worker_answers_while_its_loop_is_busy(tmp_path: Path) -> None:
    async with Peers(tmp_path, _echo).listening():
        path = _socket(tmp_path)
        assert json.loads(_exchanged(path, b'{"kill": "mine"}')) == {"asked": {"kill": "mine"}, "thread": "admin.peers"}


async def test_workers_hear_each_other_and_one_that_is_gone_is_none(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "admin-0.sock"))
    peers = Peers(tmp_path, _echo, patience_s=60.0)
    async with peers.listening():
        long = {"kill": "x" * 1_000_000}
        assert await peers.ask(long) == [{"asked": long, "thread": "MainThread"}]
        # Under the name of another, it is one of the others.
        _socket(tmp_path).rename(tmp_path / "admin-1.sock")
        assert [answer and (answer["asked"] == long, answer["thread"]) for answer in await peers.ask(long)] == [
            (True, "MainThread"),
            (True, "admin.peers"),
        ]


async def test_it_ends_with_its_thread_and_its_file(tmp_path: Path) -> None:
    async with Peers(tmp_path, _echo).listening():
        assert "admin.peers" in {thread.name for thread in threading.enumerate()}
    assert not os.listdir(tmp_path)
    assert "admin.peers" not in {thread.name for thread in threading.enumerate()}
