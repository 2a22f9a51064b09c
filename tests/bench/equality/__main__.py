"""Ask gold queries through the proxy and without it, and compare.

`python -m tests.bench.equality [--scale N]`: 200 queries of the Wikidata benchmarks and 60 of the Freebase ones whose
direct answer has rows; the embedded store is compared with pyoxigraph, the `http` endpoint with the `oxigraph` server
behind it. All in JSON and CSV, every fifth in XML and TSV too; GET, POST form and POST direct in turn.
The exit code is 1 where an answer differs.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import stage
from tests.bench import stores
from tests.bench.equality.answers import ASK_TYPES, Read, read
from tests.bench.equality.asking import METHODS, Refused, ask
from tests.bench.equality.direct import Direct, Failed
from tests.bench.equality.gold import Gold, candidates
from tests.bench.hop.hops import saga
from tests.bench.machine import headline

_QUOTAS = {
    "wikidata": {
        "qald7": 20,
        "qald9plus": 35,
        "qald10": 45,
        "qawiki": 45,
        "spinach": 15,
        "lcquad2": 15,
        "wikiwebquestions": 15,
        "simplequestions-wikidata": 10,
    },
    "freebase": {"grailqa": 20, "webqsp": 15, "cwq": 15, "simplequestions-freebase": 10},
}
_LEAST_HARD = 40
_JSON, _XML, _CSV, _TSV = (
    "application/sparql-results+json",
    "application/sparql-results+xml",
    "text/csv",
    "text/tab-separated-values",
)
# A candidate that takes longer than this without the proxy is left out; through it, it may take what a query may.
_CHOICE_S, _ANSWER_S = 2.0, 60.0
_MOST_ROWS = 200_000

_CONFIG = """
[server]
port = {{port}}
log_level = "warning"
[endpoints.embedded]
store = "{store}"
graph = "{graph}"
[endpoints.http]
url = "{url}"
engine = "oxigraph"
graph = "{graph}"
[plugins]
enabled = []
"""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A gold query, the media types that it is asked in, and how it is sent."""

    gold: Gold
    media_types: tuple[str, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one comparison: `equal`, `cut alike` (same size, rows left to chance) or `different`."""

    gold: Gold
    endpoint: str
    media_type: str
    word: str
    why: str = ""


def main(arguments: Sequence[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.equality", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the number of queries")
    options = parser.parse_args(arguments)
    print(headline("equality: gold queries through the proxy and without it"))
    verdicts: list[Verdict] = []
    for graph, quotas in _QUOTAS.items():
        store = stores.store(graph)
        with Direct(store) as direct, _proxy(graph, store) as (proxy, server):
            for chosen in _choice(direct, {name: round(n * options.scale) for name, n in quotas.items()}):
                verdicts += _compared(chosen, direct, proxy, server)
    _print(verdicts)
    hard = {verdict.gold.text for verdict in verdicts if verdict.gold.kind != "plain"}
    enough = len(hard) >= _LEAST_HARD * min(1.0, options.scale)
    return 0 if enough and all(verdict.word != "different" for verdict in verdicts) else 1


@contextlib.contextmanager
def _proxy(graph: str, store: Path) -> Iterator[tuple[str, str]]:
    """Serve a store by Oxigraph, and by the proxy as itself and in front of that; yield both addresses."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="saga-equality-")))
        url = stack.enter_context(stage.oxigraph_server(store))
        config = _CONFIG.format(store=store, graph=graph, url=url)
        served = stack.enter_context(saga(folder, config, url, stage.ROOT))
        yield f"http://{served.address}/sparql", url


def _choice(direct: Direct, quotas: dict[str, int]) -> Iterator[Chosen]:
    """Take the first queries of each data set, in their fixed order, that Oxigraph itself answers with rows."""
    benchmarks = stores.shared() / "data" / "benchmarks"
    number = 0
    for name, quota in quotas.items():
        taken = 0
        for gold in candidates(benchmarks / f"{name}.jsonl.gz"):
            if taken == quota:
                break
            found = _answer(direct, gold)
            if found is None or not 0 < found.size <= _MOST_ROWS:
                continue
            number, taken = number + 1, taken + 1
            yield Chosen(gold, _media_types(found, number), METHODS[number % len(METHODS)])


def _answer(direct: Direct, gold: Gold) -> Read | None:
    try:
        return read(_JSON, direct.ask(gold.plain, _JSON, _CHOICE_S))
    except (Failed, ValueError):
        return None


def _media_types(found: Read, number: int) -> tuple[str, ...]:
    if isinstance(found.content, bool):
        return ASK_TYPES
    return (_JSON, _CSV, _XML, _TSV) if number % 5 == 0 else (_JSON, _CSV)


def _compared(chosen: Chosen, direct: Direct, proxy: str, server: str) -> Iterator[Verdict]:
    gold = chosen.gold
    for media_type in chosen.media_types:
        try:
            alone = read(media_type, direct.ask(gold.plain, media_type, _ANSWER_S))
            served = read(media_type, ask(server, gold.plain, media_type, "direct", _ANSWER_S))
        except (Failed, Refused) as error:
            yield Verdict(gold, "none", media_type, "different", f"without the proxy: {error}")
            continue
        for endpoint, expected in (("embedded", alone), ("http", served)):
            try:
                body = ask(f"{proxy}/{endpoint}", gold.text, media_type, chosen.method, _ANSWER_S)
                word, why = _judged(gold, expected, read(media_type, body))
            except (Refused, ValueError, SyntaxError) as error:
                word, why = "different", f"{chosen.method}: {error}"
            yield Verdict(gold, endpoint, media_type, word, why)


def _judged(gold: Gold, expected: Read, got: Read) -> tuple[str, str]:
    if got == expected:
        return "equal", ""
    if gold.unstable and (got.head, got.size) == (expected.head, expected.size):
        return "cut alike", ""
    return "different", f"expected {expected.head} with {expected.size}, got {got.head} with {got.size}"


def _print(verdicts: list[Verdict]) -> None:
    kinds = ("path", "aggregate", "optional", "subquery", "plain")
    print(f"{'data set':26} {'endpoint':9} {'queries':>8} {'answers':>8} {'equal':>6} {'cut alike':>10} "
          f"{'different':>10}   queries by kind")  # fmt: skip
    for dataset in dict.fromkeys(verdict.gold.dataset for verdict in verdicts):
        for endpoint in ("embedded", "http", "none"):
            own = [v for v in verdicts if v.gold.dataset == dataset and v.endpoint == endpoint]
            if own:
                words = Counter(verdict.word for verdict in own)
                texts = Counter({verdict.gold.text: verdict.gold.kind for verdict in own}.values())
                print(f"{dataset:26} {endpoint:9} {texts.total():8} {len(own):8} {words['equal']:6} "
                      f"{words['cut alike']:10} {words['different']:10}   "
                      f"{', '.join(f'{kind} {texts[kind]}' for kind in kinds if texts[kind])}")  # fmt: skip
    by_kind = Counter((verdict.gold.kind, verdict.word) for verdict in verdicts)
    print("\nanswers by kind: " + "; ".join(
        f"{kind}: " + ", ".join(f"{n} {word}" for (k, word), n in by_kind.items() if k == kind) for kind in kinds
    ))  # fmt: skip
    for verdict in verdicts:
        if verdict.word == "different":
            print(f"different: {verdict.gold.dataset} {verdict.gold.id} {verdict.endpoint} {verdict.media_type}: "
                  f"{verdict.why[:300]}\n  {' '.join(verdict.gold.text.split())[:300]}")  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
