"""What stands around the anchors in the graph: one query for the edges of all, one for what lies between two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
_MOST_PAIRS = 4
# What so many things point to is no place to start from.
_HUB = 5_000
_MOST_ROWS = 10_000
_SECONDS = 2.0
# A query of ours that asks what there is cannot be wrong about it.
_UNJUDGED = {"saga-guard": "off"}

# How predicates ?p (and ?q) join anchors a (and b) with the answer ?x.
Way = Literal[
    "out", "in", "link", "through", "meet", "shared", "either",
    "chain", "chain in", "meet on", "stated", "role", "owner",
]  # fmt: skip
_BETWEEN: Mapping[Way, str] = {
    "link": "<{a}> ?p <{b}> BIND(<{b}> AS ?x)",
    "through": "<{a}> ?p ?x . ?x ?q <{b}>",
    "meet": "{{ SELECT ?p ?x {{ ?x ?p <{a}> }} LIMIT {most} }} ?x ?q <{b}>",
    "shared": "<{a}> ?p ?x . <{b}> ?p ?x",
}
# How one more predicate leads on from what other ones lead to; of a statement it is its owner's, or another qualifier.
_BEYOND: Mapping[Way, str] = {
    "chain": "<{a}> <{p}> ?m . ?m ?q ?x",
    "chain in": "{{ SELECT ?m {{ ?m <{p}> <{a}> }} LIMIT {most} }} ?m ?q ?x",
    "meet on": "?m <{p}> <{a}> . ?m <{q}> <{b}> . ?m ?r ?x",
    "stated": "<{a}> <{claim}> ?m . ?m ?q ?x",
    "role": "<{a}> <{p}> ?m . ?m <{q}> <{b}> . ?m ?r ?x",
    "owner": "{{ SELECT ?m {{ ?m <{p}> <{a}> }} LIMIT {most} }} ?x ?q ?m",
}
# What comes out is the value of the last predicate.
VALUED: frozenset[Way] = frozenset(("out", "chain", "chain in", "meet on", "stated", "role", "shared"))


@dataclass(frozen=True, slots=True)
class Edge:
    """Predicates that lead from anchors to answers, how many these are, one of them, and what kinds they are of.

    Shapes: ``untyped`` counts answers of which the graph says no kind; ``seen`` is False where the graph was not asked,
    and there may be no answers at all.
    """

    way: Way
    anchors: tuple[Anchor, ...]
    predicates: tuple[str, ...]
    count: int
    sample: Term | None
    kinds: tuple[str, ...] = ()
    untyped: int = 0
    seen: bool = True


async def surroundings(anchors: Sequence[Anchor], tools: Tools) -> list[Edge]:
    """Return all edges of the anchors, and all that join two of them. Raises OutOfBudget, ProxyError."""
    given = [each for each in anchors if askable(each.iri)]
    branches = [branch for number, each in enumerate(given) for branch in _single(number, each, tools)]
    found = list(_edges(await asked(branches, tools), [(each,) for each in given]))
    found += _listings(given, found, tools)
    return _whole(found) + await between(list(_pairs(given)), tools)


async def between(pairs: Sequence[tuple[Anchor, Anchor]], tools: Tools) -> list[Edge]:
    """Return what joins the two anchors of each pair. Raises OutOfBudget, ProxyError."""
    branches = [branch for number, pair in enumerate(pairs) for branch in _double(number, pair)]
    owners = [each for pair in pairs for each in (pair, pair[::-1])]
    return list(_edges(await asked(branches, tools), owners))


def _listings(anchors: Sequence[Anchor], known: Sequence[Edge], tools: Tools) -> list[Edge]:
    """Return the way from each class to its instances, where all of them are of classes below it."""
    step = tools.knowledge.vocabulary.types[:1]
    there = {edge.anchors for edge in known if edge.way == "in" and edge.predicates == step}
    return [Edge("in", (each,), step, 1, None) for each in anchors if each.hit.is_class and (each,) not in there]


async def beyond(edges: Sequence[Edge], tools: Tools) -> list[Edge]:
    """Return where one more step leads from the answers of some edges. Raises OutOfBudget, ProxyError."""
    branches = [branch for number, each in enumerate(edges) for branch in _further(number, each, tools)]
    return _whole(list(_edges(await asked(branches, tools), [each.anchors for each in edges])))


async def asked(branches: Sequence[str], tools: Tools) -> Table:
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
    yield _grouped(2 * number, "shared", "?p", _between("shared", *pair))
    turn = int(pair[1].hit.popularity < pair[0].hit.popularity)
    one, other = pair[:: 1 - 2 * turn]
    if other.hit.popularity < _HUB:
        yield _grouped(2 * number + turn, "meet", "?p ?q", _between("meet", one, other))


def _between(way: Way, one: Anchor, other: Anchor) -> str:
    return _BETWEEN[way].format(a=one.iri, b=other.iri, most=_MOST_MET)


def _further(number: int, edge: Edge, tools: Tools) -> Iterator[str]:
    """Yield what one more step from an edge may be: from a statement to its value, else along a property."""
    known = tools.knowledge
    first, base = edge.predicates[0], known.vocabulary.properties
    direct, value, qualifier = known.direct, f"{base}statement/P", f"{base}qualifier/P"
    kinds = f"OPTIONAL {{ ?x <{known.vocabulary.types[0]}> ?k }}"
    ways: list[tuple[Way, str]] = []
    match edge.way:
        case "out":
            ways = [("chain", direct), ("stated", qualifier)] if direct else [("chain", "")]
        case "in" if first.startswith(direct):
            ways = [("chain in", direct)]
        case "in":
            ways = [("chain in", value), ("owner", f"{base}P")]
        case "meet":
            ways = [("meet on", direct)]
        case "through":
            ways = [("role", qualifier)]
    named = {
        "a": edge.anchors[0].iri,
        "b": edge.anchors[-1].iri,
        "p": first,
        "q": edge.predicates[-1],
        "claim": base + first.removeprefix(direct),
        "most": _MOST_MIDDLES,
    }
    for way, space in ways:
        known_names = {"p": named["claim"] if way == "stated" else first}
        if len(edge.predicates) > 1:
            known_names["q"] = edge.predicates[1]
        new = "pqr"[len(known_names)]
        within = f'FILTER(STRSTARTS(STR(?{new}), "{space}"))' if space else ""
        more = "".join(f"(<{iri}> AS ?{name}) " for name, iri in known_names.items())
        yield _grouped(number, way, f"?{new} ?k", f"{_BEYOND[way].format(**named)} {within} {kinds}", more)


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
        predicates = tuple(cell.value for name in "pqr" if (cell := cells.get(name)) is not None)
        if number is None or way is None or count is None or not predicates:
            continue
        kind = cells.get("k")
        kinds = (kind.value,) if kind is not None else ()
        size = int(count.value)
        untyped = 0 if kinds else size
        yield Edge(cast(Way, way.value), owners[int(number.value)], predicates, size, cells.get("s"), kinds, untyped)


def _whole(edges: Sequence[Edge]) -> list[Edge]:
    """Join the edges that differ in the kind of their answers only, the most frequent kinds first."""
    found: dict[tuple[object, ...], Edge] = {}
    for each in sorted(edges, key=lambda edge: -edge.count):
        key = (each.way, each.anchors, each.predicates)
        known = found.get(key)
        found[key] = _joined(known, each) if known else each
    return list(found.values())


def _joined(one: Edge, other: Edge) -> Edge:
    return replace(one, kinds=one.kinds + other.kinds, untyped=one.untyped + other.untyped)
