"""The table of the breaker."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from proxy.settings import key

_SCHEMES = ("redis://", "rediss://", "unix://")


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerOptions:
    """The `[breaker]` table. Failures and retries are counted per endpoint and per worker process.

    A pause that an endpoint asks for holds for all workers of one proxy, and with `redis` for all machines that use
    the same one.
    """

    failures: int = key("failures in a row that open the circuit", 5)
    cool_off_s: float = key("seconds that an open circuit refuses everything", 10.0)
    liveness_s: float = key("seconds between two `ASK {}` while the circuit is open; an answer ends the cool-off", 2.0)
    patience_s: float = key("longest pause of the endpoint, in seconds, that a query waits for; else 503", 5.0)
    retry_share: float = key("share of the queries that may be sent twice; 0 is none", 0.1)
    retry_within_s: float = key("seconds after which a query that failed is not sent again", 5.0)
    redis: str = key("address of a Redis that workers and machines share, such as `redis://127.0.0.1:6379/0`", "")
    redis_password_env: str = key("environment variable that holds the password of Redis", "")
    redis_s: float = key("seconds that Redis may take for one answer; a slower one is done without", 0.1)
    namespace: str = key("first part of all names in Redis; proxies with the same one share their pauses", "saga")

    def mistakes(self) -> list[str]:
        """Say what is well formed and still cannot work."""
        if not self.redis:
            return []
        found = []
        if not self.redis.startswith(_SCHEMES):
            found.append(f"breaker.redis: must start with {', '.join(_SCHEMES[:-1])} or {_SCHEMES[-1]}")
        if not self.redis_s:
            found.append("breaker.redis_s: must be above 0")
        if importlib.util.find_spec("redis") is None:
            found.append("breaker.redis: needs the Redis client: pip install 'saga-sparql-proxy[redis]'")
        return found
