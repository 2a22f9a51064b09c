"""Whether a property fits what it is used on: one of four answers, never two. Pure.

Source: specs/guard.md section 2; the numbers behind each rule are in specs/guard_numbers.md sections 3 and 8.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from plugins.schema.model import Property, Side
from plugins.schema.source import Schema

# So many of a class's other instances that have a property are evidence that it may have it.
# Source: guard_numbers.md section 8, row "evidence".
EVIDENCE_SHARE = 0.001


class Answer(StrEnum):
    """FITS and CONFLICTS are sure, DOUBTFUL lacks a path to the root, UNKNOWN says nothing."""

    FITS = "fits"
    CONFLICTS = "conflicts"
    DOUBTFUL = "doubtful"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A constant: its IRI, and as classes its types and its own superclasses together.

    Shapes: ``present`` are the IRIs of the properties that it has, None where nobody looked.
    """

    iri: str
    classes: tuple[str, ...]
    present: frozenset[str] | None = None

    def has(self, iri: str) -> bool:
        """Whether it is known to have a property, under this IRI."""
        return self.present is not None and iri in self.present


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A variable whose type patterns name these classes. ``soft``: not patterns but the range of another property."""

    classes: tuple[str, ...]
    soft: bool = False


Subject = Entity | Typed


def fit(schema: Schema, prop: Property, side: Side | None, subject: Subject, *, used: str = "") -> Answer:
    """Say whether a subject fits a side of a property.

    ``side`` is the domain for what stands before the property, the range for what stands behind it. ``used`` is the
    IRI under which the query uses the property, to leave the subject itself out of the evidence.

    Example:
        >>> fit(schema, date_of_birth, date_of_birth.domain, Entity(iri=FRANCE, classes=(COUNTRY,)))
        <Answer.CONFLICTS: 'conflicts'>
    """
    if side is None or side.source != "declared" or side.status == "suggestion" or not side.classes:
        return Answer.UNKNOWN
    if not subject.classes or _excepted(side, subject):
        return Answer.UNKNOWN
    if schema.graph == "freebase":
        return _freebase(schema, side, subject)
    if _fits(schema, side, subject):
        return Answer.FITS
    if _evident(schema, prop, side, subject, used):
        return Answer.UNKNOWN
    return Answer.CONFLICTS if _known(schema, side, subject) else Answer.DOUBTFUL


def strict(side: Side | None, types: Iterable[str]) -> bool:
    """Say whether the paper's rule keeps a property: no hierarchy, a declared domain must share a type.

    Source: guard.md section 2, `strict` mode.
    """
    if side is None or side.source != "declared" or not side.classes:
        return True
    given = set(types)
    return not given or not given.isdisjoint(side.classes)


def _excepted(side: Side, subject: Subject) -> bool:
    return isinstance(subject, Entity) and subject.iri in side.exceptions


def _fits(schema: Schema, side: Side, subject: Subject) -> bool:
    """A declared class is above one of the subject's; for a variable also below it."""
    is_under = schema.hierarchy.is_under
    declared = frozenset(side.classes)
    if not declared.isdisjoint(subject.classes):
        return True
    numbers = _numbers(schema, side.classes)
    for cls in subject.classes:
        if not numbers.isdisjoint(schema.hierarchy.up(cls)):
            return True
    if isinstance(subject, Typed):
        # An instance of C may well be of a subclass that is in the domain.
        return any(is_under(each, cls) for cls in subject.classes for each in side.classes)
    return False


def _numbers(schema: Schema, classes: Iterable[str]) -> frozenset[int]:
    found = (schema.hierarchy.number(each) for each in classes)
    return frozenset(number for number in found if number is not None)


def _known(schema: Schema, side: Side, subject: Subject) -> bool:
    known = schema.hierarchy.known
    if not all(map(known, subject.classes)):
        return False
    # Upwards from an entity nothing below the domain counts; downwards from a class of a variable it does.
    return isinstance(subject, Entity) or all(map(known, side.classes))


def _evident(schema: Schema, prop: Property, side: Side, subject: Subject, used: str) -> bool:
    """Enough of the other instances of one of the classes have the property. Counted for subjects only."""
    if side is not prop.domain:
        return False
    for cls in subject.classes:
        counts = schema.evidence(cls, prop.id)
        if counts is not None and _share(subject, *counts, used) >= EVIDENCE_SHARE:
            return True
    return False


def _share(subject: Subject, having: int, instances: int, used: str) -> float:
    """Return the share among the other instances: evidence must not be the subject itself."""
    if isinstance(subject, Entity):
        instances -= 1
        having -= subject.has(used)
    return having / instances if instances > 0 and having > 0 else 0.0


def _freebase(schema: Schema, side: Side, subject: Subject) -> Answer:
    """Compare types that exclude nothing: only a mediator or primitive against another type conflicts.

    Source: guard_numbers.md section 7; `included_types` say what a type brings along.
    """
    if _fits(schema, side, subject):
        return Answer.FITS
    declared = [schema.class_info(each) for each in side.classes]
    given = [schema.class_info(each) for each in subject.classes]
    if any(all(each is not None and each.mediator for each in classes) for classes in (declared, given)):
        return Answer.CONFLICTS if None not in (*declared, *given) else Answer.UNKNOWN
    return Answer.UNKNOWN
