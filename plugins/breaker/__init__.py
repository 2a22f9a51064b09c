"""A circuit breaker, one pause for all, and retries within a budget, per endpoint.

* Nobody is sent to an endpoint that is not there: after so many failures in a row every query is refused with 503 and
  Retry-After until the cool-off has ended; then one query tries, and its answer opens the door again. Queries that
  fail on their own (malformed, timed out at the engine, left by their client) never count; where it is not clear whose
  fault it was, such as HTTP 500, `ASK {}` decides.
* Where an endpoint answers 429 or 503 it is left alone by everyone, in all workers, for as long as it asks.
* A read that failed before its first byte is sent once more: at most one in ten, and only while there is time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from prometheus_client import Counter

from plugins.breaker.budget import Budget
from plugins.breaker.circuit import Circuit
from plugins.breaker.guarded import Guarded
from plugins.breaker.options import BreakerOptions
from plugins.breaker.pauses import Pauses, pauses
from plugins.breaker.verdict import NEUTRAL, Reason, Verdict, verdict
from proxy.contract import Context, Plugin, Query, Reply, Run
from proxy.errors import ConfigError, ProxyError
from proxy.syntax import Form

# Spread out, so that those who failed together do not come back together.
_AGAIN_S = (0.05, 0.15)


class Breaker(Plugin):
    """Keep queries away from an endpoint that cannot answer them: they are stopped with 503.

    A failure of Redis lets them pass.
    """

    Options = BreakerOptions

    def __init__(self, options: BreakerOptions) -> None:
        super().__init__(options)
        if mistakes := options.mistakes():
            raise ConfigError(*mistakes)
        self._settings = options
        self._endpoints: dict[str, Guarded] = {}
        self._retries: Counter
        self._pauses: Pauses

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Watch the endpoints while the application runs."""
        settings = self._settings
        self._clock = context.clock
        self._tables = context.tables
        self._retries = context.metrics.counter("saga_retries", "Queries sent again", ["endpoint", "reason"])
        opened = context.metrics.gauge("saga_breaker_open", "Whether queries are kept away", ["endpoint"], "max")
        up = context.metrics.gauge("saga_endpoint_up", "Whether the endpoint answers", ["endpoint"], "min")

        def changed(name: str, is_up: bool, is_open: bool) -> None:
            up.labels(name).set(is_up)
            opened.labels(name).set(is_open)

        for name, endpoint in context.endpoints.items():
            circuit = Circuit(max(1, settings.failures), settings.cool_off_s, context.clock)
            budget = Budget(settings.retry_share)
            self._endpoints[name] = Guarded(endpoint, circuit, budget, settings.liveness_s, changed)
        watchers = [asyncio.ensure_future(each.watch()) for each in self._endpoints.values()]
        try:
            async with pauses(settings) as self._pauses:
                yield
        finally:
            for watcher in watchers:
                watcher.cancel()
            await asyncio.gather(*watchers, return_exceptions=True)

    async def query(self, query: Query, run: Run) -> Reply:
        """Run the query where the endpoint can be asked, and once more where it failed before its first byte."""
        endpoint = self._endpoints[query.endpoint]
        endpoint.budget.earn()
        end = self._clock() + self._limit_s(query)
        try:
            return await self._once(endpoint, query, run, end)
        except ProxyError as error:
            if not self._is_worth_it(endpoint, query, verdict(error), end):
                raise
        await asyncio.sleep(random.uniform(*_AGAIN_S))
        return await self._once(endpoint, query, run, end)

    def _limit_s(self, query: Query) -> float:
        """Return the seconds that the query may take in all, however often it is sent."""
        longest_s = self._tables[query.endpoint].total_s
        return longest_s if query.timeout_s is None else min(query.timeout_s, longest_s)

    async def _once(self, endpoint: Guarded, query: Query, run: Run, end: float) -> Reply:
        endpoint.rest(await self._pauses.left_s(query.endpoint))
        given = await endpoint.enter(min(self._settings.patience_s, end - self._clock()))
        try:
            reply = await run(self._in_time(query, end))
        except ProxyError as error:
            why = verdict(error)
            endpoint.failed(given, why)
            if why.rest_s:
                await self._pauses.tell(query.endpoint, why.rest_s)
            raise
        except BaseException:
            # A departure, or a fault of ours.
            endpoint.failed(given, NEUTRAL)
            raise
        endpoint.worked(given)
        return reply

    def _in_time(self, query: Query, end: float) -> Query:
        """Return the query with the time that it has left, where it has waited or been sent before."""
        left_s = max(_AGAIN_S[0], end - self._clock())
        if self._limit_s(query) - left_s < _AGAIN_S[0]:
            return query
        return replace(query, timeout_s=left_s)

    def _is_worth_it(self, endpoint: Guarded, query: Query, why: Verdict, end: float) -> bool:
        """Decide whether to send the query again, and pay for that."""
        settings = self._settings
        if query.form is Form.UPDATE or why.reason is None or not endpoint.closed:
            return False
        left_s = end - self._clock()
        spent_s = self._limit_s(query) - left_s
        if spent_s > settings.retry_within_s or why.rest_s > settings.patience_s or why.rest_s + _AGAIN_S[1] > left_s:
            return False
        if not endpoint.budget.spend():
            return False
        self._count(query.endpoint, why.reason)
        return True

    def _count(self, endpoint: str, reason: Reason) -> None:
        self._retries.labels(endpoint, reason).inc()
