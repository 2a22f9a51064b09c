"""What each client may use: queries per minute, queries at once, and seconds of the endpoint's time per minute.

A query above a limit is refused with 429 and Retry-After before anything is asked. Nothing here can fail otherwise.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from plugins.limits.account import Account, Accounts, Allowance
from plugins.limits.client import address_of, client_of
from plugins.limits.waiting import waits_noted
from proxy.contract import Caller, Context, Plugin, Query, Reply, Run
from proxy.errors import ClientError, ConfigError, ProxyError, UpstreamBusy
from proxy.settings import NONE, key


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLimits:
    """A `[limits.keys.NAME]` table: limits of one API key. What is left out is as for everybody."""

    requests_per_minute: float | None = key("queries per minute; 0 is without a limit", None)
    concurrent: int | None = key("queries that run or wait at the same time; 0 is without a limit", None)
    upstream_s_per_minute: float | None = key("seconds of the endpoint's time per minute; 0 is without a limit", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsOptions:
    """The `[limits]` table. Limits are per client and per worker process.

    A client is an API key, an IPv4 address, or a /64 of IPv6 addresses.
    """

    requests_per_minute: float = key("queries per minute; 0 is without a limit", 600.0)
    concurrent: int = key("queries that run or wait at the same time; 0 is without a limit", 20)
    upstream_s_per_minute: float = key("seconds of the endpoint's time per minute; 0 is without a limit", 60.0)
    keys: Mapping[str, KeyLimits] = key("limits of single API keys, by the key's name", NONE)
    exempt: tuple[str, ...] = key("networks without limits, such as `127.0.0.0/8`", ())
    clients: int = key("clients that are remembered; above it the one seen longest ago starts anew", 10_000)


class Limits(Plugin):
    """Refuse what is above a client's own limits: 429 stops the query."""

    Options = LimitsOptions

    def __init__(self, options: LimitsOptions) -> None:
        super().__init__(options)
        self._everybody = _allowance(options, KeyLimits())
        self._keys = {name: _allowance(options, limits) for name, limits in options.keys.items()}
        self._exempt = [_network(text, n) for n, text in enumerate(options.exempt)]
        self._most = max(1, options.clients)
        self._accounts: Accounts

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Start with nothing counted."""
        self._clock = context.clock
        self._accounts = Accounts(self._most, context.clock)
        yield

    async def query(self, query: Query, run: Run) -> Reply:
        """Let the query in or refuse it; count what it cost when its answer was read or left."""
        if query.source == "guard" or self._is_exempt(query.caller):
            return await run(query)
        account = self._account(query.caller)
        # What a question asks on its way is no request of its client's, but takes time all the same.
        account.enter(1 if query.source == "client" else 0)
        started = self._clock()
        with waits_noted() as waits:
            try:
                reply = await run(query)
            except (ProxyError, asyncio.CancelledError) as error:
                account.leave(self._cost(error, started, waits.seconds))
                raise
            except BaseException:
                account.leave(0.0)
                raise

        async def release() -> None:
            try:
                await reply.aclose()
            finally:
                account.leave(self._clock() - started - reply.queue_s)

        return replace(reply, release=release)

    def _account(self, caller: Caller) -> Account:
        allowance = self._keys.get(caller.key, self._everybody) if caller.key is not None else self._everybody
        return self._accounts.of(client_of(caller), allowance)

    def _is_exempt(self, caller: Caller) -> bool:
        if not self._exempt:
            return False
        address = address_of(caller)
        return address is not None and any(address in network for network in self._exempt)

    def _cost(self, error: BaseException, started: float, waited_s: float) -> float:
        """Return the endpoint's seconds: none for what was refused, all of them for what failed or was left."""
        if isinstance(error, (ClientError, UpstreamBusy)):
            return 0.0
        return self._clock() - started - waited_s


def _allowance(common: LimitsOptions, own: KeyLimits) -> Allowance:
    return Allowance(
        requests_per_minute=_first(own.requests_per_minute, common.requests_per_minute),
        concurrent=int(_first(own.concurrent, common.concurrent)),
        upstream_s_per_minute=_first(own.upstream_s_per_minute, common.upstream_s_per_minute),
    )


def _first(own: float | None, common: float) -> float:
    return common if own is None else own


def _network(text: str, number: int) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ConfigError(f"limits.exempt[{number}]: {error}") from None
