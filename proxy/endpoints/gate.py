"""The lock of a store folder: one writer at a time, among all processes, in the order in which they came."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_POLL_S = 0.005
_SHOWN = 200


class StoreBusy(Exception):
    """Another process writes the store; the text says which."""


class Gate:
    """Two locks: ``lock`` is the writer's, and ``next`` is held by the one who waits for it, so the writer can tell."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._handle: int | None = None

    @contextlib.contextmanager
    def hold(self, wait_s: float) -> Iterator[None]:
        """Be the writer; the kernel frees the lock of a process that dies. Raises StoreBusy, OSError."""
        end = time.monotonic() + wait_s
        with contextlib.ExitStack() as held:
            with self._locked("next", end):
                handle = held.enter_context(self._locked("lock", end))
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} ({_program()})".encode(), 0)
            self._handle = handle
            try:
                yield
            finally:
                self._handle = None

    @property
    def lost(self) -> bool:
        """Whether the folder of the lock that this process holds was removed, or made anew by somebody else."""
        return self._handle is not None and not _same_file(self._handle, self._home / "lock")

    @property
    def contended(self) -> bool:
        """Whether the lock that this process holds had better be let go: another one waits for it, or it is lost."""
        if self.lost:
            return True
        try:
            with self._locked("next", 0.0):
                return False
        except (StoreBusy, FileNotFoundError):
            return True

    @property
    def held(self) -> bool:
        """Whether somebody writes right now."""
        try:
            with self._locked("lock", 0.0):
                return False
        except StoreBusy:
            return True
        except FileNotFoundError:
            return False

    @contextlib.contextmanager
    def _locked(self, name: str, end: float) -> Iterator[int]:
        path = self._home / name
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                # A failed first load removes its folder: a lock on a file that is gone keeps nobody out.
                if _flocked(handle) and _same_file(handle, path):
                    yield handle
                    return
            finally:
                os.close(handle)
            if time.monotonic() >= end:
                raise StoreBusy(self._holder())
            time.sleep(_POLL_S)

    def _holder(self) -> str:
        try:
            text = (self._home / "lock").read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        return text[:_SHOWN] or "another process"


def _flocked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _program() -> str:
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]])
