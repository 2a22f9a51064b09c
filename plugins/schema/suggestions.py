"""What to use instead of a property: those that fit the subject and are close in meaning, the best three.

Source: guard_numbers.md section 6: label + usage + typicality + fit + kind + present on the entity. A misfit goes down
the list, it is not taken out of the running by a rule that could be wrong; but it is not shown as advice either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from plugins.schema.case import named
from plugins.schema.findings import MOST_SUGGESTIONS, Suggestion
from plugins.schema.fit import Answer, Subject, fit
from plugins.schema.model import Property
from plugins.schema.source import Schema
from plugins.schema.words import stems

_MOST_CANDIDATES = 400
_TEXTS_KEPT = 32_768
_MOST_WORDS = 8
_PRESENT, _FITS, _MISFIT, _KIND, _INVERSE = 6.0, 1.5, -3.0, 2.0, 2.0
# A name shares so much with the property's, or the candidate is on the entity and of the same kind: else no advice.
_CLOSE = 0.35
_ALIASES_ONLY = 0.6
_A_KIND = {"time": "a date", "quantity": "a number", "item": "an item", "string": "a text", "coordinate": "a place"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is looked for: a property in place of one, on a subject, of which some properties are known to be there."""

    property: Property
    subject: Subject | None = None
    present: frozenset[str] = frozenset()


def suggestions(schema: Schema, wanted: Wanted) -> tuple[Suggestion, ...]:
    """Return the best three; fewer, or none, where nothing is close."""
    present = {found[0].id: found[0] for iri in wanted.present if (found := schema.role_of(iri))}
    typical = _typical(schema, wanted.subject)
    near = (*present.values(), *(each[0] for each in typical.values()))
    scored = []
    for candidate in _candidates(schema, wanted.property, near):
        here, share = candidate.id in present, typical[candidate.id][1] if candidate.id in typical else 0.0
        rated = _scored(schema, wanted, candidate, here, share)
        if rated is not None:
            scored.append((-rated[0], candidate.id, rated[1]))
    scored.sort(key=lambda each: each[:2])
    return tuple(each[2] for each in scored[:MOST_SUGGESTIONS])


def _scored(
    schema: Schema, wanted: Wanted, candidate: Property, here: bool, share: float
) -> tuple[float, Suggestion] | None:
    """Return a candidate with its score, None for one that is no advice."""
    close = closeness(wanted.property, candidate)
    same = bool(candidate.kind) and candidate.kind == wanted.property.kind
    if close < _CLOSE and not (here and same and candidate.kind != "item"):
        return None
    answer = Answer.UNKNOWN
    if wanted.subject is not None:
        answer = fit(schema, candidate, candidate.domain, wanted.subject)
    if answer is Answer.CONFLICTS:
        return None
    score = 6 * close + 4 * math.log10(1 + candidate.usage) / 7 + 2 * math.sqrt(share)
    score += _FITS * (answer is Answer.FITS) + _MISFIT * (answer is Answer.DOUBTFUL) + _KIND * same
    score += _PRESENT * here + _INVERSE * (candidate.id == wanted.property.inverse)
    return score, Suggestion(name=named(candidate), why=_why(candidate, answer, here, same))


def closeness(one: Property, other: Property) -> float:
    """Return how much two properties share in label, aliases and description, from 0 to 1.

    Two aliases that share a word say less than a label does.
    """
    ours, theirs = _names(one), _names(other)
    best = 0.0
    for mine in range(len(ours)):
        for yours in range(len(theirs)):
            weight = _ALIASES_ONLY if mine and yours else 1.0
            best = max(best, weight * _overlap(ours[mine], theirs[yours]))
    return max(best, 0.7 * _overlap(_content(one.description), _content(other.description)))


def _names(prop: Property) -> list[frozenset[str]]:
    """Return the words of the label, then those of each alias."""
    return [_content(text) for text in (prop.label, *prop.aliases[:_MOST_WORDS])]


# Words that join others and mean nothing alone; any list of them would do.
_JOINING = frozenset(stems("a an the of in at on by to for from with which that is was are or and as it its"))


@lru_cache(maxsize=_TEXTS_KEPT)
def _content(text: str) -> frozenset[str]:
    return frozenset(stems(text)) - _JOINING


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Dice's coefficient."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _typical(schema: Schema, subject: Subject | None) -> dict[str, tuple[Property, float]]:
    """Return the properties seen on instances of the subject's classes, with the share of instances."""
    found: dict[str, tuple[Property, float]] = {}
    for cls in subject.classes[:_MOST_WORDS] if subject else ():
        for prop, count in schema.typical(cls):
            counts = schema.evidence(cls, prop.id)
            share = min(1.0, count / counts[1]) if counts and counts[1] else 0.0
            if prop.id not in found or found[prop.id][1] < share:
                found[prop.id] = (prop, share)
            if len(found) >= _MOST_CANDIDATES:
                return found
    return found


def _candidates(schema: Schema, prop: Property, near: Iterable[Property]) -> Iterator[Property]:
    """Yield what may be meant instead, each once: what is near, and what shares a name or a word."""
    seen = {prop.id}
    words = list(dict.fromkeys(word for text in (prop.label, *prop.aliases[:4]) for word in text.split()))[:_MOST_WORDS]
    inverse = schema.property(prop.inverse) if prop.inverse else None
    pools: list[Iterable[Property]] = [near, [inverse] if inverse else [], *(schema.find(word) for word in words)]
    for pool in pools:
        for each in pool:
            if each.id in seen or (each.kind == "external-id" and prop.kind != "external-id"):
                continue
            seen.add(each.id)
            yield each
            if len(seen) > _MOST_CANDIDATES:
                return


def _why(candidate: Property, answer: Answer, here: bool, same: bool) -> str:
    place = "on this entity" if here else "fits" if answer is Answer.FITS else "close in name"
    kind = _A_KIND.get(candidate.kind, "")
    return f"{place}, also {kind}" if same and kind else place
