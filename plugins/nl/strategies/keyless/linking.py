"""Which entities the words of a question may mean: the longest names first, the well-known things before others."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from plugins.nl.contract import Turn, Work
from plugins.nl.strategies.keyless.cues import places, unnamed
from plugins.nl.strategies.keyless.naming import PLACES, above
from plugins.nl.strategies.keyless.reading import Reading, Span, singular_heads, singulars
from plugins.nl.tools import Hit
from plugins.schema.index import Index
from plugins.search.folding import fold, has_signs

MOST_ANCHORS = 7
_PER_SPAN = 6
_PER_SEARCH = 3
# What is called as an adjective is meant before the place of it, but not all that is.
_MOST_OTHERS = 1
_MOST_SEARCHES = 4
# Of fewer letters any name is nearly so.
_LEAST_CHARS = 3
# Where nothing is called so, a little time is well spent on what is nearly called so.
_SEARCH_S = 1.0
# A name that is only nearly so stands behind so many that are.
_NEARLY = 2
_WELL_KNOWN = 0.5
# How much likelier is what is of a class that the question names.
_ASKED = 1.2
# Words that point back to what was spoken of.
_PRONOUNS = """
    he she it they his her its their him them there that this those these er sie es sein seine ihr ihre dort él
    ella su sus ellos он она оно они его её ее их там 他 她 它 其
"""
_POINTING = frozenset(_PRONOUNS.split())


@dataclass(frozen=True, slots=True)
class Anchor:
    """An entity that a span may mean.

    Shapes: ``place`` is its place among what the span may mean; ``inner``: a longer name holds the span; ``words`` is
    how many of the span say something, at least one.
    """

    span: Span
    hit: Hit
    place: int
    inner: bool
    words: int

    @property
    def iri(self) -> str:
        """The entity."""
        return self.hit.iri

    @property
    def known(self) -> float:
        """How well-known it is, from 0 to 1."""
        return min(1.0, math.log2(1 + self.hit.popularity) / 16)

    @property
    def prior(self) -> float:
        """How likely it is meant, before the graph is asked."""
        return self.words + 2 * self.known + 0.5 * self.is_label - 0.4 * self.place - 1.5 * self.inner

    @property
    def is_label(self) -> bool:
        """Whether the words are its label, and not one of its other names."""
        return self.hit.text == self.hit.label


async def anchors(reading: Reading, work: Work) -> list[Anchor]:
    """Return what the question may be about, the likely ones first. Raises OutOfBudget."""
    found = _named(reading, work)
    found += await _searched(reading, work, found)
    if work.question.history and not any(each.words > 1 or each.known > _WELL_KNOWN for each in found):
        found += _earlier(reading, work.question.history[-1])
    kinds = frozenset(each.iri for each in found if each.hit.is_class)
    asked = lru_cache(None)(lambda hit: _ASKED * _is_of(hit, kinds, work.tools.knowledge.schema))
    return _once(sorted(found, key=lambda each: (-each.prior - asked(each.hit), each.hit.id)))[:MOST_ANCHORS]


def _named(reading: Reading, work: Work) -> list[Anchor]:
    """Return what is called exactly as some words are."""
    texts = {span: (span.text, *singulars(span.text), *singular_heads(span.text)) for span in reading.spans()}
    found = work.tools.link((text for forms in texts.values() for text in forms), "entity", _PER_SPAN)
    named = {span: _merged(found.get(text, ()) for text in forms) for span, forms in texts.items()}
    named = {span: hits for span, hits in named.items() if hits}
    for span, hits in _unnamed(reading, work).items():
        named[span] = _merged((hits, named.get(span, ())))
    for span, hits in _adjectives(reading, work).items():
        named[span] = _merged((named.get(span, ())[:_MOST_OTHERS], hits, named.get(span, ())))
    return [
        Anchor(span, hit, place, any(other.holds(span) for other in named), max(1, len(reading.speaking(span))))
        for span, hits in named.items()
        for place, hit in enumerate(hits)
    ]


def _unnamed(reading: Reading, work: Work) -> Mapping[Span, Sequence[Hit]]:
    """Return the classes that are asked for without their names: what to see in Rome."""
    asked = unnamed(" ".join(word.text for word in reading.words), work.shape.language)
    found = work.tools.link((name for names in asked.values() for name in names), "entity", _PER_SPAN)
    kept: dict[Span, Sequence[Hit]] = {}
    for phrase, names in asked.items():
        hits = [hit for name in names for hit in found.get(name, ()) if hit.is_class][:1]
        if hits and (span := reading.span(phrase.split())):
            kept[span] = hits
    return kept


def _adjectives(reading: Reading, work: Work) -> Mapping[Span, Sequence[Hit]]:
    """Return the places that adjectives are of: Indian is of India, South American of South America."""
    language = work.shape.language
    # Those of a place are called so, too: what Nigerians speak.
    spans = {
        span: tuple(place for form in (span.text, *singulars(span.text)) for place in places(fold(form), language))
        for span in reading.spans()
        if span.size <= 2
    }
    found = work.tools.link((text for texts in spans.values() for text in texts), "entity", 1)
    index = work.tools.knowledge.schema
    kept: dict[Span, list[Hit]] = {}
    for span, texts in spans.items():
        hits = (hit for text in texts for hit in found.get(text, ()) if _is_place(hit, index))
        if best := max(hits, key=lambda hit: hit.popularity, default=None):
            kept[span] = [best]
    return kept


def _is_of(hit: Hit, kinds: frozenset[str], index: Index | None) -> bool:
    """Whether an entity is of a class that the question names: which band, queen or pink floyd."""
    own = {each.iri for each in hit.classes}
    if hit.iri in kinds or not kinds.isdisjoint(own):
        return hit.iri not in kinds
    return index is not None and any(index.hierarchy.is_under(one, kind) for one in own for kind in kinds)


def _is_place(hit: Hit, index: Index | None) -> bool:
    """Whether an entity is called by its label, and is of a class of places."""
    if fold(hit.text) != fold(hit.label):
        return False
    return any(
        each.label in PLACES or (index and not PLACES.isdisjoint(above(index, each.iri))) for each in hit.classes
    )


async def _searched(reading: Reading, work: Work, named: Sequence[Anchor]) -> list[Anchor]:
    """Return what is called nearly as mentions are that nothing is called: typos, endings, graphs without an index."""
    found: list[Anchor] = []
    left = [each for each in _mentions(reading, work) if not any(each.overlaps(anchor.span) for anchor in named)]
    if named:
        # Where something is known, only what must be a name is worth the time.
        left = [each for each in left if each.first and each.text[:1].isupper()]
    with suppress(TimeoutError):
        async with asyncio.timeout(_SEARCH_S):
            await _search(reading, left[:_MOST_SEARCHES], work, found)
    return found


async def _search(reading: Reading, spans: Sequence[Span], work: Work, found: list[Anchor]) -> None:
    """Add what is found by each span, the longest first."""
    for span in spans:
        if any(span.overlaps(each.span) for each in found):
            continue
        hits = await work.tools.search(span.text, "entity", _PER_SEARCH)
        words = len(reading.speaking(span))
        found += [Anchor(span, hit, place + _NEARLY, False, words) for place, hit in enumerate(hits)]


def _mentions(reading: Reading, work: Work) -> list[Span]:
    """Return the spans that the shape takes for names, or all that is said."""
    texts = [each.text for each in work.shape.mentions] or [reading.without()]
    spans = {each.text: each for each in reading.spans()}
    return [spans[text] for text in texts if text in spans and (len(text) >= _LEAST_CHARS or has_signs(text))]


def _earlier(reading: Reading, turn: Turn) -> list[Anchor]:
    """Return what the last question and its answer were about, for a question that points back: `and his wife?`."""
    place = next((at for at, word in enumerate(reading.words) if word.text in _POINTING), None)
    if place is None:
        return []
    span = Span(place, place + 1, reading.words[place].text)
    hits = (
        Hit(id=iri, iri=iri, kind="entity", match="exact", source="index", label=label, text=label)
        for iri, label in turn.labels.items()
    )
    return [Anchor(span, hit, at, False, 2) for at, hit in enumerate(hits)]


def _merged(lists: Iterable[Sequence[Hit]]) -> list[Hit]:
    return list({hit.iri: hit for hits in lists for hit in hits}.values())


def _once(given: Sequence[Anchor]) -> list[Anchor]:
    """Each entity once, by its best span."""
    kept: dict[str, Anchor] = {}
    for each in given:
        kept.setdefault(each.iri, each)
    return list(kept.values())
