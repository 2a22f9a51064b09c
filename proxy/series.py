"""The series of one process, and those of workers that have ended. What is shown is the sum over all workers."""

from __future__ import annotations

import bisect
import contextlib
import fcntl
import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from proxy.contract import Over
from proxy.errors import ConfigError

MULTIPROCESS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# Whose files hold the counts of all workers that have ended.
ENDED = "ended"
# Room for some 5,000 counts of each kind; of gauges there are few.
# Units: bytes.
_COUNTS_BYTES, _GAUGES_BYTES = 1024 * 1024, 128 * 1024
# Held by whoever reads all files of series, and alone by whoever moves what is in them.
_LOCK = "series.lock"
_LIVE: Mapping[Over, Literal["livesum", "livemin", "livemax"]] = {"sum": "livesum", "min": "livemin", "max": "livemax"}


class PrometheusMetrics:
    """Own one registry. With many workers the series live in files that `PROMETHEUS_MULTIPROC_DIR` names."""

    def __init__(self) -> None:
        """Take the room for the series. Raises ConfigError where the disk has none."""
        folder = os.environ.get(MULTIPROCESS_FOLDER)
        if folder:
            reserve(Path(folder), str(os.getpid()))
        # Asked for whenever a series is made: the library itself looks at the folder only when it is imported.
        values.ValueClass = _cells(Path(folder), str(os.getpid())) if folder else values.MutexValue
        self.registry = CollectorRegistry()
        # A second series per series that nobody asked for.
        disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has no types here

    def counter(self, name: str, text: str, labels: Sequence[str]) -> Counter:
        """Return a counter."""
        return Counter(name, text, labels, registry=self.registry)

    def gauge(self, name: str, text: str, labels: Sequence[str], over: Over = "sum") -> Gauge:
        """Return a gauge; ``over`` the living workers it is their sum, their least or their greatest value."""
        return Gauge(name, text, labels, registry=self.registry, multiprocess_mode=_LIVE[over])

    def histogram(self, name: str, text: str, labels: Sequence[str], buckets: Sequence[float]) -> Histogram:
        """Return a histogram."""
        return _Histogram(name, text, labels, registry=self.registry, buckets=tuple(buckets))

    def exposition(self) -> bytes:
        """Return all series as Prometheus reads them, of every worker where there are many."""
        folder = os.environ.get(MULTIPROCESS_FOLDER)
        if not folder:
            return generate_latest(self.registry)
        shared = CollectorRegistry()
        MultiProcessCollector(shared, folder)  # type: ignore[no-untyped-call]  # the library has no types here
        with Path(folder, _LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            return generate_latest(shared)


class _Histogram(Histogram):
    """The library's own asks twice whether it has labels, and looks at the buckets one by one."""

    def observe(self, amount: float, exemplar: dict[str, str] | None = None) -> None:
        self._sum.inc(amount)
        self._buckets[bisect.bisect_left(self._upper_bounds, amount)].inc(1)


@functools.cache
def _cells(folder: Path, owner: str) -> type:
    """Return the class that holds the numbers of somebody's series, each written where it stands in a file.

    The library's own takes a lock, asks for the number of the process and packs a pair on every count, which took a
    tenth of the time of an answer from the cache. A worker never forks, and counts in one thread.
    Source: prometheus_client, multiprocess mode, `values.ValueClass`; the parameters are its own.
    """
    files: dict[str, MmapedDict] = {}

    class Cell:
        _multiprocess = True

        def __init__(
            self,
            typ: str,
            metric_name: str,
            name: str,
            labelnames: Any,
            labelvalues: Any,
            help_text: str,
            multiprocess_mode: str = "",
            **_: object,
        ) -> None:
            kind = f"{typ}_{multiprocess_mode}" if typ == "gauge" else typ
            if kind not in files:
                files[kind] = MmapedDict(str(folder / f"{kind}_{owner}.db"))  # type: ignore[no-untyped-call]
            file: Any = files[kind]
            key = mmap_key(metric_name, name, labelnames, labelvalues, help_text)
            # Makes room for it, where there is none yet. A file that grows is mapped anew; this map shows it, too.
            file.read_value(key)
            start = file._positions[key]
            self._number: memoryview[float] = memoryview(file._m)[start : start + 8].cast("d")

        def inc(self, amount: float) -> None:
            self._number[0] += amount

        def set(self, value: float, timestamp: float | None = None) -> None:
            self._number[0] = value

        def get(self) -> float:
            return self._number[0]

        def set_exemplar(self, exemplar: object) -> None:
            """Keep none, as the library in this mode."""

        def get_exemplar(self) -> None:
            """Have none."""

    return Cell


def reserve(folder: Path, owner: str) -> None:
    """Take the room for somebody's series now: on a disk that fills up later, a write to them ends the process.

    Raises ConfigError where there is none.
    """
    room = {"counter": _COUNTS_BYTES, "histogram": _COUNTS_BYTES}
    room |= {f"gauge_{mode}": _GAUGES_BYTES for mode in _LIVE.values()}
    # Nobody reads them under these names, until they can be read.
    parts = {folder / f"{name}_{owner}.part": size for name, size in room.items()}
    try:
        for part, size in parts.items():
            with part.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
        for part in parts:
            # One that is left of an older process with the same number counts on.
            if not (whole := part.with_suffix(".db")).exists():
                part.rename(whole)
        # For this, too, there may be no room later.
        (folder / _LOCK).touch()
    except OSError as error:
        detail = f"no room for the metrics in {folder} ({error.strerror}); TMPDIR names another place"
        raise ConfigError(detail) from None
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def forget_worker(folder: Path, pid: int) -> None:
    """Drop the gauges of a worker that has ended; its counts join those that ended before, lest the files add up."""
    mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]  # the library has no types here
    # Whoever shows the series now may be standing still: then the files stay, and count all the same.
    with (folder / _LOCK).open("a") as lock, contextlib.suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for kind in ("counter", "histogram"):
            _move(folder / f"{kind}_{pid}.db", folder / f"{kind}_{ENDED}.db")


def _move(ended: Path, everybody: Path) -> None:
    if ended.exists():
        sums = MmapedDict(str(everybody))  # type: ignore[no-untyped-call]  # nor here
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(ended)):  # type: ignore[no-untyped-call]
            sums.write_value(key, sums.read_value(key)[0] + value, 0.0)  # type: ignore[no-untyped-call]
        sums.close()  # type: ignore[no-untyped-call]
        ended.unlink()
