"""The command `saga load`: RDF files into an embedded store, all or nothing, with progress."""

from __future__ import annotations

import argparse
import errno
import math
import os
import resource
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

import pyoxigraph

from proxy.endpoints.bulk import BadData, Bulk, Loaded, Progress, Stopped
from proxy.endpoints.folder import StoreDamaged
from proxy.endpoints.gate import StoreBusy
from proxy.endpoints.rdf_file import FORMATS, rdf_file
from proxy.errors import UsageError

OK, BAD_DATA, UNAVAILABLE, INTERRUPTED = 0, 1, 3, 130

_EXAMPLE = """example:
  saga load graph.nt.gz labels.ttl --store data/store
  zstdcat dump.nt.zst | saga load - --format nt --store data/store

All files are loaded, or none is: until the end the store stays as it is, and running proxies go on reading it.
"""
_LIVE_S, _LOGGED_S = 0.2, 60.0
_STOP_S = 2.0


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLE
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="RDF, plain or packed (gz, zst, bz2, xz); - is standard input"
    )
    parser.add_argument(
        "--store", required=True, type=Path, metavar="DIR", help="folder of the store; made if it is not there"
    )
    parser.add_argument("--graph", metavar="IRI", help="put the triples into this named graph")
    parser.add_argument("--base", metavar="IRI", help="resolve relative IRIs against this one")
    parser.add_argument("--format", choices=sorted(FORMATS), help="format of all files; default: by their names")
    parser.add_argument("--lenient", action="store_true", help="do not check IRIs and language tags")


def run(args: argparse.Namespace) -> int:
    """Load, show progress, report. Returns 0, 1 for bad data, 3 for a store that cannot be written."""
    base = _iri("--base", args.base)
    bulk = Bulk(
        files=[rdf_file(name, args.format) for name in args.files],
        store=args.store.absolute(),
        graph=_iri("--graph", args.graph),
        base=base.value if base else None,
        lenient=args.lenient,
    )
    _refuse_contradictions(bulk)
    work = _Work(bulk)
    show = _live if sys.stderr.isatty() else _logged
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    work.start()
    try:
        _watch(work, show)
    except KeyboardInterrupt:
        _stop(work)
    return _report(work)


def _refuse_contradictions(bulk: Bulk) -> None:
    """Raise UsageError where the options cannot all hold."""
    if sum(file.path is None for file in bulk.files) > 1:
        raise UsageError("standard input can be read once: name - once")
    quads = [file.name for file in bulk.files if file.names_graphs]
    if bulk.graph is not None and quads:
        raise UsageError(f"--graph is for files of triples; {quads[0]} names its graphs itself")


def load_files(files: Sequence[Path], store: Path) -> Loaded:
    """Load files into a store without showing anything. Raises what `Bulk.run` raises."""
    return Bulk(files=[rdf_file(str(file), None) for file in files], store=store.absolute()).run(Progress())


class _Work(threading.Thread):
    """The load, in a thread of its own: Oxigraph cannot be interrupted, and Ctrl-C must be heard."""

    def __init__(self, bulk: Bulk) -> None:
        super().__init__(name="load", daemon=True)
        self.bulk = bulk
        self.progress = Progress()
        self.loaded: Loaded | None = None
        self.failure: BaseException | None = None
        # Waited for in place of `join`: in Python 3.11 a join that Ctrl-C interrupts takes the thread for ended.
        self.done = threading.Event()

    def run(self) -> None:
        """Load, and keep what came of it."""
        try:
            self.loaded = self.bulk.run(self.progress)
        except BaseException as error:  # noqa: BLE001 - a panic of Oxigraph is not an Exception; the main thread reports
            self.failure = error
        finally:
            self.done.set()


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Stop at the first signal; a second one must not stop the tidying up."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def _watch(work: _Work, show: Callable[[Progress, float], None]) -> None:
    """Show progress until the work is done."""
    started = shown = time.monotonic()
    every_s = _LIVE_S if show is _live else _LOGGED_S
    while not work.done.wait(_LIVE_S):
        now = time.monotonic()
        if now - shown >= every_s:
            shown = now
            show(work.progress, now - started)
    if show is _live:
        print("\r\x1b[K", end="", file=sys.stderr)


def _live(progress: Progress, elapsed_s: float) -> None:
    width = shutil.get_terminal_size().columns
    print(f"\r\x1b[K{worded(progress, elapsed_s)[: width - 1]}", end="", flush=True, file=sys.stderr)


def _logged(progress: Progress, elapsed_s: float) -> None:
    print(worded(progress, elapsed_s), flush=True, file=sys.stderr)


def worded(progress: Progress, elapsed_s: float) -> str:
    """Return what is known in one line: step, share, time left, rate."""
    parts = [progress.step]
    if progress.total_bytes and progress.read_bytes:
        share = min(progress.read_bytes / progress.total_bytes, 1.0)
        parts.append(f"{share:.0%}")
        if share < 1.0:
            parts.append(f"{_clock(elapsed_s / share - elapsed_s)} left")
    elif progress.read_bytes:
        parts.append(f"{progress.read_bytes / 1e6:,.0f} MB")
    if progress.lines:
        parts.append(f"{progress.lines:,} lines, {progress.lines / elapsed_s:,.0f} per second")
    return "  ".join(parts)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(math.ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _stop(work: _Work) -> None:
    """Leave nothing behind. What has begun to take the store's place is let finish."""
    work.progress.stop.set()
    work.done.wait(_STOP_S)
    if work.progress.committing:
        work.done.wait()
    if not work.done.is_set():
        # Oxigraph is rearranging and does not listen: what it writes goes away, and it with us.
        work.bulk.abandon(work.progress)
        print("saga: stopped; nothing was loaded", file=sys.stderr, flush=True)
        os._exit(INTERRUPTED)


def _report(work: _Work) -> int:
    """Say how it ended and return the exit code."""
    if work.loaded is not None:
        _praise(work.loaded)
        return OK
    code, text = _explained(work.failure, work.bulk)
    print(f"saga: {text}", file=sys.stderr)
    return code


def _praise(loaded: Loaded) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    new = loaded.after - loaded.before
    print(
        f"loaded {new:,} new triples in {loaded.seconds:.1f} s, {new / max(loaded.seconds, 1e-3):,.0f} per second; "
        f"{loaded.after:,} in the store; peak memory {peak:,.0f} MB"
    )


def _explained(failure: BaseException | None, bulk: Bulk) -> tuple[int, str]:
    """Return the exit code and the words for a load that failed. Raises UsageError as it came."""
    nothing = "nothing was loaded"
    match failure:
        case UsageError():
            raise failure
        case BadData():
            return BAD_DATA, f"{failure}\n{nothing}: correct the file, or leave it out, and load again"
        case Stopped():
            return INTERRUPTED, f"stopped; {nothing}"
        case StoreBusy():
            return UNAVAILABLE, f"{bulk.store} is being written by {failure}; {nothing}: try again when that is done"
        case StoreDamaged():
            return UNAVAILABLE, f"{bulk.store} cannot be opened: {failure}; {nothing}"
        case OSError() if failure.errno == errno.ENOSPC or "space" in str(failure).lower():
            free = shutil.disk_usage(bulk.store.parent).free / 1e6
            return UNAVAILABLE, f"the disk of {bulk.store} is full ({free:,.0f} MB left); {nothing}"
        case OSError():
            return UNAVAILABLE, f"{bulk.store} cannot be written: {failure}; {nothing}"
        case MemoryError():
            return UNAVAILABLE, f"not enough memory; {nothing}"
        case _:
            return UNAVAILABLE, f"Oxigraph failed: {failure!r}; {nothing}"


def _iri(option: str, text: str | None) -> pyoxigraph.NamedNode | None:
    if text is None:
        return None
    try:
        return pyoxigraph.NamedNode(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}; give a whole IRI, such as https://example.org/graph") from error
