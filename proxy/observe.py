"""What an operator sees: JSON logs with a request id, and Prometheus series."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import functools
import hashlib
import json
import logging
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from proxy.contract import Over, Query, Reply, Run
from proxy.errors import Blocked, ClientError, ProxyError, TooMany, Truncated, UpstreamBusy, UpstreamTimeout
from proxy.results.state import Completeness
from proxy.syntax import Form

MULTIPROCESS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)

log = logging.getLogger("saga")
request_id: ContextVar[str] = ContextVar("request_id", default="-")
# The text of the query that runs here: what must not get into the log.
_text: ContextVar[str] = ContextVar("text", default="")

# Held by whoever reads all files of series, and alone by whoever moves what is in them.
_LOCK = "series.lock"
_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_WORD = re.compile(r"\w{3,}")


def take_request_id(offered: str | None) -> str:
    """Return the client's own request id where it is safe to repeat, else a new one."""
    taken = offered if offered and _ID.fullmatch(offered) else os.urandom(16).hex()
    request_id.set(taken)
    return taken


class JsonFormatter(logging.Formatter):
    """Write one JSON object per line: time, level, event, request_id, and the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. Events of ours are fixed words; text of libraries goes under `message`."""
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.msg if record.name == "saga" else record.name,
            "request_id": request_id.get(),
        }
        if record.name != "saga":
            line["message"] = record.getMessage()
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        # In ASCII no character of a client's ends the line, and no locale of ours changes it.
        return json.dumps(line, default=str)


def start_logging(level: str) -> None:
    """Send every log line of this process to standard error as JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger("aiohttp.access").disabled = True


def event(name: str, level: int = logging.INFO, **fields: object) -> None:
    """Log an event of ours. The name is a fixed word such as `query.done`; values go into fields.

    In ``private`` stands what an endpoint said, which may repeat the query: words of that are left out.
    """
    if not log.isEnabledFor(level):
        return
    if said := fields.get("private"):
        fields["private"] = _without(str(said), _text.get())
    # Not `log.log`, which looks for the line of code that called it, every time.
    log.handle(log.makeRecord(log.name, level, "", 0, name, (), None, extra={"fields": fields}))


def _without(said: str, text: str) -> str:
    """Return what was said without the words of a query, also where it was cut, wrapped or escaped on its way."""
    return _WORD.sub(lambda word: "…" if word.group() in text else word.group(), said)


class Outcome(StrEnum):
    """How a query ended; the closed set of the `outcome` label."""

    OK = "ok"
    EMPTY = "empty"
    BLOCKED = "blocked"
    CLIENT_ERROR = "client_error"
    UPSTREAM_ERROR = "upstream_error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    TRUNCATED = "truncated"
    REJECTED = "rejected"


def outcome_of(error: BaseException) -> Outcome:
    """Return the outcome that an error means. What is not an error of ours is the endpoint's fault or a departure."""
    kinds: tuple[tuple[type[BaseException], Outcome], ...] = (
        (Blocked, Outcome.BLOCKED),
        (TooMany, Outcome.REJECTED),
        (ClientError, Outcome.CLIENT_ERROR),
        (UpstreamTimeout, Outcome.TIMEOUT),
        (UpstreamBusy, Outcome.REJECTED),
        (Truncated, Outcome.TRUNCATED),
        (Exception, Outcome.UPSTREAM_ERROR),
    )
    return next((outcome for kind, outcome in kinds if isinstance(error, kind)), Outcome.CANCELLED)


_LIVE: Mapping[Over, Literal["livesum", "livemin", "livemax"]] = {"sum": "livesum", "min": "livemin", "max": "livemax"}


class PrometheusMetrics:
    """Own one registry. With many workers the series live in files that `PROMETHEUS_MULTIPROC_DIR` names."""

    def __init__(self) -> None:
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
        return Histogram(name, text, labels, registry=self.registry, buckets=tuple(buckets))

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


def forget_worker(folder: Path, pid: int) -> None:
    """Drop the gauges of a worker that has ended; its counts join those that ended before, lest the files add up."""
    mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]  # the library has no types here
    # Whoever shows the series now may be standing still: then the files stay, and count all the same.
    with (folder / _LOCK).open("a") as lock, contextlib.suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for kind in ("counter", "histogram"):
            _move(folder / f"{kind}_{pid}.db", folder / f"{kind}_ended.db")


def _move(ended: Path, everybody: Path) -> None:
    if ended.exists():
        sums = MmapedDict(str(everybody))  # type: ignore[no-untyped-call]  # nor here
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(ended)):  # type: ignore[no-untyped-call]
            sums.write_value(key, sums.read_value(key)[0] + value, 0.0)  # type: ignore[no-untyped-call]
        sums.close()  # type: ignore[no-untyped-call]
        ended.unlink()


class QueryMetrics:
    """Count and time queries, outside of all plugins."""

    def __init__(self, metrics: PrometheusMetrics) -> None:
        def counter(name: str, text: str, *labels: str) -> Callable[..., Counter]:
            # The child of a series by its labels, which come from closed sets, without the library's lock.
            return functools.cache(metrics.counter(name, text, labels).labels)

        self._queries = counter("saga_queries", "Queries by outcome", "endpoint", "form", "outcome")
        self._empty = counter("saga_empty_results", "Complete answers without a row", "endpoint", "source")
        self._unchecked = counter("saga_unchecked_queries", "Queries in words we cannot read", "endpoint")
        self._bytes = counter("saga_result_bytes", "Bytes of answers", "endpoint")
        seconds = metrics.histogram("saga_query_seconds", "By phase", ["endpoint", "phase"], SECONDS)
        self._seconds: Callable[..., Histogram] = functools.cache(seconds.labels)
        running = metrics.gauge("saga_inflight_queries", "Queries that run now", ["endpoint"])
        self._inflight: Callable[..., Gauge] = functools.cache(running.labels)

    def refused(self, endpoint: str, error: ProxyError, form: Form = Form.OTHER) -> None:
        """Count a request that never became a query that runs."""
        self._count(endpoint, form, outcome_of(error), {})

    def measured(self, run: Run) -> Run:
        """Return a run that counts its query once, however and whenever that ends."""

        async def measure(query: Query) -> Reply:
            if query.source == "guard":
                # A look-up of ours is nobody's query.
                return await run(query)
            started = time.perf_counter()
            _text.set(query.text)
            self._inflight(query.endpoint).inc()
            if not query.syntax.checked:
                self._unchecked(query.endpoint).inc()
            try:
                reply = await run(query)
            except BaseException as error:
                self._ended(query, None, outcome_of(error), started)
                raise
            return self._watch(query, reply, started)

        return measure

    def _watch(self, query: Query, reply: Reply, started: float) -> Reply:
        """Return the reply with its end observed: emptiness and outcome are known only there."""
        first_byte_s = time.perf_counter() - started
        seconds = self._seconds
        seconds(query.endpoint, "queue").observe(reply.queue_s)
        seconds(query.endpoint, "first_byte").observe(first_byte_s)
        seconds(query.endpoint, "overhead").observe(max(0.0, first_byte_s - reply.queue_s - reply.upstream_s))
        outcome = Outcome.CANCELLED

        async def watched(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
            nonlocal outcome
            try:
                async for chunk in chunks:
                    yield chunk
            except Exception as error:
                # Whatever broke it, an answer whose head had gone out was cut.
                outcome = Outcome.TRUNCATED if reply.state.sent else outcome_of(error)
                raise
            outcome = _whole(reply)

        async def release() -> None:
            try:
                await reply.aclose()
            finally:
                # A client that did not read in time was cut off, and did not leave.
                cut = outcome is Outcome.CANCELLED and reply.state.sent and _is_late(reply)
                self._ended(query, reply, Outcome.TRUNCATED if cut else outcome, started)

        return replace(reply, chunks=watched(reply.chunks), release=release)

    def _ended(self, query: Query, reply: Reply | None, outcome: Outcome, started: float) -> None:
        total_s = time.perf_counter() - started
        self._inflight(query.endpoint).dec()
        self._seconds(query.endpoint, "total").observe(total_s)
        if outcome is Outcome.EMPTY:
            self._empty(query.endpoint, query.source).inc()
        if reply:
            self._bytes(query.endpoint).inc(reply.state.size)
        seen = _seen(query, reply, total_s) if log.isEnabledFor(logging.INFO) else {}
        self._count(query.endpoint, query.form, outcome, seen)

    def _count(self, endpoint: str, form: Form, outcome: Outcome, seen: Mapping[str, object]) -> None:
        """Count the end of a query, and log it: what was counted is as many lines."""
        self._queries(endpoint, form.value, outcome.value).inc()
        event("query.done", logging.INFO, endpoint=endpoint, form=form.value, outcome=outcome.value, **seen)


def _seen(query: Query, reply: Reply | None, total_s: float) -> dict[str, object]:
    """Return what may be logged of a query: its text is personal data, so only its length and a hash."""
    text = query.text.encode("utf-8", "replace")
    return {
        "seconds": round(total_s, 4),
        "rows": reply.state.rows if reply else None,
        "bytes": reply.state.size if reply else None,
        "text_bytes": len(text),
        "text_hash": hashlib.blake2b(text, digest_size=8).hexdigest(),
    }


def _is_late(reply: Reply) -> bool:
    """Whether the moment has passed at which the answer must have gone out."""
    return reply.until is not None and asyncio.get_running_loop().time() >= reply.until


def _whole(reply: Reply) -> Outcome:
    """Return the outcome of an answer that was read to its clean end."""
    if reply.state.completeness is Completeness.PARTIAL:
        return Outcome.TRUNCATED
    # An update has no rows to be without.
    return Outcome.EMPTY if reply.format and reply.state.empty else Outcome.OK
