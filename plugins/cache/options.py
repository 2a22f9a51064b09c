"""The tables of the cache, and how long an answer of each endpoint lives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from proxy.settings import MIB, NONE, key

Share = Literal["rights", "key"]

_SCHEMES = ("redis://", "rediss://", "unix://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """How long an answer lives: fresh, then good enough while it is asked for anew, or while its endpoint fails.

    Units: seconds. Both of the latter count from the end of the freshness.
    """

    ttl_s: float
    revalidate_s: float
    error_s: float

    @property
    def stale_s(self) -> float:
        """How long an answer is kept after it stopped being fresh."""
        return max(self.revalidate_s, self.error_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOptions:
    """A `[cache.endpoints.NAME]` table: what differs for one endpoint."""

    ttl_s: float | None = key("seconds that an answer of this endpoint is fresh; 0 keeps none", None)
    stale_while_revalidate_s: float | None = key("as in `[cache]`, for this endpoint", None)
    stale_if_error_s: float | None = key("as in `[cache]`, for this endpoint", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheOptions:
    """The `[cache]` table. Updates that pass this proxy are seen; others only when `ttl_s` is over.

    Each worker keeps answers of its own, and all of them forget an endpoint together. Other proxies, and workers on
    other machines, hear of updates through Redis, or not at all.
    """

    max_bytes: int = key("memory of one worker for answers, in bytes; as much again for those on their way", 256 * MIB)
    max_entry_bytes: int = key("largest answer that is kept, in bytes before compression", 4 * MIB)
    ttl_s: float = key("seconds that an answer is fresh; 0 keeps none, and equal queries still share one", 300.0)
    jitter: float = key("part of `ttl_s` that chance may take off, so that answers do not expire together", 0.1)
    stale_while_revalidate_s: float = key("seconds after it that an answer is given while it is asked for anew", 0.0)
    stale_if_error_s: float = key("seconds after it that an answer is given where the endpoint fails", 0.0)
    wait_s: float = key("seconds that a query waits for an equal one on its way, before it goes itself", 60.0)
    obey_clients: bool = key("whether `Cache-Control` of a request is obeyed", True)
    share: Share = key("who shares answers: callers with the same rights, or only those with the same key", "rights")
    services: tuple[str, ...] = key("SERVICE targets that are a part of their endpoint, such as its label service", ())
    endpoints: Mapping[str, EndpointOptions] = key("what differs per endpoint", NONE)
    redis: str = key("address of a Redis that workers and machines share, such as `redis://127.0.0.1:6379/0`", "")
    redis_password_env: str = key("environment variable that holds the password of Redis", "")
    redis_s: float = key("seconds that Redis may take for one answer; a slower one is done without", 0.1)
    redis_sync_s: float = key("seconds between looks at what others cleared or updated; 0 looks at every query", 0.25)
    namespace: str = key("first part of all names in Redis; another one for each set of endpoints", "saga")

    def life(self, endpoint: str) -> Life:
        """Return how long answers of an endpoint live."""
        own = self.endpoints.get(endpoint, EndpointOptions())
        return Life(
            ttl_s=self.ttl_s if own.ttl_s is None else own.ttl_s,
            revalidate_s=_first(own.stale_while_revalidate_s, self.stale_while_revalidate_s),
            error_s=_first(own.stale_if_error_s, self.stale_if_error_s),
        )

    def mistakes(self) -> list[str]:
        """Say what is well formed and still cannot work."""
        found = []
        if self.max_entry_bytes > self.max_bytes:
            found.append("cache.max_entry_bytes: must not be above cache.max_bytes")
        if self.jitter >= 1:
            found.append("cache.jitter: must be below 1; 0.1 takes up to a tenth off")
        if self.redis and not self.redis.startswith(_SCHEMES):
            found.append(f"cache.redis: must start with {', '.join(_SCHEMES[:-1])} or {_SCHEMES[-1]}")
        if self.redis and not self.redis_s:
            found.append("cache.redis_s: must be above 0")
        return found


def _first(own: float | None, common: float) -> float:
    return common if own is None else own
