"""A schema while it is being built, and the file that comes of it."""

from __future__ import annotations

import datetime
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from plugins.schema import container
from plugins.schema.hierarchy import pack_hierarchy, reaching
from plugins.schema.index import Index
from plugins.schema.model import ClassInfo, GraphKind, Property
from plugins.schema.names import pack_lists, pack_names, pack_texts
from plugins.schema.records import encode_property
from plugins.schema.words import fold, words


class Draft:
    """Collect classes, properties and counts in any order; `write` makes the file.

    Shapes: ``namespaces`` is from namespace to what stands before the local part in an id; ``variants`` from
    namespace to role, for graphs with a statement model; ``roots`` are the classes at the top.
    """

    def __init__(
        self, graph: GraphKind, namespaces: Mapping[str, str], variants: Mapping[str, str] | None = None
    ) -> None:
        self.graph = graph
        self.namespaces = dict(namespaces)
        self.variants = dict(variants or {})
        self.roots: set[str] = set()
        self.properties: dict[str, Property] = {}
        # Dates of the parts in ISO form where they are not that of the build: `constraints`, `hierarchy`.
        self.dates: dict[str, str] = {}
        self.notes: list[str] = []
        self._numbers: dict[str, int] = {}
        self._infos: dict[int, ClassInfo] = {}
        self._below, self._above = array("I"), array("I")
        self._ancestors: dict[int, list[int]] = {}
        self._instances: dict[int, int] = {}
        self._evidence: dict[tuple[int, str], int] = {}

    @property
    def counted(self) -> bool:
        """Whether instances were counted, or said to be counted."""
        return bool(self._instances)

    def number(self, iri: str) -> int:
        """Return the number of a class; a new one gets the next."""
        return self._numbers.setdefault(iri, len(self._numbers))

    def add_class(self, info: ClassInfo) -> None:
        """Add a class with its texts; the last texts hold."""
        self._infos[self.number(info.iri)] = info

    def add_superclass(self, iri: str, above: str) -> None:
        """Add an edge of the hierarchy."""
        self._below.append(self.number(iri))
        self._above.append(self.number(above))

    def add_ancestors(self, iri: str, above: Iterable[str]) -> None:
        """Add what is known to be above a class, from a source that does not say by which path."""
        self._ancestors.setdefault(self.number(iri), []).extend(self.number(each) for each in above)

    def add_property(self, record: Property) -> None:
        """Add a property, or put another record in its place. Its classes become classes of the index."""
        self.properties[record.iri] = record
        for side in (record.domain, record.range):
            for iri in side.classes if side else ():
                self.number(iri)

    def add_instances(self, iri: str, count: int) -> None:
        """Say how many instances a class has; from then on a pair that is not counted is 0."""
        self._instances[self.number(iri)] = count

    def add_evidence(self, iri: str, property_iri: str, count: int) -> None:
        """Say how many instances of a class have a property."""
        self._evidence[self.number(iri), property_iri] = count

    def classes(self) -> Iterable[str]:
        """Return the IRIs of all classes so far, in the order of their numbers."""
        return self._numbers.keys()

    def has_text(self, iri: str) -> bool:
        """Whether a class has its texts already."""
        number = self._numbers.get(iri)
        return number is not None and number in self._infos

    def index(self) -> Index:
        """Return the index in memory, as a file of it would be opened."""
        data = b"".join(self._parts())
        return Index(container.Container(memoryview(data), "an index in memory"))

    def write(self, path: Path) -> None:
        """Write the file as a whole or not at all. Raises ConfigError."""
        container.write(path, self._parts())

    def fill_gaps(self) -> None:
        """Let ancestors of unknown paths stand in for superclasses where these reach no root.

        Joined to every class they would hide conflicts; left out, half of the classes in constraints are not known.
        """
        known = reaching(self._root_numbers(), self._parents())
        for number, above in self._ancestors.items():
            if not known[number]:
                self._below.extend([number] * len(above))
                self._above.extend(above)
        self._ancestors = {}

    def join_ancestors(self) -> None:
        """Take all ancestors for superclasses: fewer conflicts, true and false ones."""
        for number, above in self._ancestors.items():
            self._below.extend([number] * len(above))
            self._above.extend(above)
        self._ancestors = {}

    def _root_numbers(self) -> list[int]:
        return [self._numbers[iri] for iri in sorted(self.roots) if iri in self._numbers]

    def _parents(self) -> list[list[int]]:
        parents: list[list[int]] = [[] for _ in self._numbers]
        for below, above in zip(self._below, self._above, strict=True):
            if below != above:
                parents[below].append(above)
        return [list(dict.fromkeys(each)) if len(each) > 1 else each for each in parents]

    def _parts(self) -> list[bytes | bytearray | memoryview]:
        for root in self.roots:
            self.number(root)
        records = sorted(self.properties.values(), key=lambda record: record.iri)
        parents = self._parents()
        flags = reaching(self._root_numbers(), parents)
        sections = {
            **pack_hierarchy(list(self._numbers), parents, flags),
            **pack_texts("class_texts", self._class_texts()),
            **_pack_properties(records),
            **_pack_words(records),
            **self._pack_evidence(records),
        }
        return container.pack(self._meta(records, parents, flags), sections)

    def _class_texts(self) -> Iterable[str]:
        for number in range(len(self._numbers)):
            info = self._infos.get(number)
            parts = (info.label, info.description, "m" if info.mediator else "") if info else ()
            yield "\0".join(part.replace("\0", " ") for part in parts).rstrip("\0")

    def _meta(self, records: list[Property], parents: list[list[int]], flags: bytearray) -> dict[str, object]:
        counts = {
            "properties": len(records),
            "with_domain": sum(_declared(record, "domain") for record in records),
            "with_range": sum(_declared(record, "range") for record in records),
            "with_induced_side": sum(_induced(record) for record in records),
            "classes": len(self._numbers),
            "known_classes": sum(flags),
            "superclass_edges": sum(map(len, parents)),
            "evidence_classes": len(self._instances),
            "evidence_pairs": len(self._evidence),
        }
        return {
            "graph": self.graph,
            "built": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "dates": self.dates,
            "namespaces": self.namespaces,
            "variants": self.variants,
            "roots": sorted(self.roots),
            "counts": counts,
            "notes": self.notes,
        }

    def _pack_evidence(self, records: list[Property]) -> dict[str, list[bytes]]:
        numbers = {record.iri: number for number, record in enumerate(records)}
        rows = sorted(
            (number << 32 | numbers[iri], count) for (number, iri), count in self._evidence.items() if iri in numbers
        )
        instances = array("I", (min(self._instances.get(n, 0), 2**32 - 1) for n in range(len(self._numbers))))
        return {
            "evidence.pairs": [array("Q", (pair for pair, _ in rows)).tobytes()],
            "evidence.counts": [array("I", (min(count, 2**32 - 1) for _, count in rows)).tobytes()],
            "evidence.instances": [instances.tobytes()],
        }


def _declared(record: Property, side: Literal["domain", "range"]) -> bool:
    found = record.domain if side == "domain" else record.range
    return found is not None and found.source == "declared"


def _induced(record: Property) -> bool:
    return any(side is not None and side.source == "induced" for side in (record.domain, record.range))


def _pack_properties(records: list[Property]) -> dict[str, list[bytes]]:
    names: dict[str, int] = {}
    for number, record in enumerate(records):
        names[record.iri] = number
    for number, record in enumerate(records):
        names.setdefault(record.id, number)
    return {
        **pack_names("property_names", list(names)),
        "property_numbers": [array("I", names.values()).tobytes()],
        **pack_texts("properties", map(encode_property, records)),
        "usage": [array("Q", (record.usage for record in records)).tobytes()],
    }


def _pack_words(records: list[Property]) -> dict[str, list[bytes]]:
    """Return the look-up by text: each word, and after `=` each label, after `~` each alias as a whole."""
    found: dict[str, dict[int, None]] = {}
    for number, record in enumerate(records):
        labels = {record.label, *record.labels.values()} - {""}
        keys = {f"={fold(label)}" for label in labels} | {f"~{fold(alias)}" for alias in record.aliases}
        keys.update(word for text in (*labels, *record.aliases) for word in words(text))
        for key in sorted(keys):
            found.setdefault(key, {})[number] = None
    return {**pack_names("words", list(found)), **pack_lists("word_lists", map(list, found.values()))}
