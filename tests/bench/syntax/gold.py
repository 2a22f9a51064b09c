"""The shared gold queries. They stay where they are: nothing of them is kept in this project."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from proxy.graphs import BUILT_IN

ROOT = Path(__file__).resolve().parents[3]
# What endpoints imply beyond the profiles: Virtuoso declares xsd and bif, DBpedia's copy a few more.
_USUAL = {
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "bif": "http://www.openlinksw.com/schemas/bif#",
    "": "http://example.org/empty#",
}
IMPLIED = {**_USUAL, **BUILT_IN["wikidata"].prefixes}


class Gold(NamedTuple):
    """One gold query: data set, field of the record, id of the question, text."""

    dataset: str
    field: str
    id: str
    text: str


def folder() -> Path | None:
    """Find the benchmarks: in the folder `shared` beside this checkout, or in `SAGA_SHARED`."""
    shared = Path(os.environ.get("SAGA_SHARED", ROOT.parent / "shared"))
    found = shared / "data" / "benchmarks"
    return found if found.is_dir() else None


def queries(benchmarks: Path) -> Iterator[Gold]:
    """Yield every query of every data set, all fields that hold SPARQL."""
    for path in sorted(benchmarks.rglob("*.jsonl.gz")):
        name = path.name.removesuffix(".jsonl.gz")
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                for field, text in _texts(record):
                    yield Gold(name, field, str(record.get("id")), text)


def _texts(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for field in ("sparql", "sparql_standard", "graph_query"):
        if isinstance(record.get(field), str):
            yield field, record[field]
    for field in ("other_parses", "sparql_queries"):
        for item in record.get(field) or ():
            text = item if isinstance(item, str) else item.get("sparql") or item.get("query")
            if isinstance(text, str):
                yield field, text
