"""Read an answer in any format by readers that are not ours, so that two can be compared.

Solutions are multisets of rows, graphs are canonical sets of triples; names of blank nodes mean nothing in either.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import pyoxigraph as ox

Row = tuple[object, ...]

_RESULTS = {
    "application/sparql-results+json": ox.QueryResultsFormat.JSON,
    "application/sparql-results+xml": ox.QueryResultsFormat.XML,
    "text/tab-separated-values": ox.QueryResultsFormat.TSV,
}
_GRAPHS = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
    "application/ld+json": ox.RdfFormat.JSON_LD,
}
SELECT_TYPES = (*_RESULTS, "text/csv")
ASK_TYPES = tuple(_RESULTS)[:2]
GRAPH_TYPES = tuple(_GRAPHS)

# So many rounds tell blank nodes apart by what is so many steps away from them: enough for answers of queries.
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Read:
    """An answer as a value: equal ones say the same.

    Shapes: ``head`` are the variables, or nothing; ``content`` a Boolean, a multiset of rows or a set of triples.
    """

    head: tuple[str, ...]
    content: object
    size: int


def read(media_type: str, body: bytes) -> Read:
    """Read a body. Raises ValueError or SyntaxError where it is not what its type says."""
    if media_type in _GRAPHS:
        return _graph(_GRAPHS[media_type], body)
    if media_type == "text/csv":
        return _csv(body)
    results = ox.parse_query_results(body, format=_RESULTS[media_type])
    if isinstance(results, ox.QueryBoolean):
        return Read((), bool(results), int(bool(results)))
    assert isinstance(results, ox.QuerySolutions)
    rows = [tuple(solution) for solution in results]
    return Read(tuple(v.value for v in results.variables), _multiset(rows), len(rows))


def _graph(fmt: ox.RdfFormat, body: bytes) -> Read:
    graph = ox.Dataset(ox.parse(body, format=fmt))
    graph.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return Read((), frozenset(map(str, graph)), len(graph))


def _csv(body: bytes) -> Read:
    header, *lines = csv.reader(io.StringIO(body.decode(), newline=""))
    # An empty line is a row of one column without a value.
    rows = [tuple(_cell(cell) for cell in (line or [""])) for line in lines]
    return Read(tuple(header), _multiset(rows), len(rows))


def _cell(text: str) -> object:
    return ox.BlankNode(text[2:]) if text.startswith("_:") else text


def _multiset(rows: list[Row]) -> Counter[Row]:
    """Give every blank node a colour that depends on what stands beside it, not on its name."""
    colours: dict[object, object] = dict.fromkeys(_blank(rows), 0)
    for _ in range(_ROUNDS if colours else 0):
        seen: dict[object, list[int]] = {node: [] for node in colours}
        for row in rows:
            for node in set(_blank([row])):
                # Its own places in the row, beside the colours of the others.
                own = tuple("self" if term == node else _coloured(term, colours) for term in row)
                seen[node].append(hash(own))
        colours = {node: hash(tuple(sorted(places))) for node, places in seen.items()}
    return Counter(tuple(_coloured(term, colours) for term in row) for row in rows)


def _blank(rows: Iterable[Row]) -> Iterable[object]:
    return (term for row in rows for term in row if isinstance(term, ox.BlankNode))


def _coloured(term: object, colours: dict[object, object]) -> object:
    return ("blank", colours[term]) if isinstance(term, ox.BlankNode) else term
