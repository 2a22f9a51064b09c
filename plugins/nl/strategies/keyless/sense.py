"""How much the words of a question speak for a property."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from plugins.nl.contract import Shape
from plugins.nl.strategies.keyless.cues import Spoken, degrees, measured_by, spoken_for
from plugins.nl.strategies.keyless.reading import Reading, Span, stems_of
from plugins.nl.tools import Tools
from plugins.schema.lexicon import Lexicon
from plugins.schema.lexicon import Question as Asked
from plugins.schema.model import Property
from plugins.schema.words import fold, stems
from plugins.search.folding import has_signs

# The greatest likeness that a name of one rare word has.
_FULL = 9.0
_BEGINNING = 3
# A name in another language is not weighted by its words: it counts as a middling one.
_FOREIGN = 0.5
_SILENCE = Spoken(0, frozenset())


@dataclass(frozen=True, slots=True)
class Said:
    """What speaks for a property, each from 0 to 1. ``words`` are the places of the words that do."""

    named: float = 0.0
    linked: float = 0.0
    cued: float = 0.0
    learned: float = 0.0
    fits: float = 0.0
    described: float = 0.0
    words: frozenset[int] = frozenset()


class Sense:
    """The words of a question without those of the anchors: what they say about properties."""

    def __init__(self, reading: Reading, spans: tuple[Span, ...], shape: Shape, tools: Tools) -> None:
        self._reading = reading
        self.spans = spans
        self._shape = shape
        self._tools = tools
        self._lexicon: Lexicon = tools.knowledge.lexicon
        self._said: dict[str, Said] = {}
        self._text = reading.without(*spans)
        # Words that name nothing are in many names: what politicians are there is not `is a`.
        self._asked: Asked = self._lexicon.question(" ".join(reading.words[place].text for place in self.open))
        self._beginnings = frozenset(stem[:_BEGINNING] for stem in self._asked.stems)
        self._cues = self._spoken()

    def of(self, record: Property) -> Said:
        """Return what speaks for a property."""
        found = self._said.get(record.id)
        if found is None:
            found = self._said[record.id] = self._weigh(record)
        return found

    @cached_property
    def _learned(self) -> Mapping[str, float]:
        learned = self._tools.knowledge.learned
        ranked = learned.rank(self._text) if learned else {}
        most = max(ranked.values(), default=1.0)
        return {iri: weight / most for iri, weight in ranked.items()}

    @property
    def names(self) -> frozenset[int]:
        """The places of words that are the name of some property."""
        return self._linked[1]

    def _spoken(self) -> Mapping[str, Spoken]:
        """Return the names that phrases speak for, and those of what the question measures."""
        text = fold(self._reading.written(*self.spans))
        text = text.replace(" ", "") if has_signs(text) else text
        found = dict(spoken_for(text, self._shape.language))
        for name in measured_by(self._shape.measure):
            known = found.get(name, Spoken(len(found), frozenset()))
            found[name] = Spoken(known.place, known.words | degrees(text, self._shape.language))
        return found

    @cached_property
    def _linked(self) -> tuple[Mapping[str, float], frozenset[int], Mapping[str, frozenset[int]]]:
        """Return by IRI the properties that are called as some words are, the longer the better; and these words."""
        open_spans = [each for each in self._reading.spans() if not any(each.overlaps(span) for span in self.spans)]
        found = self._tools.link((each.text for each in open_spans), "property")
        weights: dict[str, float] = {}
        places: dict[str, frozenset[int]] = {}
        for span in open_spans:
            for hit in found.get(span.text, ()):
                share = len(self._reading.speaking(span)) / max(1, len(self.open))
                weights[hit.iri] = max(share, weights.get(hit.iri, 0.0))
                places[hit.iri] = places.get(hit.iri, frozenset()).union(self._reading.speaking(span))
        called = (place for span in open_spans if span.text in found for place in self._reading.speaking(span))
        return weights, frozenset(called), places

    @cached_property
    def spoken(self) -> frozenset[int]:
        """The places of words that name a property, or speak for one."""
        words = frozenset[str]().union(*(cue.words for cue in self._cues.values()))
        return self.names.union(place for place in self.open if self._reading.words[place].text in words)

    @cached_property
    def degrees(self) -> frozenset[int]:
        """The places of words that ask for the most or the least."""
        words = degrees(fold(self._reading.text), self._shape.language)
        return frozenset(place for place in self.open if self._reading.words[place].text in words)

    @cached_property
    def open(self) -> list[int]:
        """The places of the words that say something and are none of the anchors'."""
        taken = {place for span in self.spans for place in range(span.first, span.last)}
        return [place for place in self._reading.speaking() if place not in taken]

    @cached_property
    def _open_stems(self) -> list[tuple[int, str]]:
        words = ((place, self._reading.words[place]) for place in self.open)
        return [(place, each) for place, word in words for each in stems_of(word)]

    def _weigh(self, record: Property) -> Said:
        cue = self._cues.get(fold(record.label))
        return Said(
            named=self._named(record),
            linked=self._linked[0].get(record.iri, 0.0),
            cued=0.0 if cue is None else 1 / (1 + 0.25 * cue.place),
            learned=self._learned.get(record.iri, 0.0),
            fits=self._fit(record),
            described=min(1.0, self._lexicon.weight_found(self._asked, record.description) / (2 * _FULL)),
            words=self._covered(record),
        )

    def _named(self, record: Property) -> float:
        """Return the likeness of its names; of names without a beginning in common with any word it is not asked."""
        foreign = self._foreign(record)
        if self._beginnings.isdisjoint(beginnings(record.label, *record.aliases)):
            return foreign
        return max(foreign, min(1.0, self._lexicon.likeness(self._asked, record) / _FULL))

    def _foreign(self, record: Property) -> float:
        """Return the share of its name in the question's own language that the question says; half for all of it."""
        name = record.labels.get(self._shape.language, "")
        if not name or name == record.label:
            return 0.0
        known = name_stems(name)
        return _FOREIGN * len(known.intersection(stem for _, stem in self._open_stems)) / max(1, len(known))

    def _fit(self, record: Property) -> float:
        """Return whether the property gives what the form asks for: 1 or -1 where the form says, else 0."""
        form = self._shape.form
        if form in ("date", "year"):
            return 1.0 if record.kind == "time" else -1.0
        if form in ("number", "count"):
            return 1.0 if record.kind == "quantity" else -1.0 if form == "number" else 0.0
        if form in ("entity", "list"):
            return -1.0 if record.kind in ("time", "quantity", "url", "media", "coordinate", "external-id") else 0.0
        return 0.0

    def _covered(self, record: Property) -> frozenset[int]:
        """Return the places of the words that are in a name of the property, or speak for it."""
        known = name_stems(record.label, *record.aliases, record.labels.get(self._shape.language, ""))
        cue = self._cues.get(fold(record.label), _SILENCE)
        said = (p for p, stem in self._open_stems if stem in known or self._reading.words[p].text in cue.words)
        return self._linked[2].get(record.iri, frozenset()).union(said, self._taught(record))

    def _taught(self, record: Property) -> frozenset[int]:
        """Return the places of words that were learned for the property."""
        learned = self._tools.knowledge.learned
        if learned is None:
            return frozenset()
        pairs = ((place, learned.entries.get(stem, ())) for place, stem in self._open_stems)
        return frozenset(place for place, known in pairs if any(iri == record.iri for iri, _ in known))


@lru_cache(16_384)
def name_stems(*names: str) -> frozenset[str]:
    """Return the stems of names."""
    return frozenset(stem for name in names for stem in stems(name))


@lru_cache(16_384)
def beginnings(*names: str) -> frozenset[str]:
    """Return the first letters of the stems of names."""
    return frozenset(stem[:_BEGINNING] for stem in name_stems(*names))
