"""What one client has used, against what it may use; and all clients, within a bound."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from plugins.limits.bucket import Bucket
from proxy.errors import TooMany

# No one can know when the client's own queries end; soon enough, and no hammering.
_CONCURRENT_RETRY_S = 2
# A query may start as soon as there is anything left to start it with.
LEAST_UPSTREAM_S = 0.001


class Limit(IntEnum):
    """What a client can have too much of."""

    NONE = 0
    CONCURRENT = 1
    UPSTREAM = 2
    REQUESTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What one client may use; 0 is without a limit. Units: in the names."""

    requests_per_minute: float
    concurrent: int
    upstream_s_per_minute: float

    def refusal(self, limit: Limit, wait_s: float) -> TooMany:
        """Return the error that says which limit was reached, and when to come again."""
        if limit is Limit.CONCURRENT:
            return _too_many(f"{self.concurrent} of your queries run already, as many as may.", _CONCURRENT_RETRY_S)
        if limit is Limit.UPSTREAM:
            return _too_many(
                f"Your queries took more than the {self.upstream_s_per_minute:g} s of the endpoint's time "
                "that you have per minute; ask for less in each.",
                wait_s,
            )
        return _too_many(f"You have sent more than {self.requests_per_minute:g} queries per minute.", wait_s)


class Account:
    """Count one client."""

    def __init__(self, allowance: Allowance, clock: Callable[[], float]) -> None:
        self.allowance = allowance
        self._clock = clock
        now = clock()
        self._requests = Bucket(allowance.requests_per_minute, now) if allowance.requests_per_minute else None
        self._upstream = Bucket(allowance.upstream_s_per_minute, now) if allowance.upstream_s_per_minute else None
        self.running = 0

    def enter(self, requests: int) -> None:
        """Let a query in that is so many requests, to be followed by `leave`. Raises TooMany."""
        now = self._clock()
        allowed = self.allowance
        if allowed.concurrent and self.running >= allowed.concurrent:
            raise allowed.refusal(Limit.CONCURRENT, 0.0)
        if self._upstream and (wait_s := self._upstream.wait_s(LEAST_UPSTREAM_S, now)):
            raise allowed.refusal(Limit.UPSTREAM, wait_s)
        if self._requests and requests and (wait_s := self._requests.wait_s(requests, now)):
            raise allowed.refusal(Limit.REQUESTS, wait_s)
        self.admit(requests)

    def admit(self, requests: int) -> None:
        """Count a query that others let in, to be followed by `leave`."""
        if self._requests and requests:
            self._requests.take(requests, self._clock())
        self.running += 1

    def leave(self, upstream_s: float) -> None:
        """Count a query as ended, and the seconds that the endpoint spent on it."""
        self.running -= 1
        if self._upstream and upstream_s > 0:
            self._upstream.take(upstream_s, self._clock())


class Accounts:
    """Keep the accounts of the clients seen last. One whose queries run is never forgotten."""

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self._most = most
        self._clock = clock
        self._accounts: OrderedDict[str, Account] = OrderedDict()

    def __len__(self) -> int:
        """How many clients are remembered."""
        return len(self._accounts)

    def of(self, client: str, allowance: Allowance) -> Account:
        """Return the client's account, a new one where it was not seen or was forgotten."""
        account = self._accounts.get(client)
        if account is not None:
            self._accounts.move_to_end(client)
            return account
        if len(self._accounts) >= self._most:
            self._forget_one()
        account = self._accounts[client] = Account(allowance, self._clock)
        return account

    def _forget_one(self) -> None:
        """Drop the idle client that was seen longest ago; busy ones move up, so that no search repeats itself."""
        for _ in range(len(self._accounts)):
            client, account = next(iter(self._accounts.items()))
            if not account.running:
                del self._accounts[client]
                return
            self._accounts.move_to_end(client)


def _too_many(detail: str, wait_s: float) -> TooMany:
    seconds = max(1, math.ceil(wait_s))
    return TooMany(f"{detail} Try again in {seconds} s.", headers={"Retry-After": str(seconds)})
