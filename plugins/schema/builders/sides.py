"""Domains and ranges as they are collected from several vocabularies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from rdflib import URIRef

from plugins.schema.builders.expressions import is_datatype
from plugins.schema.builders.induced import LEAST_SHARE, MOST_CLASSES
from plugins.schema.model import Side

Where = Literal["domain", "range"]


class Sides:
    """What each property was said to be for. Declared classes beat those of shapes, and these beat counted ones."""

    def __init__(self) -> None:
        self._declared: dict[tuple[URIRef, str], dict[str, None]] = defaultdict(dict)
        self._suggested: dict[tuple[URIRef, str], dict[str, None]] = defaultdict(dict)
        self._open: set[tuple[URIRef, str]] = set()
        self._suggested_open: set[tuple[URIRef, str]] = set()
        self._counted: dict[tuple[URIRef, str], dict[str, int]] = defaultdict(dict)
        self._datatypes: dict[URIRef, set[str]] = defaultdict(set)
        self._usage: dict[URIRef, int] = {}
        self._labels: dict[URIRef, str] = {}

    def declare(self, iri: URIRef, where: Where, classes: Iterable[str]) -> None:
        """Add declared classes; none at all means that anything may stand there, whatever others say."""
        listed = list(classes)
        if not listed:
            self._open.add((iri, where))
        self._declared[iri, where].update(self._things(iri, where, listed))

    def suggest(self, iri: URIRef, where: Where, classes: Iterable[str]) -> None:
        """Add what a shape says of the instances of one class: it forbids nothing to others."""
        listed = list(classes)
        if not listed:
            self._suggested_open.add((iri, where))
        self._suggested[iri, where].update(self._things(iri, where, listed))

    def _things(self, iri: URIRef, where: Where, listed: list[str]) -> dict[str, None]:
        if where == "range":
            self._datatypes[iri].update(each for each in listed if is_datatype(URIRef(each)))
        return {each: None for each in listed if not is_datatype(URIRef(each))}

    def count(self, iri: URIRef, where: Where, class_iri: str, count: int) -> None:
        """Add what was counted in the graph."""
        found = self._counted[iri, where]
        found[class_iri] = found.get(class_iri, 0) + count

    def use(self, iri: URIRef, count: int) -> None:
        """Add to the number of triples of a property."""
        self._usage[iri] = self._usage.get(iri, 0) + count

    def name(self, iri: URIRef, label: str) -> None:
        """Give a property a label where it has none of its own."""
        self._labels.setdefault(iri, label)

    def properties(self) -> set[URIRef]:
        """Return every property that something was said about."""
        return (
            {iri for iri, _ in (*self._declared, *self._suggested, *self._counted)}
            | self._usage.keys()
            | self._datatypes.keys()
        )

    def usage(self, iri: URIRef) -> int:
        """Return the number of triples, 0 where nobody counted."""
        return self._usage.get(iri, 0)

    def label(self, iri: URIRef) -> str:
        """Return a label that others gave."""
        return self._labels.get(iri, "")

    def datatypes(self, iri: URIRef) -> set[str]:
        """Return the declared kinds of literals."""
        return self._datatypes.get(iri, set())

    def side(self, iri: URIRef, where: Where) -> Side | None:
        """Return the side: declared classes, else those that were counted with a share of 15 % or more."""
        declared = self._declared.get((iri, where))
        if declared and (iri, where) not in self._open:
            return Side(classes=tuple(sorted(declared)))
        suggested = self._suggested.get((iri, where))
        if suggested and (iri, where) not in self._open | self._suggested_open:
            return Side(classes=tuple(sorted(suggested)), status="suggestion")
        counted = self._counted.get((iri, where), {})
        total = sum(counted.values())
        ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        chosen = [(each, count) for each, count in ranked if count >= LEAST_SHARE * total][:MOST_CLASSES]
        if not chosen or not total:
            return None
        share = round(sum(count for _, count in chosen) / total, 3)
        return Side(classes=tuple(each for each, _ in chosen), source="induced", support=total, share=share)
