"""What an idea leaves unsaid: words of the question that it does not use, and properties that no word says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from plugins.nl.contract import Shape
from plugins.nl.shape.language import Language, languages
from plugins.nl.strategies.keyless.cues import idle, placed
from plugins.nl.strategies.keyless.ideas import Idea, says_kind
from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.strategies.keyless.reading import Reading, fragments, stem_of
from plugins.nl.strategies.keyless.sense import Said, Sense, name_stems
from plugins.nl.tools import Tools
from plugins.schema.index import Index
from plugins.schema.model import Property
from plugins.schema.words import fold

# From here on what was learned, or a likeness of names, says a property.
_SAID = 0.2
# So many letters of a word are the same in all its cases.
_CASE = 4
_QUOTES = frozenset("\"'«»“”„‘’《「『")
_VALUES = frozenset(("date", "year", "number"))
_POINTS = frozenset(("person", "place"))
_MEASURED = frozenset(("quantity", "time"))


class Account:
    """Hold the ideas of one question against its words."""

    def __init__(self, reading: Reading, anchors: Sequence[Anchor], shape: Shape, tools: Tools) -> None:
        self._reading = reading
        self._shape = shape
        self._tools = tools
        self._classes = [each for each in anchors if each.hit.is_class]
        self._language = languages().get(shape.language, languages()["en"])
        folded = "".join(char.lower() if len(char.lower()) == 1 else char for char in reading.text)
        self._void = self._within(_void(self._language, folded))
        self._numbers = self._within(self._language.counted.finditer(folded))
        self._idle = frozenset(
            place for place in reading.speaking() if reading.words[place].text in idle(self._language.tag)
        )
        self._called = lru_cache(None)(self._words_of)

    def sound(self, idea: Idea, said: Sequence[Said], sense: Sense) -> bool:
        """Whether its properties are said, and its answers of the kind that is asked for."""
        if idea.half:
            return True
        if idea.ask == "count" and idea.way == "out" and idea.edge.count == 1:
            # Of many that there were the graph may prefer one.
            return False
        if bool(self._shape.compare) != (idea.way == "either") and self._shape.form in ("ask", "winner"):
            return False
        if self._shape.superlative != "none" and not self._is_measured(idea, said, sense):
            return False
        spoken = all(self._is_said(idea, record, each) for record, each in zip(idea.uses, said, strict=True))
        return spoken and (idea.ask != "things" or self._is_asked_for(idea, said))

    def left(self, idea: Idea, said: Sequence[Said], sense: Sense) -> int:
        """Return how many words that say something it does not use, those that speak for a property twice.

        Signs that stand together are one word.
        """
        used = {place for span in sense.spans for place in range(span.first, span.last)}
        used.update(*(each.words for each in said), self._called(idea.kinds), self._of_classes(idea))
        if idea.measure is not None:
            used |= sense.of(idea.measure.property).words
            used |= self._after_numbers() if idea.measure.condition else set()
        if self._shape.year or self._shape.since or self._shape.until:
            used |= self._numbers
        spoken = {place for place in sense.spoken if place in sense.open}
        content = (set(sense.open) - self._void) | spoken
        left = content - used - self._idle
        return self._number_of(left) + self._number_of(left & spoken)

    def _number_of(self, places: set[int]) -> int:
        """Return how many words stand at some places."""
        return len(places) if self._language.spaced else sum(place - 1 not in places for place in places)

    def _is_measured(self, idea: Idea, said: Sequence[Said], sense: Sense) -> bool:
        """Whether the most or least of something that is said is taken, or a property is called so: highest point."""
        if idea.measure is not None:
            measured = sense.of(idea.measure.property)
            return bool(measured.cued or measured.linked or measured.words)
        return any(each.words & sense.degrees for each in said)

    def _is_said(self, idea: Idea, record: Property, said: Said) -> bool:
        if idea.way == "link" and says_kind(record, self._tools.knowledge):
            return _is_kind(idea.anchors[-1]) and not _is_kind(idea.anchors[0])
        if said.cued or said.linked or said.words or max(said.learned, said.named) >= _SAID:
            return True
        if idea.way not in ("in", "meet"):
            return False
        if idea.constraint is not None and fold(record.label) in placed():
            return True
        return says_kind(record, self._tools.knowledge) and any(map(_is_kind, idea.anchors))

    def _is_asked_for(self, idea: Idea, said: Sequence[Said]) -> bool:
        """Whether a time, a number or a thing comes out where one is asked for."""
        if idea.way == "either":
            return True
        given = idea.uses[-1].kind if idea.way in ("out", "chain", "chain in") else "item"
        if self._shape.form in _VALUES:
            return not given or said[-1].fits > 0
        return self._shape.type_label not in _POINTS or given not in _MEASURED

    def _of_classes(self, idea: Idea) -> set[int]:
        """Return the places of words for the classes of anchors and answers."""
        held = [*idea.kinds, *(each.iri for anchor in idea.anchors for each in anchor.hit.classes)]
        places = set(self._called(tuple(each.iri for anchor in idea.anchors for each in anchor.hit.classes)))
        places |= self._like(each.label for anchor in idea.anchors for each in anchor.hit.classes)
        places.update(place for anchor in idea.anchors if (place := self._before_quote(anchor)) >= 0)
        for each in self._classes:
            if any(self._is_under(kind, each.iri) for kind in held):
                places.update(range(each.span.first, each.span.last))
        return places

    def _before_quote(self, anchor: Anchor) -> int:
        """Return the place of the word before a quoted name, which says what it is: the novel «Dune»; -1 for none."""
        words, first = self._reading.words, anchor.span.first
        between = self._reading.text[words[first - 1].end : words[first].start] if first else ""
        return first - 1 if _QUOTES.intersection(between) else -1

    def _like(self, labels: Iterable[str]) -> set[int]:
        """Return the places of words that begin as some labels do: other cases of them."""
        known = {word[:_CASE] for label in labels for word in fragments(label) if len(word) >= _CASE}
        return {place for place in self._reading.speaking() if self._reading.words[place].text[:_CASE] in known}

    def _is_under(self, kind: str, above: str) -> bool:
        index = self._tools.knowledge.schema
        return kind == above or (index is not None and index.hierarchy.is_under(kind, above))

    def _words_of(self, kinds: tuple[str, ...]) -> frozenset[int]:
        """Return the places of words in the names of classes."""
        index = self._tools.knowledge.schema
        known = frozenset[str]().union(*(_names(index, each) for each in kinds[:5])) if index else frozenset[str]()
        return frozenset(place for place in self._reading.speaking() if stem_of(self._reading.words[place]) in known)

    def _after_numbers(self) -> set[int]:
        """Return the places of numbers and of the words behind them, which are their units."""
        return {place for number in self._numbers for place in (number, number + 1)}

    def _within(self, matches: Iterable[re.Match[str]]) -> set[int]:
        spans = [match.span() for match in matches]
        words = enumerate(self._reading.words)
        return {place for place, word in words if any(a <= word.start and word.end <= b for a, b in spans)}


def _void(language: Language, text: str) -> Iterator[re.Match[str]]:
    """Yield what opens the question, and words that name nothing."""
    if match := language.openings.search(text):
        yield match
    for match in (re.compile(r"[\w'-]+") if language.spaced else language.breaks).finditer(text):
        if match.group() in language.stop:
            yield match


def _is_kind(anchor: Anchor) -> bool:
    """Whether an entity stands for those that are so: a class, an occupation, an office."""
    return anchor.hit.is_class or not anchor.span.text[:1].isupper()


@lru_cache(16_384)
def _names(index: Index, class_iri: str) -> frozenset[str]:
    """Return the stems of what a class and all above it are called."""
    hierarchy = index.hierarchy
    infos = (index.class_info(hierarchy.iri(number)) for number in hierarchy.up(class_iri))
    return name_stems(*(info.label for info in infos if info is not None))
