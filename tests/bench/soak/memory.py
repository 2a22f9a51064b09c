"""How much memory the proxy and all of its processes hold, every few seconds (Linux)."""

from __future__ import annotations

import asyncio
import contextlib
import re
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.served import children

_LOOK_S = 1.0
_PSS = re.compile(r"^Pss:\s+(\d+) kB$", re.MULTILINE)


def family(pid: int) -> list[int]:
    """Return a process and all that it started, at any depth."""
    found = [pid]
    for each in found:
        found += children(each)
    return found


def held(pid: int) -> float:
    """Return the MiB that a process and all below it hold; what they share is counted once."""
    total = 0
    for each in family(pid):
        with contextlib.suppress(OSError):
            match = _PSS.search(Path(f"/proc/{each}/smaps_rollup").read_text())
            total += int(match[1]) if match else 0
    return total / 1024


@dataclass(slots=True)
class Memory:
    """Look for as long as the task runs. Shapes: ``seen`` holds moments of the monotonic clock, and MiB."""

    pid: int
    seen: list[tuple[float, float]] = field(default_factory=list)

    async def watch(self) -> None:
        """Look again and again."""
        while True:
            self.seen.append((time.monotonic(), await asyncio.to_thread(held, self.pid)))
            await asyncio.sleep(_LOOK_S)

    def parts(self, length_s: float, begun: float, ended: float) -> list[float]:
        """Return the median of each part of a time, in MiB."""
        parts: dict[int, list[float]] = {}
        for moment, mib in self.seen:
            if begun <= moment < ended:
                parts.setdefault(int((moment - begun) / length_s), []).append(mib)
        return [statistics.median(parts[number]) for number in sorted(parts)]
