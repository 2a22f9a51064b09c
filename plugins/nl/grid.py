"""A table of an answer as text: columns in line, names instead of IRIs, nothing in it that a terminal acts on."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plugins.schema.findings import line

_MOST_CELL = 60
MOST_ROWS = 50


def grid(results: Mapping[str, Any], labels: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of SPARQL JSON results: a yes or no, or a head, a rule and at most fifty rows."""
    if "boolean" in results:
        yield "yes" if results["boolean"] else "no"
        return
    names = results["head"].get("vars", [])
    bindings = results["results"]["bindings"]
    rows = [[cell(row.get(name), labels) for name in names] for row in bindings[:MOST_ROWS]]
    head = [line(f"?{name}", _MOST_CELL) for name in names]
    widths = [max(map(width, column)) for column in zip(head, *rows, strict=True)]
    yield _row(head, widths)
    yield "  ".join("-" * each for each in widths)
    for row in rows:
        yield _row(row, widths)
    if len(bindings) > MOST_ROWS:
        yield f"... and {len(bindings) - MOST_ROWS:,} more rows"


def cell(term: Mapping[str, Any] | None, labels: Mapping[str, str]) -> str:
    """Return a term as a cell: `Paris (Q90)`, `1867-11-07`, `Köln (de)`, nothing where unbound."""
    if term is None:
        return ""
    value = term["value"]
    if term["type"] == "triple":
        parts = (cell(value[name], labels) for name in ("subject", "predicate", "object"))
        return line(f"<< {' '.join(parts)} >>", _MOST_CELL)
    if term["type"] == "uri":
        label = labels.get(value)
        return line(f"{label} ({_local(value)})" if label else value, _MOST_CELL)
    tag = term.get("xml:lang")
    return line(f"{value} ({tag})" if tag else value, _MOST_CELL)


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes: Chinese characters and emoji two, accents none."""
    return sum(0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF") for each in text)


def _local(iri: str) -> str:
    return iri.rstrip("/#").replace("#", "/").rpartition("/")[2] or iri


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(text + " " * (most - width(text)) for text, most in zip(cells, widths, strict=True)).rstrip()
