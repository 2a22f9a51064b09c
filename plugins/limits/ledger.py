"""Who runs what and has used how much: over all workers where they share a Redis, else in this one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.limits.account import Account, Accounts, Allowance, Limit
from plugins.limits.options import LimitsOptions

if TYPE_CHECKING:
    from plugins.limits.shared import Lease, Shared


@dataclass(frozen=True, slots=True)
class Visit:
    """A query that was let in. ``lease`` is its place among those of all workers, None where nothing is shared."""

    account: Account
    lease: Lease | None


class Ledger:
    """Let queries in and count what they cost.

    This worker counts for itself what it lets in also while all count together, so that it can go on alone at any
    moment.
    """

    def __init__(self, options: LimitsOptions, clock: Callable[[], float]) -> None:
        self._options = options
        self._accounts = Accounts(max(1, options.clients), clock)
        self._shared: Shared | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hold the connections to Redis."""
        if not self._options.redis:
            yield
            return
        from plugins.limits.shared import Shared

        self._shared = Shared(self._options)
        async with self._shared.lifespan():
            yield

    async def enter(self, client: str, allowance: Allowance, requests: int, longest_s: float) -> Visit:
        """Let a query in that is so many requests and ends within so long, to be followed by `leave`.

        Raises: TooMany.
        """
        if self._shared is None:
            account = self._accounts.of(client, allowance)
            account.enter(requests)
            return Visit(account, None)
        lease = self._shared.lease(client, allowance)
        verdict = await self._shared.enter(lease, requests, longest_s)
        if verdict is not None and verdict[0] is not Limit.NONE:
            raise allowance.refusal(*verdict)
        account = self._accounts.of(client, allowance)
        if verdict is None:
            account.enter(requests)
        else:
            account.admit(requests)
        return Visit(account, lease)

    async def leave(self, visit: Visit, upstream_s: float) -> None:
        """Count a query as ended, and the seconds that the endpoint spent on it."""
        visit.account.leave(upstream_s)
        if self._shared is not None and visit.lease is not None:
            await self._shared.leave(visit.lease, upstream_s)
