"""The tables of the limits."""

from __future__ import annotations

import importlib.util
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

from plugins.limits.account import Allowance
from proxy.settings import NONE, key

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_SCHEMES = ("redis://", "rediss://", "unix://")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLimits:
    """A `[limits.keys.NAME]` table: limits of one API key. What is left out is as for everybody."""

    requests_per_minute: float | None = key("queries per minute; 0 is without a limit", None)
    concurrent: int | None = key("queries that run or wait at the same time; 0 is without a limit", None)
    upstream_s_per_minute: float | None = key("seconds of the endpoint's time per minute; 0 is without a limit", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsOptions:
    """The `[limits]` table.

    A client is an API key, an IPv4 address, or a /64 of IPv6 addresses. With `redis` a client's limits hold over all
    workers and machines that use the same one. Without it, and while it is away, each worker process counts on its
    own: with `server.workers = 4` a client whose connections meet all four may use up to four times as much.
    """

    requests_per_minute: float = key("queries per minute; 0 is without a limit", 600.0)
    concurrent: int = key("queries that run or wait at the same time; 0 is without a limit", 20)
    upstream_s_per_minute: float = key("seconds of the endpoint's time per minute; 0 is without a limit", 60.0)
    keys: Mapping[str, KeyLimits] = key("limits of single API keys, by the key's name", NONE)
    exempt: tuple[str, ...] = key("networks without limits; this machine itself has none", ("127.0.0.0/8", "::1/128"))
    clients: int = key("clients that are remembered; above it the one seen longest ago starts anew", 10_000)
    redis: str = key("address of a Redis that workers and machines share, such as `redis://127.0.0.1:6379/0`", "")
    redis_password_env: str = key("environment variable that holds the password of Redis", "")
    redis_s: float = key("seconds that Redis may take for one answer; a slower one is done without", 0.1)
    namespace: str = key("first part of all names in Redis; proxies with the same one share their limits", "saga")

    def allowance(self, own: KeyLimits) -> Allowance:
        """Return what a client may use that has limits of its own."""
        return Allowance(
            requests_per_minute=_first(own.requests_per_minute, self.requests_per_minute),
            concurrent=int(_first(own.concurrent, self.concurrent)),
            upstream_s_per_minute=_first(own.upstream_s_per_minute, self.upstream_s_per_minute),
        )

    def networks(self) -> list[Network]:
        """Return the networks without limits. Raises ValueError where one cannot be read; `mistakes` says which."""
        return [ipaddress.ip_network(text) for text in self.exempt]

    def mistakes(self) -> list[str]:
        """Say what is well formed and still cannot work."""
        found = []
        for number, text in enumerate(self.exempt):
            try:
                ipaddress.ip_network(text)
            except ValueError as error:
                found.append(f"limits.exempt[{number}]: {error}")
        if not self.redis:
            return found
        if not self.redis.startswith(_SCHEMES):
            found.append(f"limits.redis: must start with {', '.join(_SCHEMES[:-1])} or {_SCHEMES[-1]}")
        if not self.redis_s:
            found.append("limits.redis_s: must be above 0")
        if importlib.util.find_spec("redis") is None:
            found.append("limits.redis: needs the Redis client: pip install 'saga-sparql-proxy[redis]'")
        return found


def _first(own: float | None, common: float) -> float:
    return common if own is None else own
