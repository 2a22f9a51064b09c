"""How much of the machine's processors other processes take (Linux): what they take, a rate cannot count on."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.bench.soak.memory import family

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent until a moment. Units: seconds; of processor time, all processors together."""

    moment: float
    by_all: float
    by_us: float

    @classmethod
    def now(cls) -> Self:
        """Look at the machine's clock and at those of this process and all below it, those that ended among them."""
        user, nice, system, _, _, *rest = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
        return cls(time.monotonic(), (user + nice + system + sum(rest)) / _TICKS, _of(os.getpid()))

    def others_since(self, before: Self) -> float:
        """Return the part of all processors' time that others took since then."""
        theirs = (self.by_all - before.by_all) - (self.by_us - before.by_us)
        return max(0.0, theirs / ((self.moment - before.moment) * (os.cpu_count() or 1)))


def _of(pid: int) -> float:
    ticks = 0
    for each in family(pid):
        with contextlib.suppress(OSError):
            # After the name in brackets: from the twelfth on, its own time and that of its children that have ended.
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS
