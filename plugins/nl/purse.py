"""What callers may cause in a time: seconds of work in a minute, money in a day."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from contextlib import suppress

from plugins.nl.records import Change, Record, Records, Unreadable
from proxy.contract import Caller
from proxy.errors import TooMany


class Purse:
    """Count what each caller's questions cost, and what of it time has paid off since.

    Whoever is not above the limit may ask, and a long question may go above it: the next one waits that much longer, so
    that no caller gets more in the long run. It is counted in several records, and the one that says most holds: those
    of this machine are always there, and those of all machines may be away, or have lost their memory.
    Units: ``allowance`` in ``period_s`` seconds; 0 is without a limit. ``what`` says of what it is.
    """

    def __init__(
        self,
        allowance: float,
        records: Sequence[Records],
        clock: Callable[[], float],
        period_s: float = 60.0,
        what: str = "seconds of work on questions that a caller has in a minute",
    ) -> None:
        self._allowance = allowance
        self._rate = allowance / period_s
        self._records = records
        self._clock = clock
        self._what = what

    async def demand(self, caller: Caller) -> None:
        """Let a caller ask that has anything left. Raises TooMany, with Retry-After."""
        if not self._rate:
            return
        over = max([await self._spent(records, who(caller)) for records in self._records]) - self._allowance
        if over >= 0:
            wait = max(1, math.ceil(over / self._rate))
            detail = f"The {self._allowance:g} {self._what} are used up."
            raise TooMany(detail, headers={"Retry-After": str(wait)})

    async def pay(self, caller: Caller, amount: float) -> None:
        """Count what a question cost."""
        if not self._rate or not amount:
            return
        change = self._paid(amount)
        for records in self._records:
            await records.change(who(caller), change)

    async def _spent(self, records: Records, name: str) -> float:
        with suppress(Unreadable):
            return self._left(await records.read(name))
        return 0.0

    def _paid(self, amount: float) -> Change:
        made = self._clock()

        def change(record: Record) -> tuple[bytes, float]:
            # It may be counted late, and time has paid off some of it by then.
            spent = self._left(record) + max(0.0, amount - (self._clock() - made) * self._rate)
            return json.dumps([spent, record.now]).encode(), spent / self._rate

        return change

    def _left(self, record: Record) -> float:
        """Return what a record says was spent, without what time has paid off since it was so."""
        try:
            spent, since = json.loads(record.content or b"[0, 0]")
            left = float(spent) - max(0.0, record.now - float(since)) * self._rate
        except (ValueError, TypeError):
            return 0.0
        return max(0.0, left) if math.isfinite(left) else 0.0


def who(caller: Caller) -> str:
    """Return the name under which a caller is known: its key, else its address."""
    return f"key {caller.key}" if caller.key else f"address {caller.address}"
