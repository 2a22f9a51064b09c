"""Print, per format and kind of damage, how many bodies were noticed.

    python -m tests.bench.mutations [TRIALS]

``valid`` are bodies that a whole parser finds valid too: text within a value, another letter, and, where a format has
no end of its own, a cut or a join between two rows. ``missed`` must be 0 for all kinds up to 1 MB.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

from proxy.results.formats import Format
from tests.bench.mutations.kinds import KINDS
from tests.bench.mutations.trial import Tally, run

_SIZES = {"100 B to 20 kB": ((0, 1, 2, 5, 20, 60), 0.999), "1 to 3 MB": ((6000, 10000), 0.001)}
_ROUND = 10_000


def _table(title: str, tally: Tally) -> None:
    print(f"\n{title}\n\n| format | kind | bodies | noticed | valid | missed |\n|---|---|---|---|---|---|")
    for fmt in Format:
        for kind in KINDS:
            noticed, valid, missed = (tally.counts[fmt.name, kind, word] for word in ("noticed", "valid", "missed"))
            print(f"| {fmt.name} | {kind} | {noticed + valid + missed} | {noticed} | {valid} | {missed} |")
    refused = sum(count for (_, kind, _), count in tally.counts.items() if kind == "untouched")
    print(f"\nwhole bodies refused: {refused}")
    for name, kind, body in tally.missed[:10]:
        print(f"missed: {name} {kind} {body[:300]!r}")


def main() -> int:
    """Run the trials in two processes."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    missed = 0
    for title, (rows, share) in _SIZES.items():
        started = time.monotonic()
        total = Tally()
        rounds = max(2, int(trials * share) // _ROUND)
        each = min(_ROUND, int(trials * share) // rounds)
        with ProcessPoolExecutor(2) as pool:
            for tally in pool.map(run, range(rounds), repeat(each), repeat(rows)):
                total.counts.update(tally.counts)
                total.missed.extend(tally.missed)
        _table(f"{title} ({time.monotonic() - started:.0f} s)", total)
        missed += len(total.missed)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
