"""Measure what questions cost others: the latency of a SPARQL client while ten questions are asked at once.

`python -m tests.bench.nl_load [--questions N] [--rounds N] [--seconds S] [--strategy NAME]`: a proxy on the demo store,
one client that sends one small query after the other, and a process of N callers, each of which asks its next question
as soon as it has an answer. Rounds with and without the callers take turns. Exit code 1 where the median with questions
is more than half above that without.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import itertools
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode

import aiohttp

from tests import stage
from tests.bench.hop.processes import cpu_s
from tests.bench.machine import headline

MOST = 1.5
QUESTIONS = (
    "Where was Marie Curie born?",
    "Which rivers are in Germany?",
    "How many children does Marie Curie have?",
    "Wann wurde Albert Einstein geboren?",
    "What is the capital of France?",
    "Who is the spouse of Barack Obama?",
    "Which is the highest mountain?",
    "Was Albert Einstein born in Ulm?",
    "What is the population of Berlin?",
    "Who discovered nothing at all in particular?",
)
_FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/sparql-results+json"}
_CONFIG = """
[server]
port = {port}
[endpoints.demo]
store = "{folder}/store"
graph = "wikidata"
schema = "{schema}"
search = "{folder}/search"
[plugins]
enabled = ["plugins.schema.guard", "plugins.search", "plugins.nl"]
[nl]
strategy = "{strategy}"
concurrency = 1000
seconds_per_minute = 0.0
[search.endpoints.demo]
build = true
"""


@dataclass(slots=True)
class Side:
    """What was measured with or without questions. Units: seconds."""

    times: list[float] = field(default_factory=list)
    cpu: float = 0.0
    wall: float = 0.0


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.nl_load", description=__doc__)
    parser.add_argument("--questions", type=int, default=10, help="callers that ask at once")
    parser.add_argument("--rounds", type=int, default=10, help="how often it is measured with and without, by turns")
    parser.add_argument("--seconds", type=float, default=3.0, help="of one round")
    parser.add_argument("--strategy", default="keyless", help="the way to the query")
    parser.add_argument("--caller", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.caller:
        asyncio.run(_callers(options.caller, options.questions))
        return 0
    print(headline(f"nl_load: {options.questions} questions at once, {options.rounds} rounds of {options.seconds:g} s"))
    with tempfile.TemporaryDirectory(prefix="saga-nl-") as name, _proxy(Path(name), options.strategy) as proxy:
        return _measure(*proxy, options)


@contextlib.contextmanager
def _proxy(folder: Path, strategy: str) -> Iterator[tuple[int, int]]:
    """Serve the demo, and yield port and process id once its search index is there."""
    stage.demo_store(folder / "store")
    port = stage.free_port()
    schema = stage.ROOT / "config" / "demo" / "schema.index"
    config = folder / "saga.toml"
    config.write_text(_CONFIG.format(port=port, folder=folder, schema=schema, strategy=strategy))
    with stage.process([sys.executable, "-m", "proxy", "serve", "--config", str(config)], cwd=stage.ROOT) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/health/live", child)
        until = time.monotonic() + 60
        while not (folder / "search" / "search.json").exists():
            if time.monotonic() > until:
                raise SystemExit("the search index was not built")
            time.sleep(0.1)
        # The proxy looks for it once a second.
        time.sleep(2)
        yield port, child.pid


def _measure(port: int, pid: int, options: argparse.Namespace) -> int:
    quiet, loud = Side(), Side()
    answered: list[dict[str, int]] = []
    connection = http.client.HTTPConnection("127.0.0.1", port)
    numbers = itertools.count()
    _round(connection, numbers, min(1.0, options.seconds))
    for _ in range(options.rounds):
        _watched(quiet, connection, numbers, options.seconds, pid)
        with _asking(port, options.questions) as callers:
            _watched(loud, connection, numbers, options.seconds, pid)
        answered.append(callers)
    connection.close()
    return _printed(quiet, loud, answered)


def _watched(side: Side, connection: http.client.HTTPConnection, numbers: Iterator[int], s: float, pid: int) -> None:
    cpu, wall = cpu_s(pid), time.perf_counter()
    side.times += _round(connection, numbers, s)
    side.cpu += cpu_s(pid) - cpu
    side.wall += time.perf_counter() - wall


def _round(connection: http.client.HTTPConnection, numbers: Iterator[int], seconds: float) -> list[float]:
    """Send queries for a while, each with another text, and return how long each took."""
    until, times = time.perf_counter() + seconds, []
    while (began := time.perf_counter()) < until:
        text = f"SELECT ?p ?o {{ wd:Q{next(numbers) % 500} ?p ?o }} LIMIT {10 + next(numbers)}"
        connection.request("POST", "/sparql", urlencode({"query": text}), _FORM)
        reply = connection.getresponse()
        reply.read()
        assert reply.status == 200, reply.status
        times.append(time.perf_counter() - began)
    return times


@contextlib.contextmanager
def _asking(port: int, questions: int) -> Iterator[dict[str, int]]:
    """Let callers ask meanwhile, and count the statuses of their answers."""
    words = [sys.executable, "-m", "tests.bench.nl_load", "--caller", f"http://127.0.0.1:{port}/nl"]
    statuses: dict[str, int] = {}
    with subprocess.Popen([*words, "--questions", str(questions)], cwd=stage.ROOT, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        yield statuses
        child.send_signal(signal.SIGTERM)
        statuses.update(json.loads(child.stdout.readline()))


async def _callers(url: str, count: int) -> None:
    """Ask until told to stop; say when the first answer is there, and in the end how many of each status there were."""
    statuses: dict[str, int] = {}
    stop, first = asyncio.Event(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)

    async def call(session: aiohttp.ClientSession, start: int) -> None:
        for number in itertools.count(start):
            async with session.post(url, json={"question": QUESTIONS[number % len(QUESTIONS)]}) as reply:
                document = await reply.json(content_type=None)
            name = str(document["status"])
            statuses[name] = statuses.get(name, 0) + 1
            first.set()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        calls = [asyncio.ensure_future(call(session, number)) for number in range(count)]
        await first.wait()
        print("asking", flush=True)
        await stop.wait()
        for each in calls:
            each.cancel()
        await asyncio.wait(calls)
    print(json.dumps(statuses), flush=True)


def _printed(quiet: Side, loud: Side, answered: Sequence[dict[str, int]]) -> int:
    print(f"{'':<20}{'queries':>9}{'median ms':>11}{'p95 ms':>9}{'queries/s':>11}{'CPU share':>11}")
    for name, side in (("without questions", quiet), ("with questions", loud)):
        p95 = quantiles(side.times, n=20)[-1]
        print(
            f"{name:<20}{len(side.times):>9,}{median(side.times) * 1000:>11.2f}{p95 * 1000:>9.2f}"
            f"{len(side.times) / side.wall:>11.0f}{side.cpu / side.wall:>11.0%}"
        )
    ratio = median(loud.times) / median(quiet.times)
    total: dict[str, int] = {}
    for each in answered:
        for status, count in each.items():
            total[status] = total.get(status, 0) + count
    said = ", ".join(f"{count:,} {status}" for status, count in sorted(total.items()))
    rate = sum(total.values()) / loud.wall
    print(f"\nratio of the medians {ratio:.2f} (at most {MOST:g}); {rate:.1f} questions/s: {said}")
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
