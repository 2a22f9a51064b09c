"""Print every target of the guard beside what was reached.

python -m tests.bench.guard [PART...] [--limit N]
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence

from tests.bench.guard.caught import caught
from tests.bench.guard.flags import flags
from tests.bench.guard.loading import loading
from tests.bench.guard.looking import looking
from tests.bench.guard.parsing import parsing
from tests.bench.guard.place import Place, place
from tests.bench.guard.shapes import shapes
from tests.bench.guard.suggested import suggested
from tests.bench.guard.table import Row, show
from tests.bench.guard.timing import timing
from tests.bench.machine import headline

Part = Callable[[Place, int | None], Awaitable[list[Row]]]
# part -> (graphs, what it prints, how)
PARTS: dict[str, tuple[tuple[str, ...], str, Part]] = {
    "parsing": (("wikidata", "freebase"), "Triple patterns of gold queries", parsing),
    "flags": (("wikidata", "freebase"), "Findings on gold queries, without what the graph lacks", flags),
    "swaps": (("wikidata",), "Wrong properties in gold queries", caught),
    "shapes": (("wikidata",), "Wrong patterns where a query can do without them", shapes),
    "suggestions": (("wikidata",), "The right property, suggested", suggested),
    "lookups": (("wikidata",), "Properties of look-ups: what rules take away, what the first lines hold", looking),
    "timing": (("wikidata", "freebase"), "What a check costs, with types and closures at hand", timing),
    "loading": (("wikidata", "freebase"), "The index: time and memory", loading),
}


async def measure(names: Sequence[str], most: int | None) -> bool:
    """Run parts, one graph after the other. Return whether no target was missed."""
    met = True
    for graph in ("wikidata", "freebase"):
        chosen = [name for name in names if graph in PARTS[name][0]]
        if not chosen:
            continue
        async with place(graph) as here:
            for name in chosen:
                _, title, part = PARTS[name]
                started = time.perf_counter()
                rows = await part(here, most)
                met = show(f"{title} ({name}, {graph}, {time.perf_counter() - started:.0f} s)", rows) and met
    return met


def main(words: Sequence[str]) -> int:
    """Run the bench, and return 1 where a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.guard", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; absent is all")
    parser.add_argument("--limit", type=int, metavar="N", help="queries of each part and graph")
    args = parser.parse_args(words)
    unknown = [name for name in args.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    print(headline("The guard on real queries and real stores"))
    return 0 if asyncio.run(measure(args.parts or list(PARTS), args.limit)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
