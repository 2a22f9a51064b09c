"""A store on disk, shared by many processes: who may write, and what readers may open.

The folder itself is an ordinary Oxigraph store, the *primary*. Reading it while another process writes is undefined (a
log file can vanish between the reading of the manifest and of the log, and its changes are missing without an error).
So nobody reads it: whoever writes publishes *snapshots*, checkpoints made of hard links that never change, and readers
open the current one. Everything of ours lives in one sub-folder, which Oxigraph ignores::

    STORE/saga/lock         whoever writes holds an flock on it; its text says who
    STORE/saga/next         whoever waits for that lock holds an flock on this one
    STORE/saga/current      the name of the newest snapshot, replaced in one step
    STORE/saga/published    what the primary looked like when that was made, or that somebody has it open
    STORE/saga/17650.../    a snapshot; its readers hold a shared flock on it, and it is removed when nobody does
    STORE/saga/loading/     a bulk load in progress, thrown away if it is found without its owner
    STORE/saga/loaded/      a finished bulk load on its way to become the primary; finished by whoever locks next
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph

from proxy.endpoints.gate import Gate, StoreBusy

_POLL_S = 0.005
_LIST = "saga.files"
_WRITING = "open"
_NAME_BYTES = 64
# Source: RocksDB's file names. Anything else in the folder is somebody's own.
_DATA = re.compile(r"\d+\.(?:sst|log|blob)|(?:MANIFEST|OPTIONS)-\d+|CURRENT|IDENTITY")
_OPEN_ATTEMPTS = 50


class StoreMissing(Exception):
    """There is no store in the folder."""


class StoreDamaged(Exception):
    """The folder cannot be opened; the text is for the log."""


class Snapshot:
    """An open snapshot. It stays whole on disk until `close`, however many newer ones there are."""

    def __init__(self, name: str, store: pyoxigraph.Store, guard: int) -> None:
        self.name = name
        self.store = store
        self._guard = guard

    def close(self) -> None:
        """Let go of the files. Once only."""
        del self.store
        os.close(self._guard)


class Folder:
    """One store folder, as this process sees it. Holds no open file of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.home = path / "saga"
        self.gate = Gate(self.home)
        self._current = str(self.home / "current")
        self.loading = self.home / "loading"
        self.loaded = self.home / "loaded"

    @property
    def exists(self) -> bool:
        """Whether the folder holds a store."""
        return (self.path / "CURRENT").is_file() or self.loaded.is_dir()

    def current(self) -> str:
        """Return the newest snapshot's name, or nothing. Cheap: it is asked before every query."""
        try:
            handle = os.open(self._current, os.O_RDONLY)
        except OSError:
            return ""
        try:
            return os.read(handle, _NAME_BYTES).decode("ascii", "replace")
        finally:
            os.close(handle)

    # -- reading ---------------------------------------------------------------------------------------------------

    def open(self, wait_s: float) -> Snapshot:
        """Open the newest snapshot; make one when there is none, or when the primary moved on without one.

        Raises StoreMissing, StoreBusy, StoreDamaged.
        """
        if not self.exists:
            raise StoreMissing(str(self.path))
        try:
            self._catch_up(wait_s)
        except OSError as error:
            # A folder that we may only read is not written by anyone like us: its primary can be opened as it is.
            if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
                raise StoreDamaged(str(error)) from error
        for attempt in range(_OPEN_ATTEMPTS):
            snapshot = self._open_once()
            if snapshot is not None:
                return snapshot
            time.sleep(_POLL_S * min(attempt + 1, 10))
        raise StoreDamaged(f"no snapshot of {self.path} could be opened in {_OPEN_ATTEMPTS} attempts")

    def _catch_up(self, wait_s: float) -> None:
        """Publish the primary where no snapshot shows it as it is: made elsewhere, or left so by a killed writer."""
        end = time.monotonic() + wait_s
        while not self._up_to_date():
            if self._readable() and self._published() == _WRITING and self.gate.held:
                return  # a living writer has published whatever it answered for
            try:
                with self.lock(0.0):
                    if not self._up_to_date():
                        self.publish(open_primary(self.path))
                        self.note()
                    return
            except StoreBusy:
                if time.monotonic() >= end:
                    if self._readable():
                        return
                    raise
            time.sleep(_POLL_S)

    def _readable(self) -> bool:
        name = self.current()
        return bool(name) and (self.home / name / "CURRENT").is_file()

    def _up_to_date(self) -> bool:
        return self._readable() and self._published() == self._fingerprint()

    def _open_once(self) -> Snapshot | None:
        """Open what is current now, or return None when it was replaced in the meantime."""
        name = self.current()
        place = self.home / name if name else self.path
        try:
            guard = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(guard, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if self.current() == name:
                return Snapshot(name, _read_only_store(place), guard)
        except BlockingIOError:
            pass  # its remover was faster
        except BaseException:
            os.close(guard)
            raise
        os.close(guard)
        return None

    # -- writing ---------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def lock(self, wait_s: float) -> Iterator[None]:
        """Be the only writer. Finishes what a dead writer left. Raises StoreBusy, StoreMissing, OSError."""
        with contextlib.ExitStack() as held:
            try:
                self.home.mkdir(exist_ok=True)
                held.enter_context(self.gate.hold(wait_s))
            except FileNotFoundError as error:
                raise StoreMissing(str(self.path)) from error
            self._recover()
            yield

    def publish(self, store: pyoxigraph.Store) -> str:
        """Make the store's state the one that readers open from now on. The caller holds the lock.

        Raises StoreMissing where the folder was removed under it: what was written is nowhere, then.
        """
        if self.gate.lost:
            raise StoreMissing(str(self.path))
        # Named after the time, so that a folder made anew under the same path never has a name that was there before.
        name = str(max([time.time_ns(), *(int(name) + 1 for name in self._snapshots())]))
        store.backup(self.home / name)
        self.point(name)
        self.sweep()
        return name

    def point(self, name: str) -> None:
        """Name the current snapshot, in one step."""
        fresh = self.home / "current.new"
        fresh.write_text(name, encoding="ascii")
        fresh.rename(self._current)

    def begin(self) -> pyoxigraph.Store:
        """Open the primary for writing. The caller holds the lock, publishes, closes, and notes in the end."""
        store = open_primary(self.path)
        self._remember(_WRITING)
        return store

    def note(self) -> None:
        """Remember what the primary looks like, closed, so that a change from outside is noticed."""
        if self.gate.lost:
            return
        for log in self.path.glob("LOG.old.*"):  # RocksDB keeps a thousand of them, 140 kB each
            log.unlink(missing_ok=True)
        self._remember(self._fingerprint())

    def sweep(self) -> None:
        """Remove the snapshots that nobody reads any more."""
        current = self.current()
        for name in self._snapshots():
            if name != current:
                self.drop(name)
        for half in self.home.glob("*.tmp"):  # a checkpoint whose maker was killed
            _remove(half)

    def drop(self, name: str) -> None:
        """Remove one snapshot that is no longer current, unless somebody reads it."""
        place = self.home / name
        with contextlib.suppress(OSError):
            guard = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(place)
            finally:
                os.close(guard)

    def seal(self) -> None:
        """Declare the load in `loading` finished: from here on it will become the primary, whoever does it."""
        names = sorted(os.listdir(self.loading))
        (self.loading / _LIST).write_text("\n".join(names), encoding="utf-8")
        self.loading.rename(self.loaded)

    def adopt(self) -> None:
        """Make a finished load the primary. Can be stopped anywhere and begun again. The caller holds the lock."""
        keep = set((self.loaded / _LIST).read_text(encoding="utf-8").split("\n"))
        for entry in self.path.iterdir():
            if entry.name not in keep and _DATA.fullmatch(entry.name):
                entry.unlink()
        # CURRENT makes a folder a store: it comes last.
        for name in sorted(keep, key=lambda name: name == "CURRENT"):
            with contextlib.suppress(FileNotFoundError):
                (self.loaded / name).replace(self.path / name)
        _remove(self.loaded)

    def _recover(self) -> None:
        _remove(self.loading)
        if (self.loaded / _LIST).is_file():
            self.adopt()
        else:
            _remove(self.loaded)

    # -- what is on disk -------------------------------------------------------------------------------------------

    def _snapshots(self) -> list[str]:
        return [name for name in os.listdir(self.home) if name.isdigit()]

    def _remember(self, what: str) -> None:
        fresh = self.home / "published.new"
        fresh.write_text(what, encoding="utf-8")
        fresh.rename(self.home / "published")

    def _published(self) -> str:
        try:
            return (self.home / "published").read_text(encoding="utf-8")
        except OSError:
            return ""

    def _fingerprint(self) -> str:
        """Names and sizes of the primary's files; opening it for writing changes them already."""
        lines = []
        for entry in os.scandir(self.path):
            if _DATA.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    lines.append(f"{entry.name} {entry.stat().st_size}")
        return "\n".join(sorted(lines))


def _remove(place: Path) -> None:
    """Remove a folder of files. Not by `shutil`: its import is a tenth of the time in which a reader starts."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(place):
            os.unlink(entry)
        os.rmdir(place)


def open_primary(path: Path) -> pyoxigraph.Store:
    """Open a store for writing. Raises StoreBusy, StoreDamaged."""
    try:
        return pyoxigraph.Store(path)
    except (OSError, RuntimeError) as error:
        if "lock" in str(error).lower():
            raise StoreBusy("a program other than saga (oxigraph serve?)") from error
        raise StoreDamaged(str(error)) from error


def _read_only_store(place: Path) -> pyoxigraph.Store:
    try:
        return pyoxigraph.Store.read_only(str(place))
    except (OSError, RuntimeError) as error:
        raise StoreDamaged(str(error)) from error
