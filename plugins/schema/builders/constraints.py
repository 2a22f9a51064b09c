"""One constraint statement of a Wikidata property, and the side that several of them make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from plugins.schema.model import Relation, Side, Status

_WD = "http://www.wikidata.org/entity/"
SUBJECT_TYPE = f"{_WD}Q21503250"
VALUE_TYPE = f"{_WD}Q21510865"
ALLOWED_QUALIFIERS = f"{_WD}Q21510851"
_RELATIONS: dict[str, Relation] = {
    f"{_WD}Q21503252": "instance",
    f"{_WD}Q21514624": "subclass",
    f"{_WD}Q30208840": "either",
}
_STATUSES: dict[str, Status] = {f"{_WD}Q21502408": "mandatory", f"{_WD}Q62026391": "suggestion"}
_STRENGTH: tuple[Status, ...] = ("mandatory", "normal", "suggestion")


@dataclass(slots=True, kw_only=True)
class Constraint:
    """What a P2302 statement says. ``kind`` is the constraint's item."""

    kind: str
    classes: dict[str, None] = field(default_factory=dict)
    exceptions: set[str] = field(default_factory=set)
    properties: set[str] = field(default_factory=set)
    relations: set[Relation] = field(default_factory=set)
    status: Status = "normal"

    def add(self, part: str, value: str) -> None:
        """Add a qualifier. Values that are no entities (unknown, none) say nothing."""
        if not value.startswith(_WD):
            return
        match part:
            case "P2308":
                self.classes[value] = None
            case "P2303":
                self.exceptions.add(value)
            case "P2306":
                self.properties.add(value)
            case "P2309" if value in _RELATIONS:
                self.relations.add(_RELATIONS[value])
            case "P2316":
                self.status = _STATUSES.get(value, self.status)


def side(constraints: Iterable[Constraint], kind: str) -> Side | None:
    """Join the constraints of a kind: what fits one of them fits, since a false conflict is worse than a missed one.

    The strongest status holds: an entity that fits none of them breaks that one too.
    """
    found = [each for each in constraints if each.kind == kind and each.classes]
    if not found:
        return None
    classes = {iri: None for each in found for iri in each.classes}
    relations = {relation for each in found for relation in each.relations} or {"instance"}
    return Side(
        classes=tuple(sorted(classes, key=lambda iri: (len(iri), iri))),
        relation=relations.pop() if len(relations) == 1 else "either",
        status=min((each.status for each in found), key=_STRENGTH.index),
        exceptions=frozenset().union(*(each.exceptions for each in found)),
    )
