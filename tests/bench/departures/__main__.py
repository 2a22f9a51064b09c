"""Let clients leave at random moments and look for what they leave behind.

`python -m tests.bench.departures [--remote N] [--local N]`: 8,000 in front of an HTTP endpoint that is fast, slow,
silent or large, 2,000 in front of an embedded store whose queries may be endless; endpoint, proxy and clients in one
process. The exit code is 1 where a descriptor, task, process, place or memory is lost, or work goes on
for 2 s after its client left.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import uvloop

from proxy.logs import start_logging
from tests import fronts
from tests.bench.departures.crowd import LOCAL, REMOTE, Crowd, script, settled
from tests.bench.departures.rest import idle, taken
from tests.bench.departures.traces import Traces, kept_connections, traces
from tests.bench.machine import headline
from tests.bench.memory.bodies import cross_store
from tests.upstream import Upstream

_LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
_BATCHES = 10
_PLACES, _READERS, _QUEUE = 8, 2, 16
_MOST_LATE_S = 2.0
_MOST_GROWTH_MIB = 20.0


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.departures", description=__doc__)
    parser.add_argument("--remote", type=int, default=8_000)
    parser.add_argument("--local", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loop", choices=_LOOPS, default="uvloop")
    options = parser.parse_args(arguments)
    start_logging("error")
    print(headline(f"departures: seed {options.seed}, {options.loop}"))
    with asyncio.Runner(loop_factory=_LOOPS[options.loop]) as runner:
        good = [
            runner.run(_remote(options.remote, options.seed)),
            runner.run(_local(options.local, options.seed)),
        ]
    return 0 if all(good) else 1


async def _remote(count: int, seed: int) -> bool:
    async with (
        Upstream(script) as upstream,
        fronts.front(upstream, concurrency=_PLACES, queue=_QUEUE, queue_s=0.3) as url,
    ):
        crowd = Crowd(url, REMOTE, random.Random(seed), 0.2)
        await crowd.visit(50, 10)
        upstream.sent.clear()
        before, latest, good = await _quiet(upstream.url), 0.0, True
        _print_head("http endpoint")
        for batch in range(1, _BATCHES + 1):
            started = time.monotonic()
            await crowd.visit(count // _BATCHES, 32)
            late, held = await settled(upstream, crowd, _MOST_LATE_S)
            latest = max(latest, late)
            upstream.sent.clear()
            crowd.left.clear()
            now = await _quiet(upstream.url)
            if batch == 2:
                # The first batches warm what a process holds once.
                before = Traces(before.descriptors, before.tasks, before.children, now.resident)
            good = _print_row(batch * count // _BATCHES, time.monotonic() - started, late, held, before, now) and good
        places = await taken(url, "SELECT * { ?s ?p 'silent' }", _PLACES + _QUEUE)
    print(f"latest end of work {latest:.2f} s after its client; {places} of {_PLACES + _QUEUE} places are there\n")
    return good and places == _PLACES + _QUEUE and latest <= _MOST_LATE_S


async def _local(count: int, seed: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="saga-departures-") as name:
        store = cross_store(Path(name) / "store")
        async with fronts.embedded(store, concurrency=_READERS, queue=_QUEUE, queue_s=2) as url:
            crowd = Crowd(url, LOCAL, random.Random(seed), 0.5)
            await crowd.visit(20, 4)
            await idle(_READERS, time.monotonic())
            before, latest, good = await _quiet(""), 0.0, True
            _print_head("embedded store")
            for batch in range(1, _BATCHES + 1):
                started = time.monotonic()
                await crowd.visit(count // _BATCHES, 8)
                late = await idle(_READERS, max(crowd.left.values()))
                latest = max(latest, late)
                now = await _quiet("")
                if batch == 2:
                    before = Traces(before.descriptors, before.tasks, before.children, now.resident)
                good = _print_row(batch * count // _BATCHES, time.monotonic() - started, late, 0, before, now) and good
            places = await taken(url, LOCAL[-1], _READERS + _QUEUE)
    print(f"latest end of work {latest:.2f} s after its client; {places} of {_READERS + _QUEUE} places are there")
    return good and places == _READERS + _QUEUE and latest <= _MOST_LATE_S


async def _quiet(endpoint: str) -> Traces:
    """Look once things have settled: what closes needs a moment."""
    await asyncio.sleep(0.3)
    return traces(kept_connections(endpoint) if endpoint else 0)


def _print_head(title: str) -> None:
    print(f"{title}\n{'departures':>10} {'seconds':>8} {'late s':>7} {'held':>5} {'descriptors':>12} {'tasks':>6} "
          f"{'children':>9} {'MiB':>7} {'grew MiB':>9}")  # fmt: skip


def _print_row(done: int, seconds: float, late: float, held: int, before: Traces, now: Traces) -> bool:
    grew = now.resident - before.resident
    print(f"{done:10} {seconds:8.1f} {late:7.2f} {held:5} {now.descriptors - before.descriptors:+12} "
          f"{now.tasks - before.tasks:+6} {now.children - before.children:+9} {now.resident:7.1f} {grew:+9.1f}",
          flush=True)  # fmt: skip
    same = (now.descriptors, now.tasks, now.children) == (before.descriptors, before.tasks, before.children)
    return same and held == 0 and grew < _MOST_GROWTH_MIB


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
