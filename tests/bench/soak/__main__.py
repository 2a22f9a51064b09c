"""Run everything at once for ten minutes and look for what should not be: errors, growth, wrong counts, slow kills.

`python -m tests.bench.soak [--seconds 600]`: finds the highest rate of a mix of requests (closed loop), then sends 80 %
of it at a steady pace to two workers with limits, guard, cache (in Redis) and breaker on, while endpoints fail in all
ways, Redis dies and comes back, clients leave, stall and flood, queries are killed, and workers are renewed (SIGHUP)
and killed. Exits with 1 where an error was not injected, memory grows by more than 5 % while the workers stay the same,
the counters of /metrics are not what the clients sent, no client that floods is refused, or a kill takes longer than
1 s. Each endpoint is a process of its own, and says how late it was itself.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import uvloop

from tests.bench.machine import headline, said_by
from tests.bench.soak.configuration import configuration
from tests.bench.soak.crowd import Crowd
from tests.bench.soak.endpoint import Endpoint, endpoint
from tests.bench.soak.faults import WORKERS, Faults
from tests.bench.soak.journal import Journal
from tests.bench.soak.kills import Kills
from tests.bench.soak.ledger import Ledger
from tests.bench.soak.memory import Memory
from tests.bench.soak.others import Spent
from tests.bench.soak.timeline import Timeline
from tests.bench.soak.traffic import Traffic
from tests.bench.soak.verdict import Run, print_run
from tests.redis import RedisServer, redis_server
from tests.served import Served, served

_CLIENTS, _LEAVERS, _STALLERS = 32, 4, 6
_SHARE = 0.8
_LONGEST_MEASURE_S = 20.0


def main(arguments: Sequence[str]) -> int:
    """Run, print, and return 1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--rate", type=float, help="requests per second, instead of 80 %% of the highest")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print(headline(f"soak: {options.seconds:g} s, seed {options.seed}, {said_by('redis-server', '--version')[:26]}"))
    with (
        tempfile.TemporaryDirectory(prefix="saga-soak-") as name,
        redis_server(Path(name)) as redis,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return runner.run(_soak(Path(name), redis, options))


async def _soak(folder: Path, redis: RedisServer, options: argparse.Namespace) -> int:
    async with endpoint() as calm, endpoint() as stormy:
        config = configuration(folder, calm.url, stormy.url, redis.url)
        async with served(folder, config, "--workers", str(WORKERS)) as proxy:
            run = _parts(folder, proxy, calm, stormy, redis, options)
            beside = _beside(run)
            await _measure(run, options.rate)
            await _load(run)
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await run.traffic.close()
            return 0 if await print_run(run) else 1


def _parts(
    folder: Path, proxy: Served, calm: Endpoint, stormy: Endpoint, redis: RedisServer, options: argparse.Namespace
) -> Run:
    journal, ledger, timeline = Journal(folder / "log"), Ledger(), Timeline()
    return Run(
        proxy=proxy,
        calm=calm,
        stormy=stormy,
        journal=journal,
        ledger=ledger,
        timeline=timeline,
        traffic=Traffic(proxy.base, ledger, options.seed),
        crowd=Crowd(proxy.base, ledger, options.seed),
        kills=Kills(proxy.base, calm, ledger, timeline),
        memory=Memory(proxy.child.pid),
        faults=Faults(proxy, journal, stormy, redis, ledger, timeline, options.seconds),
        seconds=options.seconds,
    )


def _beside(run: Run) -> list[asyncio.Task[None]]:
    """Start all that is there while the rate is measured, too: it is that of a proxy with such company."""
    crowd = run.crowd
    beside = [crowd.leave() for _ in range(_LEAVERS)] + [crowd.stall() for _ in range(_STALLERS)]
    beside += [crowd.flood(), run.memory.watch(), run.timeline.watch(run.traffic, run.journal)]
    return [asyncio.ensure_future(each) for each in beside]


async def _measure(run: Run, wanted: float | None) -> None:
    """Find the highest rate, and set that of the run."""
    measure_s = min(_LONGEST_MEASURE_S, run.seconds / 6)
    await run.traffic.closed_loop(_CLIENTS, measure_s / 4)
    before = Spent.now()
    highest = await run.traffic.closed_loop(_CLIENTS, measure_s)
    run.rate = wanted or highest * _SHARE
    others = Spent.now().others_since(before)
    print(
        f"highest rate {highest:,.0f}/s with {_CLIENTS} clients, while others took {others:.0%} of the processors; "
        f"the soak sends {run.rate:,.0f}/s\n",
        flush=True,
    )


async def _load(run: Run) -> None:
    """Send the load with everything else around it."""
    run.timeline.note("the soak begins")
    before = Spent.now()
    kills = asyncio.ensure_future(run.kills.run(run.seconds / 60))
    harm = asyncio.ensure_future(run.faults.run())
    run.late_s = await run.traffic.open_loop(run.rate, harm)
    await harm
    kills.cancel()
    await asyncio.gather(kills, return_exceptions=True)
    run.others = Spent.now().others_since(before)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
