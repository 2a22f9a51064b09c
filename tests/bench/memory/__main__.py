"""Stream large answers through the proxy and watch its memory and speed, beside nginx and no hop at all.

`python -m tests.bench.memory [--sizes MB...] [--rounds N] [--tree DIR]`: SPARQL JSON and N-Triples from nginx as a
fast endpoint, also turned into another format; and a cross product out of an embedded store, beside the `oxigraph`
server on the same store. The exit code is 1 where memory grows by 100 MB or an answer is not whole.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests import stage
from tests.bench.hop import nginx
from tests.bench.hop.hops import saga
from tests.bench.hop.nginx import Served
from tests.bench.hop.processes import children
from tests.bench.machine import headline, said_by
from tests.bench.memory import bodies
from tests.bench.memory.resident import Watched
from tests.bench.memory.sink import Drained, drain

_MB = 1_000_000
_MOST_MIB = 100.0
_JSON, _NT = "application/sparql-results+json", "application/n-triples"
_SELECT, _CONSTRUCT = "SELECT ?item ?label { ?item ?p ?label }", "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }"
# Slower than any hop; the embedded store itself is not much faster.
_SLOW_MB, _SLOW_STORE_MB = 40, 5

_CONFIG = """
[server]
port = {{port}}
log_level = "warning"
{endpoints}
[endpoints.store]
store = "{store}"
total_s = 1200
[plugins]
enabled = []
"""
_ENDPOINT = '[endpoints.{name}]\nurl = "http://{address}/bodies/{file}"\ntotal_s = 1200\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One answer, and by which paths it is fetched: ``ways`` from the name of a hop to address and path.

    Units: ``limit`` in bytes per second, for a slow reader.
    """

    name: str
    text: str
    media_type: str
    ways: dict[str, tuple[str, str]]
    limit: float | None = None


@dataclass(slots=True)
class Row:
    """What all rounds of one way of one case gave. Units: MiB for the growths."""

    drained: list[Drained] = field(default_factory=list)
    proxy: float = 0.0
    reader: float = 0.0


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.memory", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[300, 1000], metavar="MB")
    parser.add_argument("--rounds", type=int, default=3, help="of the smallest size; of larger ones a single one")
    parser.add_argument("--only", default="", help="only cases with this in their name")
    parser.add_argument("--tree", type=Path, default=stage.ROOT, help="checkout whose proxy is measured")
    options = parser.parse_args(arguments)
    print(headline("memory: large answers"), end="")
    print(said_by("nginx", "-v"))
    print(f"\n{'MB':>5} {'case':24} {'way':10} {'first byte ms':>13} {'MB/s':>6} {'of direct':>9} {'of nginx':>8} "
          f"{'proxy grew MiB':>14} {'reader grew MiB':>15} whole")  # fmt: skip
    good = True
    for size in options.sizes:
        with _cases(size * _MB, options.tree) as (served, cases):
            for case in (case for case in cases if options.only in case.name):
                rounds = options.rounds if size == min(options.sizes) and case.limit is None else 1
                good = _print(size, case, _measured(case, served.pid, rounds)) and good
    return 0 if good else 1


@contextlib.contextmanager
def _cases(size: int, tree: Path) -> Iterator[tuple[Served, list[Case]]]:
    """Start everything for answers of one size."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="saga-memory-")))
        bodies.write_json(folder / "body.json", size)
        bodies.write_ntriples(folder / "body.nt", size)
        store = bodies.cross_store(folder / "store")
        direct = stack.enter_context(nginx.endpoint(folder, b"{}")).address
        hop = stack.enter_context(nginx.reverse_proxy(folder, direct)).address
        oxigraph = urlsplit(stack.enter_context(stage.oxigraph_server(store)))
        endpoints = "".join(_ENDPOINT.format(name=n, address=direct, file=f"body.{n}") for n in ("json", "nt"))
        config = _CONFIG.format(endpoints=endpoints, store=store)
        served = stack.enter_context(saga(folder, config, direct, tree))
        # The first query imports and warms what every process holds once.
        for path, text, media_type in (("json", "ASK {}", _JSON), ("store", bodies.cross(30_000), _JSON)):
            drain(served.address, f"/sparql/{path}", text, media_type, None)

        def remote(name: str, text: str, media_type: str, file: str, limit: float | None = None) -> Case:
            path = f"/bodies/body.{file}"
            ways = {"direct": (direct, path), "nginx": (hop, path), "saga": (served.address, f"/sparql/{file}")}
            return Case(name=name, text=text, media_type=media_type, ways=ways, limit=limit)

        def local(name: str, limit: float | None = None) -> Case:
            ways = {"direct": (oxigraph.netloc, oxigraph.path), "saga": (served.address, "/sparql/store")}
            return Case(name=name, text=bodies.cross(size), media_type=_JSON, ways=ways, limit=limit)

        yield (
            served,
            [
                remote("http json", _SELECT, _JSON, "json"),
                remote("http nt", _CONSTRUCT, _NT, "nt"),
                remote("http json as csv", _SELECT, "text/csv", "json"),
                remote("http nt as turtle", _CONSTRUCT, "text/turtle", "nt"),
                remote("http json, slow reader", _SELECT, _JSON, "json", _SLOW_MB * _MB),
                local("store json"),
                local("store json, slow reader", _SLOW_STORE_MB * _MB),
            ],
        )


def _measured(case: Case, pid: int, rounds: int) -> dict[str, Row]:
    rows: dict[str, Row] = defaultdict(Row)
    for _ in range(rounds):
        for way, (address, path) in case.ways.items():
            if case.limit is not None and way != "saga":
                continue
            row = rows[way]
            # The parent only waits: its one worker serves.
            (worker,) = children(pid)
            proxy, readers = Watched(worker), [Watched(child) for child in children(worker)]
            row.drained.append(drain(address, path, case.text, case.media_type, case.limit))
            if way == "saga":
                row.proxy = max(row.proxy, proxy.growth)
                row.reader = max([row.reader, *(reader.growth for reader in readers)])
    return rows


def _print(size: int, case: Case, rows: dict[str, Row]) -> bool:
    """Print the rows of a case; return whether the proxy's are as they must be."""
    rates = {way: size / statistics.median(drained.seconds for drained in row.drained) for way, row in rows.items()}
    for way, row in rows.items():
        first_ms = 1000 * statistics.median(drained.first_byte_s for drained in row.drained)
        shares = [f"{rates[way] / rates[other]:.2f}" if other in rates else "-" for other in ("direct", "nginx")]
        grown = [f"{row.proxy:.0f}", f"{row.reader:.0f}"] if way == "saga" else ["-", "-"]
        whole = all(drained.whole for drained in row.drained)
        print(f"{size:5} {case.name:24} {way:10} {first_ms:13.1f} {rates[way]:6.0f} {shares[0]:>9} {shares[1]:>8} "
              f"{grown[0]:>14} {grown[1]:>15} {'yes' if whole else 'NO'}", flush=True)  # fmt: skip
    own = rows["saga"]
    return own.proxy < _MOST_MIB and all(drained.whole for drained in own.drained)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
