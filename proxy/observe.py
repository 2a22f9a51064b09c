"""What an operator sees of queries: how each ended, and how long it took."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import logging
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from proxy.contract import Query, Reply, Run
from proxy.errors import Blocked, ClientError, ProxyError, TooMany, Truncated, UpstreamBusy, UpstreamTimeout
from proxy.logs import event, log, text_here
from proxy.results.state import Completeness
from proxy.series import PrometheusMetrics
from proxy.syntax import Form

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
# So many texts that no plugin has read are read only to be counted: some of them at once, then so many a second.
_AT_ONCE, _PER_SECOND = 100, 20


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


class _Series:
    """The series of one endpoint, bound to their labels: nothing is looked up by them while a query runs."""

    def __init__(self, endpoint: str, families: _Families) -> None:
        self.queries = functools.cache(functools.partial(families.queries.labels, endpoint))
        self.empty = functools.cache(functools.partial(families.empty.labels, endpoint))
        self.unchecked = families.unchecked.labels(endpoint)
        self.bytes = families.bytes.labels(endpoint)
        self.running = families.running.labels(endpoint)
        phases = ("queue", "first_byte", "overhead", "total")
        self.queue_s, self.first_byte_s, self.overhead_s, self.total_s = (
            families.seconds.labels(endpoint, phase) for phase in phases
        )


class _Families:
    """What is counted and timed, over all endpoints."""

    def __init__(self, metrics: PrometheusMetrics) -> None:
        counter = metrics.counter
        self.queries = counter("saga_queries", "Queries by outcome", ["endpoint", "form", "outcome"])
        self.empty = counter("saga_empty_results", "Complete answers without a row", ["endpoint", "source"])
        self.unchecked = counter("saga_unchecked_queries", "Queries in words we cannot read", ["endpoint"])
        self.bytes = counter("saga_result_bytes", "Bytes of answers", ["endpoint"])
        self.seconds = metrics.histogram("saga_query_seconds", "By phase", ["endpoint", "phase"], SECONDS)
        self.running = metrics.gauge("saga_inflight_queries", "Queries that run now", ["endpoint"])


class _Leisure:
    """Say whether there is time for work that nobody waits for: for a few of a crowd, for all who come now and then.

    Units: seconds of `time.perf_counter`.
    """

    def __init__(self) -> None:
        self._left, self._since = float(_AT_ONCE), time.perf_counter()

    def taken(self, now: float) -> bool:
        """Take the time for one, where there is any."""
        self._left = min(_AT_ONCE, self._left + (now - self._since) * _PER_SECOND)
        self._since = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class QueryMetrics:
    """Count and time queries, outside of all plugins."""

    def __init__(self, metrics: PrometheusMetrics) -> None:
        families = _Families(metrics)
        self._series = functools.cache(lambda endpoint: _Series(endpoint, families))
        self._leisure = _Leisure()

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
            running = self._series(query.endpoint).running
            running.inc()
            try:
                reply = await run(query)
            except BaseException as error:
                running.dec()
                self._ended(query, None, outcome_of(error), started)
                raise
            return self._watch(query, reply, started)

        return measure

    def _watch(self, query: Query, reply: Reply, started: float) -> Reply:
        """Return the reply with its end observed: emptiness and outcome are known only there."""
        first_byte_s = time.perf_counter() - started
        series = self._series(query.endpoint)
        series.queue_s.observe(reply.queue_s)
        series.first_byte_s.observe(first_byte_s)
        series.overhead_s.observe(max(0.0, first_byte_s - reply.queue_s - reply.upstream_s))
        chunks = reply.chunks = _Watched(reply)
        free = reply.release

        async def release() -> None:
            # First, since the client has its answer by now: a process that is killed while it frees has counted it.
            try:
                self._ended(query, reply, chunks.outcome(), started)
            finally:
                try:
                    await free()
                finally:
                    series.running.dec()

        reply.release = release
        return reply

    def _ended(self, query: Query, reply: Reply | None, outcome: Outcome, started: float) -> None:
        ended = time.perf_counter()
        series = self._series(query.endpoint)
        series.total_s.observe(ended - started)
        # Where nobody asked for the tree so far it is read now, when the answer has gone out.
        if (query.syntax.grown or self._leisure.taken(ended)) and not query.syntax.checked:
            series.unchecked.inc()
        if outcome is Outcome.EMPTY:
            series.empty(query.source).inc()
        if reply:
            series.bytes.inc(reply.state.size)
        seen = _seen(query, reply, ended - started) if log.isEnabledFor(logging.INFO) else {}
        self._count(query.endpoint, query.form, outcome, seen)

    def _count(self, endpoint: str, form: Form, outcome: Outcome, seen: Mapping[str, object]) -> None:
        """Count the end of a query, and log it: what was counted is as many lines."""
        self._series(endpoint).queries(form, outcome).inc()
        if log.isEnabledFor(logging.INFO):
            event("query.done", logging.INFO, endpoint=endpoint, form=form.value, outcome=outcome.value, **seen)


class _Watched:
    """Pass the chunks of a reply on, and know how that ended. It keeps no hold of the reply, which holds it."""

    def __init__(self, reply: Reply) -> None:
        self._next = reply.chunks.__anext__
        self._state = reply.state
        self._until = reply.until
        # An update has no rows to be without.
        self._has_rows = reply.format is not None
        self._outcome = Outcome.CANCELLED

    def __aiter__(self) -> Self:
        """Return itself: an answer is read once."""
        return self

    async def __anext__(self) -> bytes:
        """Return the next chunk."""
        try:
            return await self._next()
        except StopAsyncIteration:
            self._outcome = self._whole()
            raise
        except Exception as error:
            # Whatever broke it, an answer whose head had gone out was cut.
            self._outcome = Outcome.TRUNCATED if self._state.sent else outcome_of(error)
            raise

    def _whole(self) -> Outcome:
        """Return the outcome of an answer that was read to its clean end."""
        if self._state.completeness is Completeness.PARTIAL:
            return Outcome.TRUNCATED
        return Outcome.EMPTY if self._has_rows and self._state.empty else Outcome.OK

    def outcome(self) -> Outcome:
        """Return how the answer ended, now that nobody reads it any more."""
        # A client that did not read in time was cut off, and did not leave.
        cut = self._outcome is Outcome.CANCELLED and self._state.sent and self._is_late()
        return Outcome.TRUNCATED if cut else self._outcome

    def _is_late(self) -> bool:
        """Whether the moment has passed at which the answer must have gone out."""
        return self._until is not None and asyncio.get_running_loop().time() >= self._until


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
