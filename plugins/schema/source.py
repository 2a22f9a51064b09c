"""What `fit` and the guard ask of a schema: the index file has it, and so has a small one in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from plugins.schema.model import ClassInfo, Property, Role
from plugins.schema.trigrams import Trigrams


class Hierarchy(Protocol):
    """Classes, and what is above them."""

    def number(self, iri: str) -> int | None:
        """Return the number of a class, or None."""

    def up(self, iri: str) -> frozenset[int]:
        """Return the class and all its superclasses, as numbers; nothing for a class that nobody knows."""

    def known(self, iri: str) -> bool:
        """Whether a path from the class reaches a root."""

    def is_under(self, iri: str, above: str) -> bool:
        """Whether a class is another one or below it."""


class Schema(Protocol):
    """Properties and classes of one graph; ``trigrams`` are those of the labels of its properties."""

    graph: str
    trigrams: Trigrams

    @property
    def hierarchy(self) -> Hierarchy:
        """The class hierarchy, of the same snapshot as the constraints."""

    def property(self, name: str) -> Property | None:
        """Return a property by id or IRI."""

    def role_of(self, iri: str) -> tuple[Property, Role] | None:
        """Return the property that an IRI is a variant of, and which variant."""

    def class_info(self, name: str) -> ClassInfo | None:
        """Return a class by id or IRI."""

    def evidence(self, class_iri: str, property_id: str) -> tuple[int, int] | None:
        """Return how many instances of a class have a property, and how many there are; None without a table."""

    def parts_apart(self) -> bool:
        """Whether hierarchy and constraints are more than a year apart, so that a conflict may only warn."""

    def find(self, text: str) -> Sequence[Property]:
        """Return the properties whose label or alias is close to a text, the closest first."""

    def typical(self, class_iri: str) -> Iterator[tuple[Property, int]]:
        """Yield the properties that instances of a class were seen with, and how many instances have each."""
