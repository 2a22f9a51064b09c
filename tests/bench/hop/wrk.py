"""One run of wrk and what it says."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests import stage
from tests.bench.hop.nginx import Served
from tests.bench.hop.processes import cpu_s

SCRIPT = Path(__file__).with_name("distinct.lua")
_RESULT = re.compile(r"^RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one run measured.

    Units: ``rate`` in requests per second, the latencies in milliseconds, ``cpu_us`` in microseconds per request;
    ``refused`` are answers that are not 2xx,
    ``broken`` those that did not come.
    """

    rate: float
    median_ms: float
    p99_ms: float
    refused: int
    broken: int
    cpu_us: float


def run(served: Served, kind: str, connections: int, seconds: int, start: int) -> Figures:
    """Send distinct or repeated queries on so many connections; ``start`` is the number of the first query."""
    wrk = stage.program("wrk")
    if wrk is None:
        raise SystemExit("this bench needs wrk (Debian: wrk)")
    words = [wrk, "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(SCRIPT)]
    before = cpu_s(served.pid)
    done = subprocess.run(
        [*words, f"http://{served.address}", "--", kind, str(start)], capture_output=True, text=True, check=True
    )
    spent_s = cpu_s(served.pid) - before
    found = _RESULT.search(done.stdout)
    if found is None:
        raise SystemExit(f"wrk said no result: {done.stdout} {done.stderr}")
    requests, microseconds, median, p99, refused, broken = (int(number) for number in found.groups())
    return Figures(
        rate=requests * 1e6 / microseconds,
        median_ms=median / 1000,
        p99_ms=p99 / 1000,
        refused=refused,
        broken=broken,
        cpu_us=spent_s * 1e6 / max(1, requests),
    )
