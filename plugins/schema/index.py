"""The schema index: one read-only file, mapped into memory, that all workers share."""

from __future__ import annotations

import datetime
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Self

from plugins.schema.container import Container, IndexDamaged, open_container
from plugins.schema.hierarchy import CLOSURE_BYTES, Hierarchy
from plugins.schema.model import ClassInfo, Property, Role
from plugins.schema.names import Lists, Names, Texts
from plugins.schema.records import decode_property
from plugins.schema.shorthand import expansions, shorten
from plugins.schema.trigrams import Trigrams
from plugins.schema.words import fold, words

__all__ = ["Index", "IndexDamaged"]

_RECORDS_KEPT = 8192
_MOST_FOUND = 50
# A graph's constraints change: what is older than this may accuse what is right by now.
MAX_AGE_DAYS = 365.0
# Hierarchy and constraints further apart than this cannot accuse: classes were moved in between.
_APART = datetime.timedelta(days=366)


class Index:
    """What a graph declares about its properties and classes.

    Shapes: ``graph`` is the profile's name; ``counts`` are those of the build; ``dates`` says of a part (`constraints`,
    `hierarchy`) of which day its data is, where that is not the day of the build; ``notes`` are what the builder found
    odd, one sentence each; ``trigrams`` find labels that look alike.
    """

    def __init__(self, container: Container, closure_bytes: int = CLOSURE_BYTES) -> None:
        """Look at a checked file; nothing is read yet. Raises IndexDamaged."""
        self._container = container
        self._decoded = decode_property
        meta = container.meta
        self.graph: str = meta["graph"]
        self.built = datetime.datetime.fromisoformat(meta["built"])
        self.counts: Mapping[str, int] = meta["counts"]
        self.notes: tuple[str, ...] = tuple(meta["notes"])
        self.roots: tuple[str, ...] = tuple(meta["roots"])
        self.dates = {part: datetime.date.fromisoformat(day) for part, day in meta["dates"].items()}
        self.hierarchy = Hierarchy(container, closure_bytes)
        self._namespaces: dict[str, str] = meta["namespaces"]
        self._variants: dict[str, Role] = meta["variants"]
        self._class_texts = Texts(container, "class_texts")
        self._names = Names(container, "property_names")
        self._numbers = container.numbers("property_numbers", "I")
        self._records = Texts(container, "properties")
        self._usage = container.numbers("usage", "Q")
        self._words = Names(container, "words")
        self._word_lists = Lists(container, "word_lists")
        self._pairs = container.numbers("evidence.pairs", "Q")
        self._pair_counts = container.numbers("evidence.counts", "I")
        self._instances = container.numbers("evidence.instances", "I")
        self.trigrams = Trigrams(self.properties())
        self._record = lru_cache(_RECORDS_KEPT)(lambda number: decode_property(self._records[number]))

    @classmethod
    def open(cls, path: Path, closure_bytes: int = CLOSURE_BYTES) -> Self:
        """Map the file of an index and check it. Raises IndexDamaged, whose text says what to do."""
        return cls(open_container(path), closure_bytes)

    def close(self) -> None:
        """Let go of the file. The index cannot be used any more."""
        self._container.close()

    def aged(self, most_days: float, now: datetime.datetime) -> str:
        """Say of which day an index is that was built more than so many days ago; nothing of a newer one."""
        old = now - self.built > datetime.timedelta(days=most_days)
        return f"the schema index is of {self.built:%Y-%m-%d}, more than {most_days:g} days old" if old else ""

    def parts_apart(self) -> bool:
        """Whether hierarchy and constraints are more than a year apart, so that a conflict may only warn."""
        day = self.built.date()
        return abs(self.dates.get("constraints", day) - self.dates.get("hierarchy", day)) > _APART

    def property(self, name: str) -> Property | None:
        """Return a property by its id, its IRI, or the IRI of any of its variants."""
        found = self._number(name)
        if found is None:
            found = self._variant(name)[0]
        return None if found is None else self._record(found)

    def role_of(self, iri: str) -> tuple[Property, Role] | None:
        """Return the property of an IRI, and which of its variants the IRI is."""
        number, role = self._variant(iri)
        if number is None and not self._variants:
            number, role = self._number(iri), "direct"
            if number is not None and self._record(number).iri != iri:
                return None
        return None if number is None else (self._record(number), role)

    def covering(self, share: float, seed: int) -> Self:
        """Return this index with domain and range of only a share of its properties, drawn by a seed.

        What a smaller share knows, a greater one knows too. Source: SAGA, Table 6.
        """
        made = copy(self)
        made._decoded = lambda text: _undeclared(decode_property(text), share, seed)
        made._record = lru_cache(_RECORDS_KEPT)(lambda number: made._decoded(made._records[number]))
        return made

    def class_info(self, name: str) -> ClassInfo | None:
        """Return a class by its id or its IRI."""
        for iri in expansions(name, self._namespaces):
            number = self.hierarchy.number(iri)
            if number is not None:
                return self._class(number)
        return None

    def evidence(self, class_iri: str, property_id: str) -> tuple[int, int] | None:
        """Return how many instances of a class have a property, and how many instances it has.

        None where the builder did not count the class. Instances of its subclasses are not among them.
        """
        class_number, number = self.hierarchy.number(class_iri), self._number(property_id)
        if class_number is None or number is None or not self._instances[class_number]:
            return None
        pair = class_number << 32 | number
        place = bisect_left(self._pairs, pair)
        found = place < len(self._pairs) and self._pairs[place] == pair
        return (self._pair_counts[place] if found else 0), self._instances[class_number]

    def typical(self, class_iri: str) -> Iterator[tuple[Property, int]]:
        """Yield the properties that instances of a class were seen with, and how many instances have each."""
        class_number = self.hierarchy.number(class_iri)
        if class_number is None:
            return
        place = bisect_left(self._pairs, class_number << 32)
        while place < len(self._pairs) and self._pairs[place] >> 32 == class_number:
            yield self._record(self._pairs[place] & 0xFFFFFFFF), self._pair_counts[place]
            place += 1

    def find(self, text: str, limit: int = _MOST_FOUND) -> list[Property]:
        """Return properties by id, label, alias, or all their words: in this order, the more used ones first."""
        phrase = fold(text)
        direct = self._number(text.strip())
        found = dict.fromkeys([] if direct is None else [direct])
        for numbers in (self._listed(f"={phrase}"), self._listed(f"~{phrase}"), self._with_all(words(text))):
            found.update(dict.fromkeys(sorted(numbers, key=self._usage.__getitem__, reverse=True)))
        return [self._record(number) for number in list(found)[:limit]]

    def properties(self) -> Iterator[Property]:
        """Yield all properties, in the order of their IRIs."""
        return map(self._decoded, self._records)

    def classes(self) -> Iterator[ClassInfo]:
        """Yield all classes."""
        return map(self._class, range(len(self.hierarchy)))

    def _class(self, number: int) -> ClassInfo:
        iri = self.hierarchy.iri(number)
        label, _, rest = self._class_texts[number].partition("\0")
        description, _, mark = rest.partition("\0")
        short = shorten(iri, self._namespaces)
        return ClassInfo(iri=iri, id=short, label=label, description=description, mediator=mark == "m")

    def _number(self, name: str) -> int | None:
        place = self._names.number(name)
        return None if place is None else self._numbers[place]

    def _variant(self, iri: str) -> tuple[int | None, Role]:
        space, slash, local = iri.rpartition("/")
        role = self._variants.get(space + slash)
        if role is None:
            return None, "direct"
        number = self._number(local)
        if number is not None and self._record(number).id != local:
            number = None
        return number, role

    def _listed(self, key: str) -> set[int]:
        place = self._words.number(key)
        return set() if place is None else set(self._word_lists[place])

    def _with_all(self, wanted: list[str]) -> set[int]:
        lists = sorted((self._listed(word) for word in dict.fromkeys(wanted)), key=len)
        return set.intersection(*lists) if lists else set()


def _undeclared(record: Property, share: float, seed: int) -> Property:
    """Return a property as it is where it is among the share, else without domain and range."""
    if Random(f"{seed} {record.id}").random() < share:
        return record
    return replace(record, domain=None, range=None)
