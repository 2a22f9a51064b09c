"""Large answers: files for nginx to serve, and a store whose cross product is as large as one likes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox

_BLOCK_ROWS = 2_000
_WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"]
# Enough for a cross product of two to reach any size asked for.
_MEMBERS = 6_000
# What one row of CROSS takes in SPARQL JSON.
_CROSS_ROW_BYTES = 150

_CROSS = """PREFIX e: <http://example.org/>
SELECT ?a ?b {{ ?a e:in e:left . ?b e:in e:right }} LIMIT {rows}"""


def cross(size: int) -> str:
    """Return a query whose answer in JSON is of about so many bytes."""
    return _CROSS.format(rows=size // _CROSS_ROW_BYTES)


def write_json(path: Path, size: int) -> Path:
    """Write SPARQL JSON of about so many bytes."""
    rows = (
        f'{{"item":{{"type":"uri","value":"http://www.wikidata.org/entity/Q{n}"}},'
        f'"label":{{"type":"literal","xml:lang":"en","value":"{_label(n)} \\u00fc"}}}}'
        for n in itertools.count(1)
    )
    return _write(path, size, '{"head":{"vars":["item","label"]},"results":{"bindings":[\n', ",\n", rows, "\n]}}\n")


def write_ntriples(path: Path, size: int) -> Path:
    """Write N-Triples of about so many bytes."""
    rows = (
        f'<http://www.wikidata.org/entity/Q{n}> <http://www.w3.org/2000/01/rdf-schema#label> "{_label(n)} ü"@en .'
        for n in itertools.count(1)
    )
    return _write(path, size, "", "\n", rows, "\n")


def _label(n: int) -> str:
    return f"{_WORDS[n % 12]} {_WORDS[n // 12 % 12]} {n:x}"


def _write(path: Path, size: int, head: str, between: str, rows: Iterator[str], tail: str) -> Path:
    with path.open("wb") as file:
        file.write(head.encode())
        while True:
            file.write(between.join(itertools.islice(rows, _BLOCK_ROWS)).encode())
            if file.tell() >= size:
                file.write(tail.encode())
                return path
            file.write(between.encode())


def cross_store(folder: Path) -> Path:
    """Make a store of two sets; their cross product has 36 million rows."""
    store = ox.Store(str(folder))
    place = ox.NamedNode("http://example.org/in")
    store.bulk_extend(
        ox.Quad(
            ox.NamedNode(f"http://example.org/{side}/member/{n}"), place, ox.NamedNode(f"http://example.org/{side}")
        )
        for side in ("left", "right")
        for n in range(_MEMBERS)
    )
    store.flush()
    return folder
