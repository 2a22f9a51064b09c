"""A schema index of the demo graph, made from its tables, for tests of what stands on an index."""

from __future__ import annotations

import csv
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

from plugins.schema.draft import Draft
from plugins.schema.index import Index
from plugins.schema.model import ClassInfo, Property, Side
from plugins.schema.shorthand import variants
from proxy.syntax import Syntax, read

DEMO = Path(__file__).parents[3] / "config" / "demo"
WD = "http://www.wikidata.org/"
ENTITY = WD + "entity/"
DIRECT = WD + "prop/direct/"
PREFIXES = {
    "wd": ENTITY,
    "wdt": DIRECT,
    "p": WD + "prop/",
    "ps": WD + "prop/statement/",
    "psv": WD + "prop/statement/value/",
    "pq": WD + "prop/qualifier/",
    "wds": ENTITY + "statement/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_KINDS = {"WikibaseItem": "item", "WikibaseProperty": "property", "Time": "time", "Quantity": "quantity"}


def item(local: str) -> str:
    """Return the IRI of an entity of the graph."""
    return ENTITY + local


def syntax(text: str) -> Syntax:
    """Read a query with the prefixes of the graph."""
    return read(text, prefixes=PREFIXES)


def _table(name: str) -> list[dict[str, str]]:
    with (DEMO / name).open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if line.strip() and not line.startswith("#"))
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""))


def _side(row: dict[str, str], side: str) -> Side | None:
    classes = tuple(item(each) for each in row[f"{side}_types"].split(";") if each)
    exceptions = frozenset(item(each) for each in row["exceptions"].split(";") if each) if side == "subject" else ()
    status: Any = row[f"{side}_status"] or "normal"
    relation: Any = row[f"{side}_relation"] or "instance"
    return (
        Side(classes=classes, relation=relation, status=status, exceptions=frozenset(exceptions)) if classes else None
    )


def demo_draft(*, evidence: bool = True) -> Draft:
    """Return the demo graph's schema, before it is written."""
    draft = Draft("wikidata", {ENTITY: ""}, variants(WD))
    draft.roots.add(item("Q35120"))
    labels = {row["id"]: row["en"] for row in _table("entities.tsv")}
    with (DEMO / "facts.tsv").open(encoding="utf-8") as file:
        facts = [line.rstrip("\n").split("\t") for line in file if "\t" in line]
    rows = [
        (each[0].split()[0], each[1].split()[0], each[2].split()[0] if each[2].split() else "") for each in facts[1:]
    ]
    used = Counter(used for _, used, _ in rows)
    for subject, prop, value in rows:
        if prop == "P279":
            draft.add_superclass(item(subject), item(value))
    for row in _table("properties.tsv"):
        draft.add_property(
            Property(
                id=row["id"],
                iri=item(row["id"]),
                label=row["en"],
                description=row["description_en"],
                aliases=tuple(each for each in row["aliases_en"].split(";") if each),
                kind=_KINDS.get(row["datatype"], row["datatype"].lower()),
                domain=_side(row, "subject"),
                range=_side(row, "value"),
                inverse=row["inverse"] or None,
                usage=used[row["id"]],
            )
        )
    if evidence:
        _count(draft, rows)
    for iri in list(draft.classes()):
        local = iri.removeprefix(ENTITY)
        draft.add_class(ClassInfo(iri=iri, id=local, label=labels.get(local, "")))
    return draft


def _count(draft: Draft, rows: list[tuple[str, str, str]]) -> None:
    types: dict[str, set[str]] = {}
    for subject, prop, value in rows:
        if prop == "P31":
            types.setdefault(subject, set()).add(value)
    instances = Counter(cls for classes in types.values() for cls in classes)
    pairs = {(subject, prop) for subject, prop, _ in rows}
    having = Counter((cls, prop) for subject, prop in pairs for cls in types.get(subject, ()))
    for cls, count in instances.items():
        draft.add_instances(item(cls), count)
    for (cls, prop), count in having.items():
        draft.add_evidence(item(cls), item(prop), count)


@lru_cache
def demo_index() -> Index:
    """Return the index of the demo graph, in memory."""
    return demo_draft().index()


@lru_cache
def bare_index() -> Index:
    """Return the same without the table of evidence."""
    return demo_draft(evidence=False).index()
