"""Read all shared gold queries and all hostile texts; print how well and how fast.

`python -m tests.bench.syntax [--compare N] [--gold-only | --hostile-only]`: triple patterns are compared with rdflib's
algebra on N queries of each data set and field (default 150, 0 for all: about 10 minutes on two cores). The other two
parsers are asked about the same N, with implied prefixes declared and dotted names written out.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from proxy.errors import ProxyError
from proxy.syntax import Syntax, add_prefixes, expand_dotted, read
from proxy.syntax.limits import Limits
from proxy.syntax.reader import read_cold
from tests.bench.syntax.gold import IMPLIED, Gold, folder, queries
from tests.bench.syntax.hostile import HOSTILE
from tests.oracles.acceptance import pyrudof_accepts, tree_sitter_accepts

_SECONDS_ALLOWED = 0.2


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.syntax", description=__doc__)
    parser.add_argument("--compare", type=int, default=150, metavar="N")
    parser.add_argument("--hostile-only", action="store_true")
    parser.add_argument("--gold-only", action="store_true")
    options = parser.parse_args(arguments)
    if not options.hostile_only:
        benchmarks = folder()
        if benchmarks is None:
            print("skipped: no gold queries; put `shared` beside the checkout or set SAGA_SHARED")
        else:
            _gold(list(queries(benchmarks)), options.compare or sys.maxsize)
    slow = [] if options.gold_only else _hostile()
    return 1 if slow else 0


def _gold(gold: list[Gold], sample: int) -> None:
    groups: dict[tuple[str, str], list[Gold]] = {}
    for query in gold:
        groups.setdefault((query.dataset, query.field), []).append(query)
    print(
        f"{'data set':26} {'field':15} {'texts':>6} {'read %':>7} {'n cmp':>6} {'equal %':>8} {'rudof %':>8} "
        f"{'tree-s %':>8} {'us p50':>7} {'us p99':>7}"
    )
    remarks: list[str] = []
    times: list[float] = []
    for (dataset, field), members in groups.items():
        microseconds, unread = _timed(members)
        times += microseconds
        remarks += unread
        chosen = members if len(members) <= sample else random.Random(7).sample(members, sample)
        compared, different = _compared(chosen)
        remarks += different
        texts = [expand_dotted(add_prefixes(query.text, IMPLIED), IMPLIED) for query in chosen]
        equal = 100 * (1 - len(different) / compared) if compared else float("nan")
        print(
            f"{dataset:26} {field:15} {len(members):6} {100 * (1 - len(unread) / len(members)):7.2f} {compared:6} "
            f"{equal:8.2f} {_share(pyrudof_accepts(texts)):8.1f} {_share(tree_sitter_accepts(texts)):8.1f} "
            f"{statistics.median(microseconds):7.0f} {_percentile(microseconds):7.0f}",
            flush=True,
        )
    print(f"all: {len(times)} texts, {statistics.median(times):.0f} us median, {_percentile(times):.0f} us p99")
    print("\n".join(remarks))


def _timed(gold: list[Gold]) -> tuple[list[float], list[str]]:
    """Read each text twice without the cache; the better time counts."""
    microseconds, unread = [], []
    gc.disable()
    for query in gold:
        best = float("inf")
        for _ in range(2):
            start = time.perf_counter()
            problem = _problem(query.text)
            best = min(best, time.perf_counter() - start)
        microseconds.append(best * 1e6)
        if problem:
            unread.append(f"unread {query.dataset} {query.field} {query.id}: {problem}")
    gc.enable()
    return microseconds, unread


def _problem(text: str) -> str:
    try:
        syntax = read_cold(text, IMPLIED, Limits())
    except ProxyError as error:
        return error.detail
    return str(syntax.problem) if syntax.problem else ""


def _compared(gold: list[Gold]) -> tuple[int, list[str]]:
    """Compare with rdflib in two processes: how many could be compared, and those that differ."""
    with ProcessPoolExecutor(2) as pool:
        verdicts = list(pool.map(_verdict, gold, chunksize=8))
    counts = Counter(verdict.partition(":")[0] for verdict in verdicts)
    different = [
        f"different {query.dataset} {query.field} {query.id}{verdict.removeprefix('different')}"
        for query, verdict in zip(gold, verdicts, strict=True)
        if verdict.startswith("different")
    ]
    return counts["equal"] + counts["different"], different


def _verdict(query: Gold) -> str:
    """Say whether rdflib finds the same triple patterns; runs in a child process."""
    from tests.oracles.algebra import triples, without_dialect
    from tests.oracles.canonical import ours

    sys.setrecursionlimit(20_000)
    theirs = None
    for text in (query.text, without_dialect(query.text)):
        try:
            theirs = triples(text, IMPLIED)
            break
        except Exception as error:  # noqa: BLE001  rdflib says no in many ways
            reason = type(error).__name__
    if theirs is None:
        return f"rdflib cannot: {reason}"
    try:
        syntax: Syntax = read(query.text, prefixes=IMPLIED)
    except ProxyError as error:
        return f"different: {error.detail}"
    mine = ours(syntax)
    if mine == theirs:
        return "equal"
    missing, extra = [t for t in theirs if t not in mine], [t for t in mine if t not in theirs]
    return f"different: only ours {extra}, only theirs {missing}"


def _hostile() -> list[str]:
    slow = []
    print(f"\n{'hostile text':32} {'bytes':>9} {'CPU ms':>8}  answer")
    for name, make in HOSTILE.items():
        text = make()
        start = time.process_time()
        try:
            syntax = read(text, prefixes=IMPLIED)
            answer = "read" if syntax.checked else str(syntax.problem)
        except ProxyError as error:
            answer = f"{type(error).__name__}: {error.detail}"
        seconds = time.process_time() - start
        if seconds > _SECONDS_ALLOWED:
            slow.append(name)
        size = len(text.encode(errors="replace"))
        print(f"{name:32} {size:9} {1000 * seconds:8.1f}{'!' if name in slow else ' '} {answer[:110]}")
    return slow


def _share(answers: list[bool | None]) -> float:
    return 100 * sum(answer is True for answer in answers) / max(1, len(answers))


def _percentile(numbers: list[float]) -> float:
    return sorted(numbers)[int(len(numbers) * 0.99)]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
