"""What stands around the anchors in the graph: one query for the edges of all, one for what lies between two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, cast

from plugins.nl.contract import Table
from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.tools import Tools
from plugins.schema.body import askable
from proxy.errors import ProxyError
from proxy.results.terms import Term

_MOST_INCOMING = 1_000
_MOST_MET = 1_000
_MOST_MIDDLES = 200
_MOST_PAIRS = 3
# What so many things point to is no place to start from.
_HUB = 5_000
_MOST_ROWS = 10_000
_SECONDS = 2.0
# A query of ours that asks what there is cannot be wrong about it.
_UNJUDGED = {"saga-guard": "off"}

# How predicates ?p (and ?q) join anchors a (and b) with the answer ?x.
Way = Literal["out", "in", "link", "through", "meet", "chain", "chain in", "either"]
_PATTERNS = {
    "link": "<{a}> ?p <{b}> BIND(<{b}> AS ?x)",
    "through": "<{a}> ?p ?x . ?x ?q <{b}>",
    "meet": "{{ SELECT ?p ?x {{ ?x ?p <{a}> }} LIMIT {most} }} ?x ?q <{b}>",
    "chain": "<{a}> <{p}> ?m . ?m ?q ?x",
    "chain in": "{{ SELECT ?m {{ ?m <{p}> <{a}> }} LIMIT {most} }} ?m ?q ?x",
}


@dataclass(frozen=True, slots=True)
class Edge:
    """Predicates that lead from anchors to answers, how many these are, one of them, and what kinds they are of."""

    way: Way
    anchors: tuple[Anchor, ...]
    predicates: tuple[str, ...]
    count: int
    sample: Term | None
    kinds: tuple[str, ...] = ()


async def surroundings(anchors: Sequence[Anchor], tools: Tools) -> list[Edge]:
    """Return all edges of the anchors, and all that join two of them. Raises OutOfBudget, ProxyError."""
    given = [each for each in anchors if askable(each.iri)]
    branches = [branch for number, each in enumerate(given) for branch in _single(number, each, tools)]
    found = list(_edges(await _asked(branches, tools), [(each,) for each in given]))
    found += _listings(given, found, tools)
    pairs = list(_pairs(given))
    branches = [branch for number, pair in enumerate(pairs) for branch in _double(number, pair)]
    owners = [each for pair in pairs for each in (pair, pair[::-1])]
    return _whole(found) + list(_edges(await _asked(branches, tools), owners))


def _listings(anchors: Sequence[Anchor], known: Sequence[Edge], tools: Tools) -> list[Edge]:
    """Return the way from each class to its instances, where all of them are of classes below it."""
    step = tools.knowledge.vocabulary.types[:1]
    there = {edge.anchors for edge in known if edge.way == "in" and edge.predicates == step}
    return [Edge("in", (each,), step, 1, None) for each in anchors if each.hit.is_class and (each,) not in there]


async def beyond(edges: Sequence[Edge], tools: Tools) -> list[Edge]:
    """Return where one more step leads from the answers of some edges. Raises OutOfBudget, ProxyError."""
    branches = [_further(number, each, tools) for number, each in enumerate(edges)]
    return _whole(list(_edges(await _asked(branches, tools), [each.anchors for each in edges])))


async def _asked(branches: Sequence[str], tools: Tools) -> Table:
    """Ask for all branches at once; an endpoint that takes too long has told nothing."""
    if not branches:
        return Table()
    text = f"SELECT * {{ {' UNION '.join(branches)} }}"
    try:
        return await tools.asker.table(text, seconds=_SECONDS, most_rows=_MOST_ROWS, hints=_UNJUDGED)
    except ProxyError as error:
        if error.status != 504:
            raise
        return Table()


def _single(number: int, anchor: Anchor, tools: Tools) -> Iterator[str]:
    known = tools.knowledge
    kinds = f"OPTIONAL {{ ?x <{known.vocabulary.types[0]}> ?k }}"
    direct = f'FILTER(STRSTARTS(STR(?p), "{known.direct}"))' if known.direct else ""
    yield _grouped(number, "out", "?p ?k", f"<{anchor.iri}> ?p ?x {direct} {kinds}")
    into = f"{{ SELECT ?p ?x {{ ?x ?p <{anchor.iri}> }} LIMIT {_MOST_INCOMING} }}"
    yield _grouped(number, "in", "?p ?k", f"{into} {kinds}")


def _pairs(anchors: Sequence[Anchor]) -> Iterator[tuple[Anchor, Anchor]]:
    """Yield the likeliest pairs of anchors of different words."""
    found = [pair for pair in combinations(anchors, 2) if not pair[0].span.overlaps(pair[1].span)]
    found.sort(key=lambda pair: -(pair[0].prior + pair[1].prior))
    yield from found[:_MOST_PAIRS]


def _double(number: int, pair: tuple[Anchor, Anchor]) -> Iterator[str]:
    for turn, (one, other) in enumerate((pair, pair[::-1])):
        own = 2 * number + turn
        yield _grouped(own, "link", "?p", _between("link", one, other))
        if other.hit.popularity < _HUB:
            yield _grouped(own, "through", "?p ?q", _between("through", one, other))
    turn = int(pair[1].hit.popularity < pair[0].hit.popularity)
    one, other = pair[:: 1 - 2 * turn]
    if other.hit.popularity < _HUB:
        yield _grouped(2 * number + turn, "meet", "?p ?q", _between("meet", one, other))


def _between(way: Way, one: Anchor, other: Anchor) -> str:
    return _PATTERNS[way].format(a=one.iri, b=other.iri, most=_MOST_MET)


def _further(number: int, edge: Edge, tools: Tools) -> str:
    known = tools.knowledge
    way: Way = "chain" if edge.way == "out" else "chain in"
    pattern = _PATTERNS[way].format(a=edge.anchors[0].iri, p=edge.predicates[0], most=_MOST_MIDDLES)
    # From a statement its value leads on, from a thing its properties.
    space = known.direct if edge.predicates[0].startswith(known.direct) else f"{known.vocabulary.properties}statement/P"
    direct = f'FILTER(STRSTARTS(STR(?q), "{space}"))' if space else ""
    kinds = f"OPTIONAL {{ ?x <{known.vocabulary.types[0]}> ?k }}"
    return _grouped(number, way, "?q ?k", f"{pattern} {direct} {kinds}", f"(<{edge.predicates[0]}> AS ?p) ")


def _grouped(number: int, way: Way, names: str, pattern: str, more: str = "") -> str:
    return (
        f'{{ SELECT ({number} AS ?n) ("{way}" AS ?w) {more}{names} (COUNT(DISTINCT ?x) AS ?c) (SAMPLE(?x) AS ?s) '
        f"{{ {pattern} }} GROUP BY {names} }}"
    )


def _edges(table: Table, owners: Sequence[tuple[Anchor, ...]]) -> Iterator[Edge]:
    """Yield the rows of a table as edges."""
    for row in table.rows:
        cells = dict(zip(table.variables, row, strict=True))
        number, way, count = cells.get("n"), cells.get("w"), cells.get("c")
        predicates = tuple(cell.value for name in ("p", "q") if (cell := cells.get(name)) is not None)
        if number is None or way is None or count is None or not predicates:
            continue
        kind = cells.get("k")
        kinds = (kind.value,) if kind is not None else ()
        yield Edge(cast(Way, way.value), owners[int(number.value)], predicates, int(count.value), cells.get("s"), kinds)


def _whole(edges: Sequence[Edge]) -> list[Edge]:
    """Join the edges that differ in the kind of their answers only, the most frequent kinds first."""
    found: dict[tuple[object, ...], Edge] = {}
    for each in sorted(edges, key=lambda edge: -edge.count):
        key = (each.way, each.anchors, each.predicates)
        known = found.get(key)
        found[key] = replace(known, kinds=known.kinds + each.kinds) if known else each
    return list(found.values())
