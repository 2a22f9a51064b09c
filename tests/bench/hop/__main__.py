"""Measure the cost of the hop: requests per second and added latency, beside other hops, in one interleaved run.

`python -m tests.bench.hop [--rounds N] [--seconds S] [--tree DIR] [--trifid DIR]`: all hops stand before the same
nginx, which answers every POST with the same kilobyte. `--trifid` names a folder in which
`npm install trifid @zazuko/trifid-plugin-sparql-proxy` was run.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests import stage
from tests.bench.hop import nginx, wrk
from tests.bench.hop.hops import hops
from tests.bench.hop.nginx import Served
from tests.bench.machine import headline, said_by

KINDS = ("distinct", "repeated")
CONNECTIONS = (1, 32, 256)
REFERENCE = "aiohttp+uvloop"
_BODY_BYTES = 1024

Key = tuple[str, str, int]


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.hop", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured; medians count")
    parser.add_argument("--seconds", type=int, default=2, help="length of one measurement")
    parser.add_argument("--connections", type=int, nargs="+", default=list(CONNECTIONS))
    parser.add_argument("--tree", type=Path, default=stage.ROOT, help="checkout whose proxy is measured")
    parser.add_argument("--trifid", type=Path, help="folder with an installed trifid")
    options = parser.parse_args(arguments)
    print(headline(f"hop: {options.rounds} rounds of {options.seconds} s"), end="")
    print(f"{said_by('nginx', '-v')}, {said_by('wrk', '-v').partition(' Copy')[0]}")
    with tempfile.TemporaryDirectory(prefix="saga-hop-") as name:
        folder = Path(name)
        with (
            nginx.endpoint(folder, answer(_BODY_BYTES)) as endpoint,
            hops(folder, endpoint, options.trifid, options.tree) as servers,
        ):
            _print(_measured(servers, options), options.connections)
    return 0


def answer(size: int) -> bytes:
    """Return SPARQL JSON of about so many bytes."""
    row = {"person": {"type": "uri", "value": "http://www.wikidata.org/entity/Q7186"}}
    row["name"] = {"type": "literal", "xml:lang": "en", "value": "Marie Curie"}
    bindings = [row]
    while len(json.dumps(bindings)) < size:
        bindings.append(row)
    return json.dumps({"head": {"vars": list(row)}, "results": {"bindings": bindings}}).encode()


def _measured(servers: dict[str, Served], options: argparse.Namespace) -> dict[Key, list[wrk.Figures]]:
    figures: dict[Key, list[wrk.Figures]] = defaultdict(list)
    for served in servers.values():
        wrk.run(served, "repeated", 8, 1, 0)
    start = 0
    for _ in range(options.rounds):
        for connections in options.connections:
            for kind in KINDS:
                for name, served in servers.items():
                    figures[name, kind, connections].append(wrk.run(served, kind, connections, options.seconds, start))
                start += 3_000
    return figures


def _print(figures: dict[Key, list[wrk.Figures]], connections: Sequence[int]) -> None:
    names = list(dict.fromkeys(name for name, _, _ in figures))
    for kind in KINDS:
        print(
            f"\n{kind} queries; added = over direct; ratio = rate to {REFERENCE}, median of the rounds (least-most);\n"
            "CPU = processor time of the hop per request, which a busy machine changes least"
        )
        print(f"{'connections':>11} {'hop':15} {'req/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'added p50':>10} "
              f"{'added p99':>10} {'ratio':>6} {'(range)':>13} {'CPU us':>7} {'not 2xx':>8} {'broken':>7}")  # fmt: skip
        for count in connections:
            for name in names:
                _print_row(figures, name, kind, count)


def _print_row(figures: dict[Key, list[wrk.Figures]], name: str, kind: str, count: int) -> None:
    own, direct, reference = (figures[each, kind, count] for each in (name, "direct", REFERENCE))
    ratios = [mine.rate / theirs.rate for mine, theirs in zip(own, reference, strict=True)]
    pairs = list(zip(own, direct, strict=True))
    print(
        f"{count:11} {name:15} {median(f.rate for f in own):8.0f} {median(f.median_ms for f in own):8.2f} "
        f"{median(f.p99_ms for f in own):8.2f} {median(a.median_ms - b.median_ms for a, b in pairs):10.2f} "
        f"{median(a.p99_ms - b.p99_ms for a, b in pairs):10.2f} {median(ratios):6.2f} "
        f"({min(ratios):5.2f}-{max(ratios):5.2f}) {median(f.cpu_us for f in own):7.0f} "
        f"{sum(f.refused for f in own):8} {sum(f.broken for f in own):7}",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
