"""A million synthetic classes: how long until an index is ready, what it takes, and what a check costs.

    python -m tests.bench.hierarchy [--classes N] [--workers N]

Ends with exit code 1 where a target of the specification is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from plugins.schema.draft import Draft
from plugins.schema.index import Index
from plugins.schema.model import ClassInfo, Property, Side
from plugins.schema.shorthand import variants
from tests.bench.machine import headline

WD = "http://www.wikidata.org/entity/"
_PROPERTIES = 13_000
_CHECKS = 20_000
_SAMPLE = 2_000


def make(path: Path, classes: int) -> None:
    """Write an index: a deep hierarchy with one or two superclasses each, and properties for some classes."""
    chance = random.Random(7)
    draft = Draft("wikidata", {WD: ""}, variants("http://www.wikidata.org/"))
    draft.roots.add(f"{WD}Q1")
    for number in range(1, classes + 1):
        iri = f"{WD}Q{number}"
        draft.add_class(ClassInfo(iri=iri, id=f"Q{number}", label=f"class {number}", description="made for a bench"))
        for _ in range(chance.choice((1, 1, 1, 1, 1, 1, 1, 1, 2)) if number > 1 else 0):
            # Near the number itself: chains are long, as biology's are.
            draft.add_superclass(iri, f"{WD}Q{max(1, int(number * chance.uniform(0.4, 0.95)))}")
    for number in range(_PROPERTIES):
        domain = Side(classes=tuple(f"{WD}Q{chance.randint(1, 5_000)}" for _ in range(5)))
        draft.add_property(Property(id=f"P{number}", iri=f"{WD}P{number}", label=f"property {number}", domain=domain))
    draft.write(path)


def measure(path: Path, classes: int) -> tuple[Index, dict[str, float]]:
    """Open the index in this process, and check."""
    before = _kilobytes("VmRSS")
    started = time.perf_counter()
    index = Index.open(path)
    index.property("P1")
    ready = time.perf_counter() - started
    chance = random.Random(11)
    names = [f"{WD}Q{chance.randint(1, classes)}" for _ in range(_SAMPLE)]
    sides = [record.domain for record in (index.property(f"P{chance.randrange(_PROPERTIES)}") for _ in names) if record]
    cold = [_timed(index, name, side) for name, side in zip(names, sides, strict=True) if side]
    pairs = [(chance.choice(names), chance.choice(sides)) for _ in range(_CHECKS)]
    warm = sorted(_timed(index, name, side) for name, side in pairs if side)
    return index, {
        "ready_s": ready,
        "cold_us": statistics.median(cold),
        "warm_us": statistics.median(warm),
        "warm_p99_us": warm[len(warm) * 99 // 100],
        "superclasses": statistics.median(len(index.hierarchy.up(name)) for name in names),
        "rss_mb": _kilobytes("VmRSS") / 1024,
        "grown_mb": (_kilobytes("VmRSS") - before) / 1024,
    }


def _timed(index: Index, name: str, side: Side) -> float:
    """Return microseconds of one check: is the class below one of five domain classes?"""
    started = time.perf_counter_ns()
    above = index.hierarchy.up(name)
    any(index.hierarchy.number(each) in above for each in side.classes)
    return (time.perf_counter_ns() - started) / 1000


def _kilobytes(key: str) -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key))
    return int(line.split()[1])


def _own() -> int:
    """Return the kilobytes of this process that no other process shares."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.open:
        index, found = measure(args.open, args.classes)
        print(json.dumps(found), flush=True)
        # The first to open it owns its pages alone: count them when all are there.
        sys.stdin.readline()
        print(_own() / 1024, flush=True)
        sys.stdin.read()
        index.close()
        return 0
    print(headline("The class hierarchy at scale"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        started = time.perf_counter()
        make(path, args.classes)
        print(f"built {args.classes:,} classes in {time.perf_counter() - started:.1f} s")
        print(f"file {path.stat().st_size / 1e6:.1f} MB")
        return _report(_workers(path, args.classes, args.workers))


def _workers(path: Path, classes: int, count: int) -> list[dict[str, float]]:
    """Measure in processes that hold the index at the same time; one after the other, so that times are fair."""
    words = [sys.executable, "-m", "tests.bench.hierarchy", "--classes", str(classes), "--open", str(path)]
    running: list[subprocess.Popen[str]] = []
    found = []
    for _ in range(count):
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        running.append(child)
        assert child.stdout
        found.append(json.loads(child.stdout.readline()))
    for child, each in zip(running, found, strict=True):
        assert child.stdin
        assert child.stdout
        print(file=child.stdin, flush=True)
        each["own_mb"] = float(child.stdout.readline())
    for child in running:
        child.communicate()
    return found


def _report(found: list[dict[str, float]]) -> int:
    last = found[-1]
    rows = (
        ("ready, s", last["ready_s"], 2.0),
        ("resident, MB", last["rss_mb"], 400.0),
        ("check of five classes, warm, median, us", last["warm_us"], 20.0),
    )
    for name, value, target in rows:
        print(f"{name:45} {value:10.3f}   target {target:g}   {'ok' if value < target else 'MISSED'}")
    for name in ("warm_p99_us", "cold_us", "superclasses", "grown_mb", "own_mb"):
        print(f"{name:45} {last[name]:10.2f}")
    print(f"{len(found)} workers at once: {sum(each['own_mb'] for each in found):.0f} MB of their own in all")
    return 0 if all(value < target for _, value, target in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
