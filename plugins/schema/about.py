"""What the graph says of one constant: its types, its own superclasses, a label, and the properties that it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plugins.schema.fit import Entity
from plugins.schema.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is known of a constant.

    Shapes: ``types`` are its own classes, ``superclasses`` those above it where it is a class itself.
    Units: ``asked`` is the moment of the facts' clock at which the endpoint was asked.
    """

    iri: str
    asked: float = 0.0
    label: str = ""
    types: tuple[str, ...] = ()
    superclasses: tuple[str, ...] = ()
    present: frozenset[str] = frozenset()

    @property
    def entity(self) -> Entity:
        """The constant as `fit` takes it: types and own superclasses together."""
        return Entity(iri=self.iri, classes=(*self.types, *self.superclasses), present=self.present)


class Rows:
    """Gather the rows that a look-up has about one constant."""

    def __init__(self) -> None:
        self._classes: dict[str, dict[str, None]] = {"types": {}, "superclasses": {}}
        self._present: set[str] = set()
        self._label = ""

    def add(self, row: Mapping[str, Any], vocabulary: Vocabulary) -> None:
        """Take one row: a property alone, or with a class or a label behind it."""
        used, value = row["p"]["value"], row.get("c")
        if value is None:
            self._present.add(used)
        elif used in vocabulary.labels:
            self._label = self._label or str(value["value"])
        elif value["type"] == "uri":
            kind = "types" if used in vocabulary.types else "superclasses"
            self._classes[kind][value["value"]] = None

    def about(self, iri: str, asked: float) -> About:
        """Return what the rows say."""
        return About(
            iri=iri,
            asked=asked,
            label=self._label,
            types=tuple(self._classes["types"]),
            superclasses=tuple(self._classes["superclasses"]),
            present=frozenset(self._present),
        )


def weight(about: About) -> int:
    """Return about how many bytes it takes."""
    return 600 + len(about.label) + 150 * (len(about.types) + len(about.superclasses) + len(about.present))
