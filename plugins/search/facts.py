"""Triples, turned into what is known of entities and properties."""

from __future__ import annotations

from plugins.search.gather import Gather
from plugins.search.profile import Reading


class Facts:
    """Read triples of a graph into a gather. ``texts`` are the predicates of names and descriptions."""

    def __init__(self, gather: Gather, reading: Reading) -> None:
        self._gather = gather
        self._reading = reading
        self.texts = reading.texts

    def add_text(self, subject: str, predicate: str, text: str, language: str) -> None:
        """Read a literal that names or describes something."""
        reading = self._reading
        if not reading.is_thing(subject) or not text.strip():
            return
        draft = self._gather.of(subject)
        if predicate in reading.labels:
            draft.add_name(language, text, alias=False)
        elif predicate in reading.aliases:
            draft.add_name(language, text, alias=True)
        elif predicate in reading.descriptions:
            draft.add_description(language, text)

    def add_literal(self, subject: str, predicate: str, text: str) -> None:
        """Read a triple with any other literal."""
        if predicate == self._reading.profile.sitelinks:
            self.add_sitelinks(subject, text)
            return
        self.add_triples(subject, 1)
        self.add_usage(predicate, 1)

    def add_link(self, subject: str, predicate: str, target: str) -> None:
        """Read a triple between two IRIs."""
        self.add_kind(subject, predicate, target)
        self.add_triples(subject, 1)
        self.add_triples(target, 1)
        self.add_usage(predicate, 1)

    def add_kind(self, subject: str, predicate: str, target: str) -> None:
        """Note what a triple says about classes and properties."""
        reading, of = self._reading, self._gather.of
        if target in reading.property_types and reading.is_thing(subject):
            of(subject).is_property = True
        elif target in reading.class_types and reading.is_thing(subject):
            of(subject).is_class = True
        elif predicate in reading.types:
            if reading.is_thing(subject):
                of(subject).types[target] = None
            if reading.is_thing(target):
                of(target).is_class = True
        elif predicate in reading.superclasses:
            for each in (subject, target):
                if reading.is_thing(each):
                    of(each).is_class = True

    def add_triples(self, iri: str, count: int) -> None:
        """Count triples of an entity."""
        if self._reading.is_thing(iri):
            self._gather.of(iri).triples += count

    def add_sitelinks(self, iri: str, text: str) -> None:
        """Note how many pages of Wikimedia an entity has."""
        if self._reading.is_thing(iri) and text.isascii() and text.isdigit():
            self._gather.of(iri).sitelinks = int(text)

    def add_usage(self, predicate: str, count: int) -> None:
        """Count triples of a property."""
        found = self._reading.property_of(predicate)
        if found is not None:
            self._gather.of(found).usage += count
