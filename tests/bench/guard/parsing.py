"""Whether the triple patterns of gold queries are read right: as rdflib reads them, or as a person did by hand."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from proxy.errors import ProxyError
from proxy.graphs import BUILT_IN
from proxy.syntax import read
from tests.bench.guard.gold import Gold, gold, sampled, unique
from tests.bench.guard.place import Place
from tests.bench.guard.table import Row, at_least, counted, plain
from tests.oracles.canonical import Canon, Triple

# rdflib takes 10 to 60 ms a query.
COMPARED = 1_000
_REPEATS = {"0,None": "*", "1,None": "+", "0,1": "?"}
# Longest namespaces first.
_NAMES = sorted(
    {**BUILT_IN["wikidata"].prefixes, "ns": BUILT_IN["freebase"].prefixes["ns"]}.items(), key=lambda pair: -len(pair[1])
)
_BY_HAND = Path(__file__).parent / "by_hand.jsonl"


async def parsing(place: Place, most: int | None) -> list[Row]:
    """Read all queries; compare a sample with rdflib, and those that rdflib cannot read with the list made by hand."""
    queries = unique(gold(place.graph))
    prefixes = dict(place.context.prefixes[place.graph])
    read_whole = [query for query in queries if (syntax := place.read(query.text)) is not None and syntax.checked]
    verdicts = _compared(sampled(queries, most or COMPARED), prefixes)
    compared = verdicts["equal"] + verdicts["different"]
    hand, right = _by_hand(queries, prefixes)
    rows = [
        at_least("read without an error", len(read_whole), len(queries), 99.5),
        at_least("triple patterns as rdflib finds them", verdicts["equal"], compared, 99.5),
        plain("  rdflib cannot read", counted(verdicts["unread"], compared + verdicts["unread"])),
    ]
    return [*rows, at_least("triple patterns as found by hand", right, hand, 99.5)] if hand else rows


def _compared(queries: Sequence[Gold], prefixes: dict[str, str]) -> Counter[str]:
    with ProcessPoolExecutor(2) as pool:
        return Counter(pool.map(_verdict, [(query.text, prefixes) for query in queries], chunksize=16))


def _verdict(given: tuple[str, dict[str, str]]) -> str:
    """Say whether rdflib finds the same triple patterns; runs in a child process."""
    from tests.oracles.algebra import triples, without_dialect
    from tests.oracles.canonical import ours

    sys.setrecursionlimit(20_000)
    text, prefixes = given
    theirs = None
    for version in (text, without_dialect(text)):
        try:
            theirs = triples(version, prefixes)
            break
        except Exception:  # noqa: BLE001  rdflib says no in many ways
            continue
    if theirs is None:
        return "unread"
    try:
        return "equal" if ours(read(text, prefixes=prefixes)) == theirs else "different"
    except ProxyError:
        return "different"


def _by_hand(queries: Sequence[Gold], prefixes: Mapping[str, str]) -> tuple[int, int]:
    """Return how many queries were read by hand, and how many of them we read alike."""
    from tests.oracles.canonical import ours

    texts = {(query.dataset, query.id): query.text for query in queries}
    records = map(json.loads, _BY_HAND.read_text(encoding="utf-8").splitlines())
    mine = [(texts[name], each["triples"]) for each in records if (name := (each["dataset"], each["id"])) in texts]
    return len(mine), sum(written(ours(read(text, prefixes=prefixes))) == triples for text, triples in mine)


def written(triples: Iterable[Triple]) -> list[str]:
    """Write triples as the list made by hand has them: short names, every blank node `[]`, in the order of the letters.

    Example:
        >>> written([("<http://www.wikidata.org/entity/Q1>", ("0,None", "?p"), "_7")])
        ['wd:Q1 ?p* []']
    """
    return sorted(" ".join(map(_written, triple)) for triple in triples)


def _written(node: Canon) -> str:
    if isinstance(node, str):
        return "[]" if node.startswith("_") else _short(node)
    operator, *parts = node
    inner = [
        f"({_written(each)})" if isinstance(each, tuple) and each[0] in ("/", "|") else _written(each) for each in parts
    ]
    if operator in _REPEATS:
        return inner[0] + _REPEATS[str(operator)]
    return f"{operator}{inner[0]}" if operator in ("^", "!") and len(inner) == 1 else str(operator).join(inner)


def _short(term: str) -> str:
    for name, namespace in _NAMES:
        if term.startswith(f"<{namespace}"):
            return f"{name}:{term[len(namespace) + 1 : -1]}"
    return term
