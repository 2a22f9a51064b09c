"""What the index says of a property and of a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

Relation = Literal["instance", "subclass", "either"]
Status = Literal["mandatory", "normal", "suggestion"]
GraphKind = Literal["wikidata", "freebase", "rdf"]
SideSource = Literal["declared", "induced"]
# Which variant of a property an IRI is. Where a graph has no statement model every property is `direct`.
Role = Literal[
    "entity",
    "direct",
    "direct_normalized",
    "claim",
    "statement",
    "statement_value",
    "statement_normalized",
    "qualifier",
    "qualifier_value",
    "qualifier_normalized",
    "reference",
    "reference_value",
    "reference_normalized",
    "no_value",
]

GRAPHS: tuple[GraphKind, ...] = get_args(GraphKind)
RELATIONS: tuple[Relation, ...] = get_args(Relation)
STATUSES: tuple[Status, ...] = get_args(Status)
SIDE_SOURCES: tuple[SideSource, ...] = get_args(SideSource)
_EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The classes that one side of a property is for: its domain or its range.

    Shapes: ``classes`` and ``exceptions`` are IRIs; ``relation`` is how an entity must belong to a class; ``support``
    is the number of sampled pairs behind an induced side, 0 for a declared one; ``share`` is the part of them that
    the classes cover together.
    """

    classes: tuple[str, ...]
    relation: Relation = "instance"
    status: Status = "normal"
    exceptions: frozenset[str] = frozenset()
    source: SideSource = "declared"
    support: int = 0
    share: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One property of a graph.

    Shapes: ``iri`` is the canonical one, on Wikidata that of the entity; ``labels`` are by language; ``kind`` is one of
    item, property, lexeme, time, quantity, boolean, string, monolingualtext, external-id, url, coordinate, media, math,
    literal, other, or empty where the graph does not say; ``qualifiers`` are ids, ``inverse`` is an id; ``usage`` is
    the number of triples with it, 0 where nobody counted.
    """

    id: str
    iri: str
    label: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    description: str = ""
    aliases: tuple[str, ...] = ()
    kind: str = ""
    domain: Side | None = None
    range: Side | None = None
    qualifiers: tuple[str, ...] = ()
    inverse: str | None = None
    usage: int = 0

    @property
    def name(self) -> str:
        """The label, or the id where there is none."""
        return self.label or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassInfo:
    """One class of a graph. ``mediator``: its instances stand for facts, or are plain values, and never for things."""

    iri: str
    id: str
    label: str = ""
    description: str = ""
    mediator: bool = False

    @property
    def name(self) -> str:
        """The label, or the id where there is none."""
        return self.label or self.id
