"""Keep whole answers, and let equal queries at the same time share one."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from plugins.cache.answer import answered, manners, status
from plugins.cache.directives import ANYTHING, wish
from plugins.cache.entry import Entry, Packer
from plugins.cache.events import Count, Event
from plugins.cache.flight import Flight
from plugins.cache.flights import Flights
from plugins.cache.key import Keys, uncacheable
from plugins.cache.options import CacheOptions, Life
from plugins.cache.progress import Stage
from plugins.cache.question import Question
from plugins.cache.store import Store
from proxy.contract import Context, Plugin, Query, Reply, Route, Run
from proxy.errors import ClientError, ConfigError, NotFound, ProxyError, Truncated, UpstreamError, UpstreamFailed
from proxy.syntax import Form

# Failures of one exchange: whoever waited for it asks once more, together. A timeout, a busy endpoint or a bad query
# would be met again, so those are shared.
_PASSING = (UpstreamFailed, Truncated)


class Cache(Plugin):
    """Answer from memory what was answered whole before. A failure of the cache itself lets the query pass.

    Never kept are partial, broken and failed answers, updates, texts with functions that answer differently each time
    or with SERVICE, and answers above `max_entry_bytes`. An update through the proxy, or a clearing, makes its
    endpoint forget: at once in all workers of this proxy, and within `redis_sync_s` in other proxies that share its
    Redis. Proxies that share none, or lost theirs, give old answers until `ttl_s` is over.
    """

    Options = CacheOptions

    def __init__(self, options: CacheOptions) -> None:
        super().__init__(options)
        self._settings = options
        mistakes = options.mistakes()
        if options.redis and importlib.util.find_spec("redis") is None:
            mistakes.append("cache.redis: needs the Redis client: pip install 'saga-sparql-proxy[redis]'")
        if mistakes:
            raise ConfigError(*mistakes)
        self._services = frozenset(options.services)
        self._keys = Keys(options.share)
        self._packer = Packer()
        self._count: Count
        self._clock: Callable[[], float]
        self._lives: dict[str, Life]
        self._store: Store
        self._flights: Flights

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Hold the answers, those on their way, and the connection to Redis."""
        settings = self._settings
        events = context.metrics.counter("saga_cache_events", "What the cache did", ["event"])
        self._count = {event: events.labels(event.value).inc for event in Event}
        self._clock = context.clock
        self._lives = {name: settings.life(name) for name in context.endpoints}
        self._store = Store(settings, context, self._count)
        self._flights = Flights(self._packer, settings.max_bytes, settings.max_entry_bytes)
        async with self._store.lifespan(), self._flights:
            yield

    def routes(self) -> Sequence[Route]:
        """Let an admin clear the answers of all endpoints, or of one."""
        return (
            Route(method="DELETE", path="/admin/cache", handler=self._clear_page, right="admin", local=True),
            Route(method="DELETE", path="/admin/cache/{endpoint}", handler=self._clear_page, right="admin", local=True),
        )

    async def query(self, query: Query, run: Run) -> Reply:
        """Answer from what is kept or on its way, else ask and keep."""
        if query.form is Form.UPDATE:
            return await self._update(query, run)
        control = wish(query.hints.get("cache-control")) if self._settings.obey_clients else ANYTHING
        await self._store.look()
        names = self._keys.names(query, self._store.epochs.current(query.endpoint))
        question = Question(query=query, names=names, wish=control, life=self._lives[query.endpoint])
        entry = self._store.get(question) if control.store else None
        # What is kept may be kept: that has to be asked only of what is not.
        if entry is not None and (reply := self._hit(question, entry, run)) is not None:
            return reply
        reason = uncacheable(query.syntax, self._services) or (None if control.store else "no-store")
        if reason is not None:
            return await self._bypass(query, run, reason)
        return await self._miss(question, entry, run)

    async def clear(self, endpoint: str) -> None:
        """Forget the answers of an endpoint, in all workers and wherever the same Redis is used. Raises NotFound."""
        if endpoint not in self._store.epochs.endpoints:
            raise NotFound(f"There is no endpoint `{endpoint}`.")
        await self._store.clear(endpoint)

    async def _clear_page(self, request: web.Request) -> web.Response:
        named_one = request.match_info.get("endpoint")
        endpoints = self._store.epochs.endpoints if named_one is None else (named_one,)
        for endpoint in endpoints:
            await self.clear(endpoint)
        return web.json_response({"cleared": endpoints})

    async def _update(self, query: Query, run: Run) -> Reply:
        """Forget an endpoint after an update, also after one of which nobody knows whether it was applied."""
        try:
            reply = await run(query)
        except ClientError:
            raise
        except BaseException:
            await self._store.forget(query.endpoint)
            raise
        await self._store.forget(query.endpoint)
        return reply

    async def _bypass(self, query: Query, run: Run, reason: str) -> Reply:
        self._count[Event.BYPASS]()
        reply = await run(query)
        reply.headers.update(status(f"fwd=bypass; detail={reason}"))
        return reply

    def _hit(self, question: Question, entry: Entry, run: Run) -> Reply | None:
        """Return the answer that is kept, where it is fresh enough for this client, or good enough for now."""
        age_s = self._clock() - entry.born
        if age_s <= entry.fresh_s:
            if age_s > question.wish.max_age_s:
                return None
            self._count[Event.HIT]()
            return self._answered(entry, question, "hit")
        if age_s > entry.fresh_s + question.life.revalidate_s or not question.wish.stale:
            return None
        self._count[Event.STALE]()
        self._flights.refresh(question.names.whole, self._store.journey(question, run))
        return self._answered(entry, question, "hit")

    async def _miss(self, question: Question, stale: Entry | None, run: Run) -> Reply:
        """Wait for an equal query that is on its way, at most twice; else lead."""
        started = time.perf_counter()
        for last in (False, True):
            flight = self._flights.get(question.names.whole) if question.wish.max_age_s > 0 else None
            if flight is None:
                return await self._lead(question, stale, run)
            await flight.wait(self._settings.wait_s)
            if flight.entry is not None and self._is_new_enough(question, flight.entry):
                self._count[Event.COALESCED]()
                how = "fwd=uri-miss; collapsed"
                return self._answered(flight.entry, question, how, time.perf_counter() - started)
            if not isinstance(flight.error, ProxyError):
                # Too large to share, or slower than the patience, or a fault that is the leader's alone.
                break
            if last or not isinstance(flight.error, _PASSING):
                return self._failed(question, stale, flight)
        return await self._alone(question, run)

    def _answered(self, entry: Entry, question: Question, how: str, waited_s: float = 0.0) -> Reply:
        return answered(entry, self._packer.chunks(entry), question.query, self._clock(), how, waited_s)

    def _is_new_enough(self, question: Question, entry: Entry) -> bool:
        return self._clock() - entry.born <= question.wish.max_age_s

    async def _lead(self, question: Question, stale: Entry | None, run: Run) -> Reply:
        """Ask, as the one who gets the answer as it comes. Raises what the endpoint's failure means."""
        flight = self._flights.lead(question.names.whole, self._store.journey(question, run))
        try:
            await flight.progress.until(Stage.OPENED)
            stale = stale or flight.stale
            if stale is not None:
                # Only before the first byte can the stale answer stand in for a broken one.
                await flight.progress.until(Stage.BEGUN)
        except BaseException:
            await flight.leave_lead()
            raise
        if flight.found and flight.entry is not None:
            await flight.leave_lead()
            self._count[Event.HIT]()
            return self._answered(flight.entry, question, "hit")
        self._count[Event.MISS]()
        if flight.error is not None:
            await flight.leave_lead()
            return self._failed(question, stale, flight)
        why = "uri-miss" if stale is None else "stale" if question.wish.stale else "request"
        return flight.reply({"Cache-Control": manners(question.query), **status(f"fwd={why}")})

    async def _alone(self, question: Question, run: Run) -> Reply:
        self._count[Event.MISS]()
        reply = await run(question.query)
        reply.headers.update(status("fwd=uri-miss"))
        return reply

    def _failed(self, question: Question, stale: Entry | None, flight: Flight) -> Reply:
        """Return the stale answer where that is allowed, else raise what went wrong."""
        error = flight.error
        usable = stale is not None and self._clock() - stale.born <= stale.fresh_s + question.life.error_s
        if stale is None or not usable or not question.wish.stale or not isinstance(error, UpstreamError):
            flight.fail()
        self._count[Event.STALE]()
        return self._answered(stale, question, f"fwd=stale; fwd-status={error.status}")
