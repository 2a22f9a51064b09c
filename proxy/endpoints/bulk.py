"""Load RDF files into a store folder: all of them, or nothing.

The load happens in a copy beside the store (hard links, so it costs no space), and takes the store's place in one step
when everything is in it. Until then readers see the store as it was; whatever stops the load, they still do.
"""

from __future__ import annotations

import contextlib
import io
import lzma
import shutil
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

import pyoxigraph
import zstandard

from proxy.endpoints.folder import Folder, open_primary
from proxy.endpoints.rdf_file import Counted, RdfFile, Unpacked, open_counted
from proxy.errors import UsageError

_LOCK_WAIT_S = 10.0
_NOT_FOREIGN = frozenset({"saga", "lost+found"})
_BUFFER_BYTES = 1024 * 1024
_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


class BadData(Exception):
    """A file cannot be read; the text says which, where, and what to do."""


class Stopped(Exception):
    """The load was told to stop."""


@dataclass(slots=True)
class Progress:
    """What a load has done so far; written by the loading thread, read by whoever shows it.

    Shapes: ``step`` says what is going on; ``made`` that the folder is new; ``committing`` that nothing stops it now.
    Units: sizes in bytes as on the disk.
    """

    total_bytes: int = 0
    read_bytes: int = 0
    lines: int = 0
    step: str = "waiting for the store"
    stop: threading.Event = field(default_factory=threading.Event)
    made: bool = False
    committing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a finished load found out. Units: ``seconds`` without the waiting for the store."""

    before: int
    after: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """One load: which files, into which folder, and how.

    Shapes: ``graph`` receives the triples of files that name no graphs; ``lenient`` skips the checks of IRIs and
    language tags.
    """

    files: Sequence[RdfFile]
    store: Path
    graph: pyoxigraph.NamedNode | None = None
    base: str | None = None
    lenient: bool = False

    def run(self, progress: Progress) -> Loaded:
        """Load everything and publish it.

        Raises:
            BadData: a file is malformed or damaged.
            Stopped: `progress.stop` was set.
            UsageError: the folder holds something else than a store.
            StoreBusy: another process writes the store.
            StoreDamaged: the store that is there cannot be opened.
            OSError: the disk is full, or the folder cannot be written.
        """
        progress.total_bytes = sum(file.size for file in self.files)
        folder = Folder(self.store)
        _refuse_foreign(folder)
        with _made(folder, progress), folder.lock(_LOCK_WAIT_S):
            _refuse_foreign(folder)
            started = time.monotonic()
            try:
                before, after = self._fill(folder, progress)
            finally:
                if not folder.loaded.is_dir():
                    shutil.rmtree(folder.loading, ignore_errors=True)
            progress.committing = True
            progress.step = "publishing"
            folder.adopt()
            folder.publish(open_primary(folder.path))
            folder.note()
            return Loaded(before=before, after=after, seconds=time.monotonic() - started)

    def abandon(self, progress: Progress) -> None:
        """Remove what a load that does not stop has written; the process must end after this."""
        folder = Folder(self.store)
        gone = folder.path if progress.made and not folder.exists else folder.loading
        for _ in range(3):  # it goes on writing
            shutil.rmtree(gone, ignore_errors=True)

    def _fill(self, folder: Folder, progress: Progress) -> tuple[int, int]:
        """Make the copy, fill it, and move it to where it counts as done."""
        before = self._copy(folder, progress) if (folder.path / "CURRENT").is_file() else 0
        store = pyoxigraph.Store(folder.loading)
        try:
            for file in self.files:
                self._load(store, file, progress)
            progress.step = "optimising"
            store.optimize()
            store.flush()
            after = len(store)
        finally:
            del store  # an error keeps the frames that it passed: without this, the store would stay open with them
        if progress.stop.is_set():
            raise Stopped
        folder.seal()
        return before, after

    def _copy(self, folder: Folder, progress: Progress) -> int:
        progress.step = "copying the store"
        primary = open_primary(folder.path)
        try:
            primary.backup(folder.loading)
            return len(primary)
        finally:
            del primary
            folder.note()

    def _load(self, store: pyoxigraph.Store, file: RdfFile, progress: Progress) -> None:
        progress.step = Path(file.name).name
        raw = open_counted(file)
        source = _Source(raw, progress)
        try:
            store.bulk_load(
                input=cast(IO[bytes], source),
                format=file.format,
                base_iri=self.base,
                to_graph=self.graph,
                lenient=self.lenient,
            )
        except SyntaxError as error:
            raise BadData(_located(file, error, source)) from error
        except (*_DAMAGE, ValueError) as error:
            if source.failed:
                raise BadData(f"{file.name}: line {source.lines + 1}: cannot be read on: {error}") from error
            raise
        finally:
            del store
            raw.close()


class _Source:
    """What the loader reads: the unpacked bytes, counted, until somebody says stop."""

    def __init__(self, raw: Counted, progress: Progress) -> None:
        self._raw = raw
        self._progress = progress
        self._before = progress.read_bytes
        self._file: io.BufferedReader | None = None
        self.lines = 0
        self.failed = False

    def read(self, size: int = -1) -> bytes:
        """Return some more bytes. Raises Stopped, and what unpacking raises."""
        if self._progress.stop.is_set():
            raise Stopped
        try:
            if self._file is None:
                self._file = io.BufferedReader(Unpacked(self._raw), _BUFFER_BYTES)
            data = self._file.read(size)
        except _DAMAGE:
            self.failed = True
            raise
        lines = data.count(b"\n")
        self.lines += lines
        self._progress.lines += lines
        self._progress.read_bytes = self._before + self._raw.read_bytes
        return data


def _located(file: RdfFile, error: SyntaxError, source: _Source) -> str:
    """Say where the file is wrong. The reader of RDF/XML does not know; what it had read by then is near."""
    message = " ".join(str(error.args[0] if error.args else error).split())
    _, _, plain = message.partition(": ") if message.startswith("Parser error") else ("", "", message)
    if error.lineno is not None:
        return f"{file.name}: line {error.lineno}, column {error.offset or 1}: {plain}"
    return f"{file.name}: before line {source.lines + 1}: {plain}"


@contextlib.contextmanager
def _made(folder: Folder, progress: Progress) -> Iterator[None]:
    """Make the folder where there is none, and take it away again when nothing came to be in it."""
    progress.made = not folder.path.exists()
    folder.path.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        if progress.made and not folder.exists:
            shutil.rmtree(folder.path, ignore_errors=True)


def _refuse_foreign(folder: Folder) -> None:
    """Keep out of folders that hold something else. Raises UsageError."""
    if (folder.path / "CURRENT").is_file() or not folder.path.is_dir():
        return
    foreign = sorted(entry.name for entry in folder.path.iterdir() if entry.name not in _NOT_FOREIGN)
    if foreign:
        raise UsageError(f"{folder.path} is no store and not empty (it holds {foreign[0]!r}): name a new folder")
