"""Run everything at once for ten minutes and look for what should not be: errors, growth, wrong counts, slow kills.

`python -m tests.bench.soak [--seconds 600]`: finds the highest rate of a mix of requests (closed loop), then sends 80 %
of it at a steady pace to two workers with limits, guard, cache (in Redis) and breaker on, while endpoints fail in all
ways, Redis dies and comes back, clients leave, stall and flood, queries are killed, and workers are renewed (SIGHUP)
and killed. Exits with 1 where an error was not injected, memory grows by more than 5 % while the workers stay the same,
the counters of /metrics are not what the clients sent, or a kill takes longer than 5 s.
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
from tests.bench.soak.crowd import Crowd
from tests.bench.soak.endpoint import Moody, configuration
from tests.bench.soak.faults import WORKERS, Faults
from tests.bench.soak.kills import Kills
from tests.bench.soak.ledger import Ledger
from tests.bench.soak.memory import Memory
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
    async with Moody() as calm, Moody() as stormy:
        config = configuration(folder, calm.url, stormy.url, redis.url)
        async with served(folder, config, "--workers", str(WORKERS)) as proxy:
            ledger = Ledger()
            traffic = Traffic(proxy.base, ledger, options.seed)
            measure_s = min(_LONGEST_MEASURE_S, options.seconds / 6)
            await traffic.closed_loop(_CLIENTS, measure_s / 4)
            highest = await traffic.closed_loop(_CLIENTS, measure_s)
            rate = options.rate or highest * _SHARE
            print(f"highest rate {highest:,.0f}/s with {_CLIENTS} clients; the soak sends {rate:,.0f}/s\n", flush=True)
            run = await _run(proxy, calm, stormy, redis, ledger, traffic, rate, options)
            return 0 if await print_run(run) else 1


async def _run(
    proxy: Served,
    calm: Moody,
    stormy: Moody,
    redis: RedisServer,
    ledger: Ledger,
    traffic: Traffic,
    rate: float,
    options: argparse.Namespace,
) -> Run:
    """Let the load run with everything else around it, and wait until all is quiet again."""
    crowd = Crowd(proxy.base, ledger, options.seed)
    kills = Kills(proxy.base, calm, ledger)
    memory = Memory(proxy.child.pid)
    faults = Faults(proxy, stormy, redis, ledger, options.seconds)
    beside = [crowd.leave() for _ in range(_LEAVERS)] + [crowd.stall() for _ in range(_STALLERS)]
    beside += [crowd.flood(), kills.run(options.seconds / 60), memory.watch()]
    tasks = [asyncio.ensure_future(each) for each in beside]
    harm = asyncio.ensure_future(faults.run())
    late_s = await traffic.open_loop(rate, harm)
    await harm
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await traffic.close()
    return Run(
        proxy=proxy, calm=calm, stormy=stormy, ledger=ledger, traffic=traffic, crowd=crowd, kills=kills,
        memory=memory, faults=faults, seconds=options.seconds, late_s=late_s,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
