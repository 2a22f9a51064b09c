"""The keys that the table of every plugin has that shares something through Redis."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass

from proxy.settings import key

_SCHEMES = ("redis://", "rediss://", "unix://")


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisOptions:
    """Where a Redis is, and how long to wait for it. Options of a plugin that uses one are made from these.

    Reading them needs no client of Redis: that is imported only where an address is configured.
    """

    redis: str = key("address of a Redis that workers and machines share, such as `redis://127.0.0.1:6379/0`", "")
    redis_password_env: str = key("environment variable that holds the password of Redis", "")
    redis_s: float = key("seconds that Redis may take for one answer; a slower one is done without", 0.1)
    namespace: str = key("first part of all names in Redis; proxies with the same one share what they keep", "saga")

    def redis_mistakes(self, table: str) -> Iterator[str]:
        """Say what is well formed and still cannot work, in the table of this name."""
        if not self.redis:
            return
        if not self.redis.startswith(_SCHEMES):
            yield f"{table}.redis: must start with {', '.join(_SCHEMES[:-1])} or {_SCHEMES[-1]}"
        if self.redis_s <= 0:
            yield f"{table}.redis_s: must be above 0"
        if self.redis_password_env and self.redis_password_env not in os.environ:
            yield f"{table}.redis_password_env: the environment variable {self.redis_password_env!r} is not set"
        if importlib.util.find_spec("redis") is None:
            yield f"{table}.redis: needs the Redis client: pip install 'saga-sparql-proxy[redis]'"
