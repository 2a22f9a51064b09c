"""The shared gold queries, and how each would be written for a plain endpoint. Nothing here uses the proxy's code."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_WD = "http://www.wikidata.org/"
# Source: Wikibase RDF dump format, "Prefixes used"; the usual W3C vocabularies.
_PREFIXES = {
    "wd": f"{_WD}entity/",
    "wds": f"{_WD}entity/statement/",
    "wdv": f"{_WD}value/",
    "wdt": f"{_WD}prop/direct/",
    "p": f"{_WD}prop/",
    "ps": f"{_WD}prop/statement/",
    "psv": f"{_WD}prop/statement/value/",
    "pq": f"{_WD}prop/qualifier/",
    "pqv": f"{_WD}prop/qualifier/value/",
    "pr": f"{_WD}prop/reference/",
    "wdno": f"{_WD}prop/novalue/",
    "wikibase": "http://wikiba.se/ontology#",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "geof": "http://www.opengis.net/def/geosparql/function/",
    "prov": "http://www.w3.org/ns/prov#",
    "ns": "http://rdf.freebase.com/ns/",
    "fb": "http://rdf.freebase.com/ns/",
}

# What is no place for a name or a keyword; then a prefixed name with a dot in its local part.
_OPAQUE = r"<[^<>\"{}|^`\\\s]*>|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*"
_DOTTED = re.compile(rf"({_OPAQUE})|(?<![\w?$@:.])([A-Za-z][\w-]*|):([\w-]+(?:\.[\w-]+)+)")
_DECLARED = re.compile(r"\bPREFIX\s+([\w-]*)\s*:\s*<([^>]*)>", re.IGNORECASE)

_KINDS = (
    ("subquery", re.compile(r"\bSELECT\b.*\bSELECT\b", re.IGNORECASE | re.DOTALL)),
    ("optional", re.compile(r"\bOPTIONAL\b", re.IGNORECASE)),
    ("aggregate", re.compile(r"\b(?:COUNT|SUM|AVG|MIN|MAX|SAMPLE|GROUP_CONCAT)\s*\(", re.IGNORECASE)),
    ("path", re.compile(r"\b\w+:\w+\s*(?:[*+/|]|\)[*+?])|\^\s*\w+:")),
)
UNSTABLE = re.compile(r"\b(?:LIMIT|OFFSET|SAMPLE|GROUP_CONCAT|RAND|NOW|UUID|STRUUID|BNODE)\b", re.IGNORECASE)
_REACHES_OUT = re.compile(r"\bSERVICE\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """One gold query: ``text`` as published, ``plain`` as an endpoint without our help needs it."""

    dataset: str
    id: str
    text: str
    plain: str
    kind: str

    @property
    def unstable(self) -> bool:
        """Whether two correct answers may differ: rows cut off without an order, or a fickle function."""
        return UNSTABLE.search(_bare(self.text)) is not None


def candidates(path: Path) -> Iterator[Gold]:
    """Yield the queries of one data set in an order that is fixed but favours nothing; none that uses SERVICE."""
    found: dict[str, str] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            text = record.get("sparql")
            if isinstance(text, str) and not _REACHES_OUT.search(_bare(text)):
                found.setdefault(text, str(record["id"]))
    dataset = path.name.removesuffix(".jsonl.gz")
    for text in sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest()):
        yield Gold(dataset=dataset, id=found[text], text=text, plain=_plain(text), kind=_kind(text))


def _plain(text: str) -> str:
    """Declare the usual prefixes, and write dotted names in full."""
    declared = dict(_DECLARED.findall(text))
    known = {**_PREFIXES, **declared}
    lines = [f"PREFIX {name}: <{iri}>\n" for name, iri in _PREFIXES.items() if name not in declared]

    def full(found: re.Match[str]) -> str:
        opaque, prefix, local = found.groups()
        return found[0] if opaque or prefix not in known else f"<{known[prefix]}{local}>"

    return "".join(lines) + _DOTTED.sub(full, text)


def _kind(text: str) -> str:
    bare = _bare(text)
    return next((name for name, pattern in _KINDS if pattern.search(bare)), "plain")


def _bare(text: str) -> str:
    """Return the text without strings, IRIs and comments."""
    return re.sub(_OPAQUE, " ", text)
