"""What to use instead of a property: those that fit the subject and are close in meaning, the best three.

Source: guard_numbers.md section 6: label + usage + typicality + fit + kind + present on the entity. A label is close by
its words and by its trigrams, which rank better together. A misfit goes down the list, it is not taken out of the
running by a rule that could be wrong; but it is not shown as advice either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from cachetools import LRUCache

from plugins.schema.case import named
from plugins.schema.findings import MOST_SUGGESTIONS, Suggestion
from plugins.schema.fit import Answer, Entity, Subject, fit
from plugins.schema.model import Property
from plugins.schema.source import Schema
from plugins.schema.trigrams import label_trigrams
from plugins.schema.words import stems

_MOST_CANDIDATES = 400
_TEXTS_KEPT = 16_384
_ROLES_KEPT = 16_384
_NEAR_KEPT = 1_024
_UNSEEN = (None, 0.0)
_MOST_WORDS = 8
_PRESENT, _FITS, _MISFIT, _KIND, _INVERSE = 6.0, 1.5, -3.0, 2.0, 2.0
# A candidate shares so many words with the property, or trigrams of its label, or is on the entity and of the same
# kind: else it is no advice. Of two names drawn at random one pair in 33 shares such words, one in 125 such trigrams.
_CLOSE, _ALIKE = 0.35, 0.33
_MOST_ALIKE = 30
_ALIASES_ONLY = 0.6
_A_KIND = {"time": "a date", "quantity": "a number", "item": "an item", "string": "a text", "coordinate": "a place"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is looked for: a property in place of one, on a subject, of which some properties are known to be there."""

    property: Property
    subject: Subject | None = None
    present: frozenset[str] = frozenset()


class _Near(NamedTuple):
    """A property that may be meant instead, with all that does not depend on the single entity."""

    prop: Property
    close: float
    same: bool
    share: float
    answer: Answer

    @property
    def advisable(self) -> bool:
        """Whether it can become advice: close, or of the same kind, if it is on the entity."""
        return self.close > 0 or (self.same and self.prop.kind != "item")


class Adviser:
    """Say what to use instead, by one schema. What holds for all entities of the same classes is worked out once."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._role = lru_cache(_ROLES_KEPT)(schema.role_of)
        self._known: LRUCache[tuple[object, ...], dict[str, _Near]] = LRUCache(_NEAR_KEPT)

    def suggestions(self, wanted: Wanted) -> tuple[Suggestion, ...]:
        """Return the best three; fewer, or none, where nothing is close."""
        for _ in self.preparing(wanted):
            pass
        near = self._known.get(_key(wanted)) or {}
        present = {found[0].id: found[0] for iri in wanted.present if (found := self._role(iri))}
        others = (self._judged(wanted, each) for name, each in present.items() if name not in near)
        scored = []
        for each in (*near.values(), *filter(None, others)):
            rated = _scored(wanted, each, each.prop.id in present)
            if rated is not None:
                scored.append((-rated[0], each.prop.id, rated[1]))
        scored.sort(key=lambda each: each[:2])
        return tuple(each[2] for each in scored[:MOST_SUGGESTIONS])

    def preparing(self, wanted: Wanted) -> Iterator[None]:
        """Find what may be meant instead on entities of these classes, in short steps, so that others get a turn."""
        if _key(wanted) in self._known:
            return
        typical: dict[str, tuple[Property, float]] = {}
        for prop, share in _typical(self._schema, wanted.subject):
            typical[prop.id] = (prop, max(share, typical.get(prop.id, _UNSEEN)[1]))
            yield
        yield from self._schema.trigrams.growing()
        alike = yield from self._schema.trigrams.nearest(wanted.property.label, _ALIKE, _MOST_ALIKE)
        near: dict[str, _Near] = {}
        first = chain(filter(None, map(self._schema.property, alike)), (each for each, _ in typical.values()))
        for each in _candidates(self._schema, wanted.property, first):
            judged = self._judged(wanted, each, typical.get(each.id, _UNSEEN)[1])
            if judged is not None:
                near[each.id] = judged
            yield
        self._known[_key(wanted)] = near

    def _judged(self, wanted: Wanted, candidate: Property, share: float = 0.0) -> _Near | None:
        """Return a candidate as it is for every entity of these classes, None where it is no advice for any."""
        if _no_advice(wanted.property, candidate):
            return None
        same = bool(candidate.kind) and candidate.kind == wanted.property.kind
        near = _Near(candidate, _close(wanted.property, candidate), same, share, Answer.UNKNOWN)
        if not near.advisable:
            return None
        subject = wanted.subject
        if isinstance(subject, Entity):
            # Nobody in particular: no list of exceptions names it.
            subject = replace(subject, iri="")
        return (
            near if subject is None else near._replace(answer=fit(self._schema, candidate, candidate.domain, subject))
        )


def _key(wanted: Wanted) -> tuple[object, ...]:
    subject = wanted.subject
    return wanted.property.id, type(subject), subject.classes if subject else ()


def _no_advice(prop: Property, candidate: Property) -> bool:
    return candidate.id == prop.id or (candidate.kind == "external-id" and prop.kind != "external-id")


def _scored(wanted: Wanted, near: _Near, here: bool) -> tuple[float, Suggestion] | None:
    """Return a candidate with its score, None for one that is no advice on this entity."""
    candidate, answer = near.prop, near.answer
    if not near.close and not here:
        return None
    if answer is not Answer.UNKNOWN and _excepted(wanted.subject, candidate):
        answer = Answer.UNKNOWN
    if answer is Answer.CONFLICTS:
        return None
    score = 6 * near.close + 4 * math.log10(1 + candidate.usage) / 7 + 2 * math.sqrt(near.share)
    score += _FITS * (answer is Answer.FITS) + _MISFIT * (answer is Answer.DOUBTFUL) + _KIND * near.same
    score += _PRESENT * here + _INVERSE * (candidate.id == wanted.property.inverse)
    return score, Suggestion(name=named(candidate), why=_why(candidate, answer, here, near.same))


def _excepted(subject: Subject | None, candidate: Property) -> bool:
    side = candidate.domain
    return isinstance(subject, Entity) and side is not None and subject.iri in side.exceptions


def _close(one: Property, other: Property) -> float:
    """Return how close two properties are, from 0 to 2, by words and by trigrams; 0 where neither is enough.

    The sum ranks better than the greater of both: names that mean the same share words that are spelt alike.
    """
    shared, alike = closeness(one, other), _overlap(_texts(one).trigrams, _texts(other).trigrams)
    return shared + alike if shared >= _CLOSE or alike >= _ALIKE else 0.0


def closeness(one: Property, other: Property) -> float:
    """Return how much two properties share in label, aliases and description, from 0 to 1.

    Two aliases that share a word say less than a label does.
    """
    ours, theirs = _texts(one), _texts(other)
    # Most pairs share no word at all: one look at both vocabularies then replaces that at every pair of names.
    if ours.words.isdisjoint(theirs.words):
        return 0.0
    best = 0.7 * _overlap(ours.description, theirs.description)
    for mine, name in enumerate(ours.names):
        if name.isdisjoint(theirs.words):
            continue
        for yours, other_name in enumerate(theirs.names):
            weight = _ALIASES_ONLY if mine and yours else 1.0
            best = max(best, weight * _overlap(name, other_name))
    return best


class _Texts(NamedTuple):
    """The words of a property: of its label and each alias, of its description, and all; its label's trigrams."""

    names: tuple[frozenset[str], ...]
    description: frozenset[str]
    words: frozenset[str]
    trigrams: frozenset[str]


def _texts(prop: Property) -> _Texts:
    return _compiled(prop.label, prop.aliases, prop.description)


@lru_cache(maxsize=_TEXTS_KEPT)
def _compiled(label: str, aliases: tuple[str, ...], description: str) -> _Texts:
    names = tuple(_content(text) for text in (label, *aliases[:_MOST_WORDS]))
    described = _content(description)
    return _Texts(names, described, frozenset().union(described, *names), label_trigrams(label))


# Words that join others and mean nothing alone; any list of them would do.
_JOINING = frozenset(stems("a an the of in at on by to for from with which that is was are or and as it its"))


def _content(text: str) -> frozenset[str]:
    return frozenset(stems(text)) - _JOINING


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Dice's coefficient."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _typical(schema: Schema, subject: Subject | None) -> Iterator[tuple[Property, float]]:
    """Yield the properties seen on instances of the subject's classes, with the share of the class's instances."""
    seen: set[str] = set()
    for cls in subject.classes[:_MOST_WORDS] if subject else ():
        instances = 0
        for prop, count in schema.typical(cls):
            counts = None if instances else schema.evidence(cls, prop.id)
            instances = counts[1] if counts else instances
            yield prop, min(1.0, count / instances) if instances else 0.0
            seen.add(prop.id)
            if len(seen) >= _MOST_CANDIDATES:
                return


def _candidates(schema: Schema, prop: Property, near: Iterable[Property]) -> Iterator[Property]:
    """Yield what may be meant instead, each once: what is near, and what shares a name or a word."""
    seen = {prop.id}
    given = dict.fromkeys(word for text in (prop.label, *prop.aliases[:4]) for word in text.split())
    words = [word for word in given if _content(word)][:_MOST_WORDS]
    inverse = schema.property(prop.inverse) if prop.inverse else None
    pools: list[Iterable[Property]] = [near, [inverse] if inverse else [], *(schema.find(word) for word in words)]
    for pool in pools:
        for each in pool:
            if each.id in seen or _no_advice(prop, each):
                continue
            seen.add(each.id)
            yield each
            if len(seen) > _MOST_CANDIDATES:
                return


def _why(candidate: Property, answer: Answer, here: bool, same: bool) -> str:
    place = "on this entity" if here else "fits" if answer is Answer.FITS else "close in name"
    kind = _A_KIND.get(candidate.kind, "")
    return f"{place}, also {kind}" if same and kind else place
