"""What each client may use: queries per minute, queries at once, and seconds of the endpoint's time per minute.

A query above a limit is refused with 429 and Retry-After before anything is asked. Nothing here can fail otherwise.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from plugins.limits.client import Address, address_of, client_of
from plugins.limits.ledger import Ledger, Visit
from plugins.limits.options import KeyLimits, LimitsOptions
from plugins.limits.waiting import waits_noted
from proxy.contract import Caller, Context, Plugin, Query, Reply, Run
from proxy.errors import ClientError, ConfigError, ProxyError, UpstreamBusy

# Beyond what an endpoint's own limits allow a query, before it counts as lost with its worker.
_SPARE_S = 30.0
_KEPT = 4096


class Limits(Plugin):
    """Refuse what is above a client's own limits: 429 stops the query. A failure of Redis lets it pass."""

    Options = LimitsOptions

    def __init__(self, options: LimitsOptions) -> None:
        super().__init__(options)
        if mistakes := options.mistakes():
            raise ConfigError(*mistakes)
        self._settings = options
        self._everybody = options.allowance(KeyLimits())
        self._keys = {name: options.allowance(limits) for name, limits in options.keys.items()}
        self._exempt = options.networks()
        # A network is looked for once per address.
        self._is_exempt_at = functools.lru_cache(_KEPT)(self._lies_in_exempt)
        self._longest_s: dict[str, float] = {}
        self._ledger: Ledger

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Start with nothing counted, but for what others have in the same Redis."""
        self._clock = context.clock
        self._longest_s = {name: each.queue_s + each.total_s + _SPARE_S for name, each in context.tables.items()}
        self._ledger = Ledger(self._settings, context.clock)
        async with self._ledger.lifespan():
            yield

    async def query(self, query: Query, run: Run) -> Reply:
        """Let the query in or refuse it; count what it cost when its answer was read or left."""
        if query.source == "guard" or self._is_exempt(query.caller):
            return await run(query)
        visit = await self._enter(query)
        started = self._clock()
        with waits_noted() as waits:
            try:
                reply = await run(query)
            except (ProxyError, asyncio.CancelledError) as error:
                await self._ledger.leave(visit, self._cost(error, started, waits.seconds))
                raise
            except BaseException:
                await self._ledger.leave(visit, 0.0)
                raise

        free, queue_s = reply.release, reply.queue_s

        async def release() -> None:
            try:
                await free()
            finally:
                await self._ledger.leave(visit, self._clock() - started - queue_s)

        reply.release = release
        return reply

    async def _enter(self, query: Query) -> Visit:
        caller = query.caller
        allowance = self._everybody if caller.key is None else self._keys.get(caller.key, self._everybody)
        # What a question asks on its way is no request of its client's, but takes time all the same.
        requests = 1 if query.source == "client" else 0
        longest_s = self._longest_s.get(query.endpoint, _SPARE_S)
        return await self._ledger.enter(client_of(caller), allowance, requests, longest_s)

    def _is_exempt(self, caller: Caller) -> bool:
        # A reverse proxy on an exempt network asks for people who are not.
        return not caller.forwarded and self._is_exempt_at(address_of(caller))

    def _lies_in_exempt(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self._exempt)

    def _cost(self, error: BaseException, started: float, waited_s: float) -> float:
        """Return the endpoint's seconds: none for what was refused, all of them for what failed or was left."""
        if isinstance(error, (ClientError, UpstreamBusy)):
            return 0.0
        return self._clock() - started - waited_s
