"""Write, optimise, read and kill for a while, and count wrong answers. Five minutes unless told otherwise.

`python -m tests.bench.embedded_soak [--seconds 300] [--triples 200000]` prints what was done and exits with 1 if any
answer was wrong or any error was not a kill's. A short version runs in tests/faults.

Every update moves a counter and adds one triple to each of two columns, in one transaction. So in any answer both
columns are as long as the counter says, no reader goes back in time, and a query that starts after update n was
answered sees at least n.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from proxy.errors import ProxyError, ResourceLimit, Truncated
from proxy.results.formats import Format
from tests import embedded

STATE = """SELECT ?as ?bs ?n {
  { SELECT (COUNT(*) AS ?as) { ?a <urn:column> "a" } }
  { SELECT (COUNT(*) AS ?bs) { ?b <urn:column> "b" } }
  <urn:counter> <urn:is> ?n }"""
STATIC = "SELECT (COUNT(*) AS ?c) { ?s <urn:p:3> ?o }"
START = "INSERT DATA { <urn:counter> <urn:is> 0 }"
READERS, CLIENTS, PROGRAMS = 4, 4, 2
OPTIMISE_S, KILL_S = 5.0, 1.5


@dataclass
class Soak:
    """What has happened so far."""

    folder: Path
    end: float
    static: int
    acknowledged: int = 0
    kills: int = 0
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    errors: list[ProxyError] = field(default_factory=list)
    slowest_s: float = 0.0

    @property
    def going(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self.end

    @property
    def faults(self) -> list[str]:
        """Whatever should not have happened."""
        unexpected = [repr(error) for error in self.errors if not isinstance(error, ResourceLimit | Truncated)]
        if len(self.errors) > self.kills:
            unexpected.append(f"{len(self.errors)} errors of {self.kills} kills")
        return self.wrong + unexpected


def update(number: int) -> str:
    """Return the text that moves the counter on to a number."""
    pair = f'<urn:a:{number}> <urn:column> "a" . <urn:b:{number}> <urn:column> "b"'
    return f"""DELETE {{ <urn:counter> <urn:is> ?old }}
        INSERT {{ <urn:counter> <urn:is> {number} . {pair} }}
        WHERE {{ <urn:counter> <urn:is> ?old }}"""


async def state(endpoint: EmbeddedEndpoint) -> tuple[int, int, int]:
    """Return the lengths of the columns and the counter, as one query sees them."""
    first, second, counter = (await embedded.ask(endpoint, STATE, Format.CSV)).split()[1].split(b",")
    return int(first), int(second), int(counter)


async def soak(folder: Path, seconds: float, triples: int) -> Soak:
    """Run everything at once and return what happened."""
    embedded.store(folder, triples)
    run = Soak(folder=folder, end=time.monotonic() + seconds, static=triples // 10)
    settings = EmbeddedSettings(store=folder, readers=READERS)
    first, second = EmbeddedEndpoint("first", settings), EmbeddedEndpoint("second", settings)
    async with first.lifespan(), second.lifespan():
        await embedded.ask(first, START)
        async with asyncio.TaskGroup() as group:
            group.create_task(_write(run, first, second))
            group.create_task(_optimise(run, first))
            group.create_task(_kill(run, first))
            for number in range(CLIENTS):
                group.create_task(_read(run, (first, second)[number % 2]))
            for _ in range(PROGRAMS):
                group.create_task(_program(run))
    return run


async def _write(run: Soak, *endpoints: EmbeddedEndpoint) -> None:
    """Update through two endpoints in turn, as two workers would, and look at once through the other one."""
    while run.going:
        number = run.acknowledged + 1
        writer, other = endpoints[number % 2], endpoints[(number + 1) % 2]
        started = time.monotonic()
        await embedded.ask(writer, update(number))
        run.slowest_s = max(run.slowest_s, time.monotonic() - started)
        run.acknowledged = number
        run.done["updates"] += 1
        await _look(run, other, 0)
        await asyncio.sleep(0.02)


async def _read(run: Soak, endpoint: EmbeddedEndpoint) -> None:
    seen = 0
    while run.going:
        seen = await _look(run, endpoint, seen)
        try:
            counted = await embedded.number(endpoint, STATIC)
        except ProxyError as error:
            run.errors.append(error)
            continue
        run.done["queries"] += 1
        if counted != run.static:
            run.wrong.append(f"{counted} triples that never change, not {run.static}")


async def _look(run: Soak, endpoint: EmbeddedEndpoint, seen: int) -> int:
    """Query the state and check it; return the counter."""
    least = max(run.acknowledged, seen)
    try:
        first, second, counter = await state(endpoint)
    except ProxyError as error:
        run.errors.append(error)
        return seen
    run.done["queries"] += 1
    if not first == second == counter:
        run.wrong.append(f"half an update: {first}, {second}, {counter}")
    if counter < least:
        run.wrong.append(f"saw {counter} after {least} was answered")
    return counter


async def _optimise(run: Soak, endpoint: EmbeddedEndpoint) -> None:
    while run.going:
        await asyncio.sleep(min(OPTIMISE_S, max(run.end - time.monotonic(), 0)))
        await endpoint.optimize()
        run.done["optimisations"] += 1


async def _kill(run: Soak, endpoint: EmbeddedEndpoint) -> None:
    chance = random.Random(1)
    while run.going:
        await asyncio.sleep(chance.uniform(0, 2 * KILL_S))
        readers = endpoint.readers
        if readers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(readers), signal.SIGKILL)
                run.kills += 1


async def _program(run: Soak) -> None:
    """Open the store from other processes, one after the other, as `saga check` and `saga ask` do."""
    while run.going:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.bench.embedded_soak", "--look", str(run.folder)),
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        least = run.acknowledged
        out, _ = await child.communicate()
        run.done["programs"] += 1
        if child.returncode != 0:
            run.wrong.append(f"a program ended with {child.returncode}")
            continue
        first, second, counter = json.loads(out)
        if not first == second == counter or counter < least:
            run.wrong.append(f"a program saw {first}, {second}, {counter} after {least}")


async def _look_once(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("program", EmbeddedSettings(store=folder, readers=1))
    async with endpoint.lifespan():
        print(json.dumps(await state(endpoint)))


def main(arguments: Sequence[str]) -> int:
    """Run, print, and return 1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.embedded_soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--triples", type=int, default=200_000)
    parser.add_argument("--look", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.look:
        asyncio.run(_look_once(options.look))
        return 0
    with tempfile.TemporaryDirectory() as home:
        run = asyncio.run(soak(Path(home) / "store", options.seconds, options.triples))
        print(dict(run.done), f"kills {run.kills}, errors {len(run.errors)}, slowest update {run.slowest_s:.2f} s")
        print("faults:", run.faults or "none")
    return 1 if run.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
