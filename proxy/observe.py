"""What an operator sees of queries: how each ended, and how long it took."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from enum import StrEnum

from prometheus_client import Counter, Gauge, Histogram

from proxy.contract import Query, Reply, Run
from proxy.errors import Blocked, ClientError, ProxyError, TooMany, Truncated, UpstreamBusy, UpstreamTimeout
from proxy.logs import event, log, text_here
from proxy.results.state import Completeness
from proxy.series import PrometheusMetrics
from proxy.syntax import Form

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


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
            text_here.set(query.text)
            self._inflight(query.endpoint).inc()
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
        chunks, free = reply.chunks, reply.release

        async def watched() -> AsyncIterator[bytes]:
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
                await free()
            finally:
                # A client that did not read in time was cut off, and did not leave.
                cut = outcome is Outcome.CANCELLED and reply.state.sent and _is_late(reply)
                self._ended(query, reply, Outcome.TRUNCATED if cut else outcome, started)

        reply.chunks, reply.release = watched(), release
        return reply

    def _ended(self, query: Query, reply: Reply | None, outcome: Outcome, started: float) -> None:
        total_s = time.perf_counter() - started
        self._inflight(query.endpoint).dec()
        self._seconds(query.endpoint, "total").observe(total_s)
        # Where nobody asked for the tree so far it is read now, when the answer has gone out.
        if not query.syntax.checked:
            self._unchecked(query.endpoint).inc()
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
