"""Meet every fault thousands of times, and look for what it leaves behind.

`python -m tests.faults --long` is 10,000 rounds of each fault of the catalogue, many at once, a minute or two each;
endpoint, proxy and clients are in one process. The exit code is 1 where a descriptor, a task, a child or memory is
lost, or where a client saw what it should not.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

import pytest
import uvloop

from proxy.logs import start_logging
from tests.bench.machine import headline
from tests.faults.catalogue import FAULTS, words
from tests.faults.fault import Fault
from tests.faults.rounds import Held, run

_SHORT, _LONG = 200, 10_000
# What the allocator keeps back differs from run to run; a leak of 2 kB a round is above it.
_MOST_GROWTH_MIB = 20.0
_HEAD = (
    f"{'fault':45} {'rounds':>6} {'seconds':>7} {'descriptors':>14} {'tasks':>9} {'children':>8} "
    f"{'MiB before':>10} {'after':>6}  seen"
)


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--long", action="store_true", help=f"{_LONG:,} rounds of each, instead of {_SHORT}")
    parser.add_argument("--rounds", type=int, help="so many rounds of each")
    parser.add_argument("--at-once", type=int, default=32, help="clients at the same time")
    parser.add_argument("--only", default="", help="faults whose name holds these words")
    options = parser.parse_args(arguments)
    rounds = options.rounds or (_LONG if options.long else _SHORT)
    start_logging("critical")
    print(headline(f"faults: {rounds:,} rounds each, {options.at_once} at once"))
    print(_HEAD)
    # The first ones grow what a process holds once, whatever it does.
    chosen = [fault for fault in FAULTS if options.only in fault.name]
    good = [_measure(fault, rounds, options.at_once) for fault in chosen]
    print(f"\n{sum(good)} of {len(good)} faults left nothing behind")
    return 0 if all(good) else 1


def _measure(fault: Fault, rounds: int, at_once: int) -> bool:
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            held = runner.run(run(fault, rounds, at_once, max(4 * at_once, rounds // 5)))
    except pytest.skip.Exception as skipped:
        print(f"{fault.name:45} skipped: {skipped}", flush=True)
        return True
    except ExceptionGroup as failed:
        print(f"{fault.name:45} failed: {failed.exceptions[0]!r}  <-- LOST", flush=True)
        return False
    return _print_row(fault, rounds, held)


def _print_row(fault: Fault, rounds: int, held: Held) -> bool:
    before, after = held.before, held.after
    strange = held.seen.keys() - fault.sees
    good = held.same and held.grew_mib < _MOST_GROWTH_MIB and not strange
    saw = ", ".join(sorted({words(sight) for sight in strange or held.seen}))
    print(
        f"{fault.name:45} {rounds:6} {held.seconds:7.1f} {f'{before.descriptors} -> {after.descriptors}':>14} "
        f"{f'{before.tasks} -> {after.tasks}':>9} {f'{before.children} -> {after.children}':>8} "
        f"{before.resident:10.1f} {after.resident:6.1f}  {saw}{'' if good else '  <-- LOST'}",
        flush=True,
    )
    return good


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
