"""What stands beside a name and only tells which one is meant: president Nixon, JRR Tolkien, the novel «Dune»."""

from __future__ import annotations

from collections.abc import Sequence

from plugins.nl.strategies.keyless.cues import abbreviations
from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.strategies.keyless.reading import Reading, Span, fragments, stem_of
from plugins.nl.strategies.keyless.sense import name_stems

_QUOTES = frozenset("\"'«»“”„‘’《「『")
# What may stand between two names that are one: of, or by, says rather that one has to do with the other.
_TOGETHER = frozenset(("s", "'s", "’s", "the"))


class Appositions:
    """Know the names of one question. ``joined`` are pairs of entities that the graph joins."""

    def __init__(
        self, reading: Reading, anchors: Sequence[Anchor], joined: frozenset[frozenset[str]], language: str
    ) -> None:
        self._reading = reading
        self._language = language
        self._anchors = anchors
        self._joined = joined
        self._speaking = frozenset(reading.speaking())

    def of(self, anchor: Anchor) -> frozenset[int]:
        """Return the places of the words that only tell which one an anchor is."""
        return frozenset((*self._described(anchor), *self._before_quote(anchor), *self._by_another(anchor)))

    def _described(self, anchor: Anchor) -> set[int]:
        """Return the places of words before and after a name that its description has: Midland TX, pres Nixon."""
        known = name_stems(anchor.hit.description).union(_initials(anchor))
        places: set[int] = set()
        for step, place in ((-1, anchor.span.first - 1), (1, anchor.span.last)):
            while place in self._speaking and self._tells(place, known):
                places.add(place)
                place += step
        return places

    def _tells(self, place: int, known: frozenset[str]) -> bool:
        """Whether a word, what it abbreviates, or what it is another name of, is among some stems."""
        word = self._reading.words[place]
        in_full = name_stems(abbreviations(self._language).get(word.text, ""))
        if stem_of(word) in known or not in_full.isdisjoint(known):
            return True
        names = (each for each in self._anchors if each.span == Span(place, place + 1, each.span.text))
        return any(known.issuperset(name_stems(each.hit.label)) for each in names)

    def _before_quote(self, anchor: Anchor) -> tuple[int, ...]:
        """Return the place of the word before a quoted name, which says what it is."""
        words, first = self._reading.words, anchor.span.first
        between = self._reading.text[words[first - 1].end : words[first].start] if first else ""
        return (first - 1,) if _QUOTES.intersection(between) else ()

    def _by_another(self, anchor: Anchor) -> set[int]:
        """Return the places of names that the graph joins with this one, and that stand with it."""
        others = (each for each in self._anchors if frozenset((each.iri, anchor.iri)) in self._joined)
        near = (each.span for each in others if not each.place and self._stand_together(each, anchor))
        return {place for span in near for place in range(span.first, span.last)}

    def _stand_together(self, one: Anchor, other: Anchor) -> bool:
        """Whether two names are one: Taylor Swift's Fearless Tour. A class is no name."""
        first, last = sorted((one.span, other.span), key=lambda span: span.first)
        between = {word.text for word in self._reading.words[first.last : last.first]}
        return first.last <= last.first and between <= _TOGETHER and not (one.hit.is_class or other.hit.is_class)


def _initials(anchor: Anchor) -> tuple[str, ...]:
    """Return the first letters of what a name has besides the words of its span: JRR before Tolkien."""
    said = frozenset(fragments(anchor.span.text))
    first = "".join(word[0] for word in fragments(anchor.hit.label) if word not in said)
    return (first,) if len(first) > 1 else ()
