"""Measure what the guard costs: the latency of a client with the guard off and on, interleaved.

`python -m tests.bench.guard_cost [--rounds N] [--requests N] [--index FILE]`: one client asks one query after the
other through two proxies, one with the guard off and one that warns, in front of the same endpoint, which takes 2 ms; a
second one never answers look-ups. The index is that of the demo, or one that `saga schema build` made of Wikidata.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode

from plugins.schema.index import Index
from tests import stage
from tests.bench.guard_cost.interval import ratio
from tests.bench.guard_cost.judging import Judging
from tests.bench.hop.processes import cpu_s
from tests.bench.machine import headline
from tests.unit.schema.demo_schema import demo_draft

MODES = ("off", "warn")
_DELAY_MS = 2
_REPEATED = 50
# A text per kind; `{n}` is a number that makes it another text, about another constant.
TEXTS = {
    "no constant": "SELECT ?rows {{ ?x wdt:P31 wd:Q6256 ; wdt:P1082 ?rows ; wdt:P36/wdt:P17 ?y }} LIMIT {n}",
    "fits": "SELECT ?rows {{ wd:Q{n} wdt:P1082 ?rows ; wdt:P36 ?capital . ?capital wdt:P1082 ?m }}",
    "finding": "SELECT ?rows {{ wd:Q{n} wdt:P569 ?rows }}",
    "empty, finding": "SELECT ?none {{ wd:Q{n} wdt:P569 ?none }}",
}
_CONFIG = """
[server]
port = {port}
[endpoints.up]
url = "http://127.0.0.1:{endpoint}/sparql"
graph = "wikidata"
guard = "{mode}"
schema = "{index}"
[plugins]
enabled = ["plugins.schema.guard"]
"""
_FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/sparql-results+json"}


@dataclass(slots=True)
class Side:
    """One proxy, and what was measured there. Units: seconds; a list of times per round."""

    port: int
    pid: int
    times: list[list[float]] = field(default_factory=list)
    cpu: float = 0.0
    warned: int = 0


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.guard_cost", description=__doc__)
    parser.add_argument("--rounds", type=int, default=40, help="how often both proxies are measured, by turns")
    parser.add_argument("--requests", type=int, default=50, help="queries to each proxy in a round")
    parser.add_argument("--index", type=Path, help="a schema index of Wikidata; absent is that of the demo graph")
    parser.add_argument("--judging", type=int, default=300, help="queries that are judged in this process; 0 is none")
    options = parser.parse_args(arguments)
    print(headline(f"guard_cost: {options.rounds} rounds of {options.requests} queries each way"), end="")
    with tempfile.TemporaryDirectory(prefix="saga-guard-") as name:
        folder = Path(name)
        index = options.index or folder / "demo.index"
        if options.index is None:
            demo_draft().write(index)
        for how in ("answers", "hangs") if options.rounds else ():
            print(f"\nendpoint that takes {_DELAY_MS} ms and {how} look-ups; CPU = the proxy's, per query")
            print(f"{'query':15} {'texts':9} {'off ms':>7} {'warn ms':>8} {'off p99':>8} {'warn p99':>8} {'ratio':>6} "
                  f"{'95 %':>13} {'off CPU us':>11} {'warn':>6} {'warned':>7}")  # fmt: skip
            with _servers(folder, index, how) as sides:
                _measure(sides, options)
        if options.judging:
            asyncio.run(_judge(index, options.judging))
    return 0


@contextlib.contextmanager
def _servers(folder: Path, index: Path, how: str) -> Iterator[dict[str, Side]]:
    with contextlib.ExitStack() as stack:
        endpoint = stage.free_port()
        words = [sys.executable, "-m", "tests.bench.guard_cost.endpoint", str(endpoint), str(_DELAY_MS), how]
        stack.enter_context(stage.process(words, cwd=stage.ROOT))
        sides = {}
        for mode in MODES:
            port = stage.free_port()
            file = folder / f"{how}-{mode}.toml"
            file.write_text(_CONFIG.format(port=port, endpoint=endpoint, mode=mode, index=index))
            words = [sys.executable, "-m", "proxy", "serve", "--config", str(file)]
            child = stack.enter_context(stage.process(words, cwd=stage.ROOT))
            stage.wait_for(f"http://127.0.0.1:{port}/health/live", child)
            sides[mode] = Side(port, child.pid)
        yield sides


def _measure(sides: dict[str, Side], options: argparse.Namespace) -> None:
    numbers: dict[str, Iterator[int]] = defaultdict(lambda: iter(range(10_000, 10_000_000)))
    for kind, text in TEXTS.items():
        for texts in ("distinct", "repeated"):
            for side in sides.values():
                side.times, side.cpu, side.warned = [], 0.0, 0
                _round(side, [text.format(n=number) for number in range(1, _REPEATED + 1)])
                side.times.clear()
            for turn in range(options.rounds):
                for mode in MODES if turn % 2 else MODES[::-1]:
                    some = range(options.requests)
                    chosen = [next(numbers[mode]) if texts == "distinct" else each % _REPEATED + 1 for each in some]
                    _round(sides[mode], [text.format(n=number) for number in chosen])
            _print(kind, texts, sides, options.rounds * options.requests)


def _round(side: Side, texts: Sequence[str]) -> None:
    client = http.client.HTTPConnection("127.0.0.1", side.port)
    client.connect()
    bodies = [urlencode({"query": text}) for text in texts]
    times = []
    before, side.warned = cpu_s(side.pid), 0
    for body in bodies:
        started = time.perf_counter()
        client.request("POST", "/sparql", body, _FORM)
        reply = client.getresponse()
        reply.read()
        times.append(time.perf_counter() - started)
        if reply.status != 200:
            raise SystemExit(f"the proxy answered {reply.status}")
        side.warned += reply.headers["SPARQL-Warning"] is not None
    side.cpu += cpu_s(side.pid) - before
    side.times.append(times)
    client.close()


def _print(kind: str, texts: str, sides: dict[str, Side], count: int) -> None:
    off, warn = (sides[mode] for mode in MODES)
    whole, low, high = ratio(warn.times, off.times)
    figures = [list(chain.from_iterable(side.times)) for side in (off, warn)]
    p50 = [1e3 * median(each) for each in figures]
    p99 = [1e3 * quantiles(each, n=100)[98] for each in figures]
    share = warn.warned / len(warn.times[-1])
    print(f"{kind:15} {texts:9} {p50[0]:7.2f} {p50[1]:8.2f} {p99[0]:8.2f} {p99[1]:8.2f} {whole:6.3f} "
          f"({low:.3f}-{high:.3f}) {1e6 * off.cpu / count:11.0f} {1e6 * warn.cpu / count:6.0f} {share:7.0%}",
          flush=True)  # fmt: skip


async def _judge(index: Path, count: int) -> None:
    judging = Judging(Index.open(index))
    print("\njudging alone, types and closures cached; processor time in ms")
    for kind, text in TEXTS.items():
        found = sorted(await judging.times([text.format(n=number) for number in range(1, count + 1)]))
        p99 = found[int(0.99 * len(found))]
        print(f"{kind:15} median {1e3 * median(found):.3f}  p99 {1e3 * p99:.3f}  most {1e3 * found[-1]:.3f}")
    print(f"\nwhere it goes, under cProfile, which makes all calls dearer\n{judging.hot(15)}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
