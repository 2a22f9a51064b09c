"""Measure what a hit costs: requests per second, latency and processor time, beside nginx's cache, in one run.

`python -m tests.bench.cache [--rounds N] [--seconds S]`: all servers stand before the same nginx, which answers every
query with the same bytes. Every query is asked before it is measured, so that the caches only hit; "endpoint" is the
endpoint alone, "bare aiohttp" the least server that Python can be, "saga" the proxy without its cache. At the end a
hundred clients ask one query that nobody has the answer of.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests import stage
from tests.bench.cache.cold import cold
from tests.bench.cache.servers import servers
from tests.bench.hop.__main__ import answer
from tests.bench.hop.nginx import Served
from tests.bench.hop.processes import cpu_s
from tests.bench.hop.wrk import Figures
from tests.bench.machine import headline, said_by
from tests.redis import redis_server

SCRIPT = Path(__file__).with_name("hit.lua")
REFERENCE = "nginx cache"
_RESULT = re.compile(r"^RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$", re.MULTILINE)
_QUERIES = 100

Key = tuple[str, int, int]


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.cache", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured; medians count")
    parser.add_argument("--seconds", type=int, default=2, help="length of one measurement")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--bytes", type=int, nargs="+", default=[1_000, 30_000], help="sizes of the answer")
    options = parser.parse_args(arguments)
    print(headline(f"cache: {options.rounds} rounds of {options.seconds} s, {_QUERIES} queries"), end="")
    print(f"{said_by('nginx', '-v')}, {said_by('redis-server', '--version')}")
    figures: dict[Key, list[Figures]] = defaultdict(list)
    for size in options.bytes:
        with tempfile.TemporaryDirectory(prefix="saga-cache-") as name, ExitStack() as stack:
            folder = Path(name)
            redis = stack.enter_context(redis_server(folder)) if stage.program("redis-server") else None
            made = stack.enter_context(servers(folder, answer(size), redis))
            _measure(made, options, size, figures)
    _print(figures)
    answered, asked = asyncio.run(cold(_QUERIES, answer(min(options.bytes))))
    print(f"\n{_QUERIES} equal cold queries at once: {answered} answered, {asked} sent to the endpoint")
    return 0


def _measure(
    made: dict[str, Served], options: argparse.Namespace, size: int, figures: dict[Key, list[Figures]]
) -> None:
    for served in made.values():
        _run(served, 8, 1)
    for _ in range(options.rounds):
        for connections in options.connections:
            for name, served in made.items():
                figures[name, size, connections].append(_run(served, connections, options.seconds))


def _run(served: Served, connections: int, seconds: int) -> Figures:
    wrk = stage.program("wrk")
    if wrk is None:
        raise SystemExit("this bench needs wrk (Debian: wrk)")
    words = [wrk, "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(SCRIPT)]
    before = cpu_s(served.pid)
    done = subprocess.run(
        [*words, f"http://{served.address}", "--", str(_QUERIES)], capture_output=True, text=True, check=True
    )
    spent_s = cpu_s(served.pid) - before
    found = _RESULT.search(done.stdout)
    if found is None:
        raise SystemExit(f"wrk said no result: {done.stdout} {done.stderr}")
    requests, microseconds, p50, p99, refused, broken = (int(number) for number in found.groups())
    return Figures(
        rate=requests * 1e6 / microseconds,
        median_ms=p50 / 1000,
        p99_ms=p99 / 1000,
        refused=refused,
        broken=broken,
        cpu_us=spent_s * 1e6 / max(1, requests),
    )


def _print(figures: dict[Key, list[Figures]]) -> None:
    print(f"\nCPU = processor time of the server per request; x = that of {REFERENCE} times so many: per core")
    print(f"{'bytes':>7} {'connections':>11} {'server':14} {'req/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'CPU us':>7} "
          f"{'x':>6} {'not 2xx':>8} {'broken':>7}")  # fmt: skip
    for size, connections in sorted({(size, connections) for _, size, connections in figures}):
        reference = median(f.cpu_us for f in figures[REFERENCE, size, connections])
        for name in dict.fromkeys(name for name, _, _ in figures):
            own = figures[name, size, connections]
            cpu_us = median(f.cpu_us for f in own)
            print(
                f"{size:7} {connections:11} {name:14} {median(f.rate for f in own):8.0f} "
                f"{median(f.median_ms for f in own):8.2f} {median(f.p99_ms for f in own):8.2f} {cpu_us:7.0f} "
                f"{cpu_us / reference:6.2f} {sum(f.refused for f in own):8} {sum(f.broken for f in own):7}"
            )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
