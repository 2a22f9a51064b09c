"""What an idea leaves unsaid: words of the question that it does not use, and properties that no word says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from plugins.nl.contract import Shape
from plugins.nl.shape.language import Language, languages
from plugins.nl.strategies.keyless.appositions import Appositions
from plugins.nl.strategies.keyless.cues import idle, placed, sorts, telling
from plugins.nl.strategies.keyless.ideas import Idea, gives_only, says_kind
from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.strategies.keyless.naming import PERSONS, above
from plugins.nl.strategies.keyless.reading import Reading, fragments, singulars, stem_of
from plugins.nl.strategies.keyless.sense import Said, Sense, name_stems
from plugins.nl.strategies.keyless.surroundings import VALUED, Way
from plugins.nl.tools import Tools
from plugins.schema.index import Index
from plugins.schema.model import Property
from plugins.schema.words import fold

# From here on what was learned, or a likeness of names, says a property.
_SAID = 0.2
# So many letters of a word are the same in all its cases.
_CASE = 4
_ONE = frozenset(("a", "an", "ein", "eine", "un", "una", "une"))
# Digits of a number that is rather a year, or a name.
_LONG_NUMBER = 3
_VALUES = frozenset(("date", "year", "number"))
_POINTS = frozenset(("person", "place"))
_MEASURED = frozenset(("quantity", "time"))
_INTO: frozenset[Way] = frozenset(("in", "out"))
_CHAINS: frozenset[Way] = frozenset(("chain", "chain in"))
_BY_QUALIFIER: frozenset[Way] = frozenset(("chain in", "owner"))


class Account:
    """Hold the ideas of one question against its words."""

    def __init__(
        self,
        reading: Reading,
        anchors: Sequence[Anchor],
        shape: Shape,
        tools: Tools,
        joined: frozenset[frozenset[str]],
    ) -> None:
        """Look at the words. ``joined`` are pairs of entities that the graph joins."""
        self._reading = reading
        self._shape = shape
        self._tools = tools
        self._anchors = anchors
        self._speaking = frozenset(reading.speaking())
        self._classes = [each for each in anchors if each.hit.is_class]
        self._language = languages().get(shape.language, languages()["en"])
        folded = "".join(char.lower() if len(char.lower()) == 1 else char for char in reading.text)
        self._void = self._within(_void(self._language, folded))
        self.numbers = self._within(self._language.counted.finditer(folded))
        self._idle = frozenset(
            place for place in reading.speaking() if reading.words[place].text in idle(self._language.tag)
        ).union(self._numbered())
        asked = frozenset(fragments(shape.type_label))
        self._asked = frozenset(place for place in reading.speaking() if reading.words[place].text in asked)
        # Many ideas differ in nothing that these look at.
        self._called = lru_cache(None)(self._words_of)
        self._of_classes = lru_cache(None)(self._classes_of)
        self.beside = lru_cache(None)(Appositions(reading, anchors, joined, self._language.tag).of)
        self._is_under = lru_cache(None)(self._is_of)

    def sound(self, idea: Idea, said: Sequence[Said], sense: Sense) -> bool:
        """Whether its properties are said, and its answers of the kind that is asked for."""
        if idea.half:
            return True
        if idea.ask == "count" and idea.way == "out" and idea.edge.count == 1:
            # Of many that there were the graph may prefer one.
            return False
        if idea.ask == "whether" and idea.way not in ("link", "either") and self._is_called(idea):
            return False
        if bool(self._shape.compare) != (idea.way == "either") and self._shape.form in ("ask", "winner"):
            return False
        if self._shape.superlative != "none" and not self._is_measured(idea, said, sense):
            return False
        if not self._is_each_said(idea, said):
            return False
        spoken = all(self._is_said(idea, record, each) for record, each in zip(idea.uses, said, strict=True))
        return spoken and (idea.ask != "things" or self._is_asked_for(idea, said))

    def left(self, idea: Idea, said: Sequence[Said], sense: Sense) -> tuple[float, float, float]:
        """Return how many words that say something it does not use, and how many of these speak for a property.

        And whether the first word is one of them, which mostly says what is asked for: the dentist of the director.
        Signs that stand together are one word.
        """
        used = {place for span in sense.spans for place in range(span.first, span.last)}
        used.update(
            *(each.words for each in said), self._called(_certain(idea)), self._of_classes(_certain(idea), idea.anchors)
        )
        if idea.measure is not None:
            used |= sense.of(idea.measure.record).words
            used |= self._after_numbers() if self._shape.bound is not None else set()
        used.update(*(self.beside(each) for each in idea.anchors))
        used -= self._of_type(idea)
        if self._shape.year or self._shape.since or self._shape.until or self._shape.top:
            used |= self.numbers
        spoken = {place for place in sense.spoken if place in sense.open}
        content = (set(sense.open) - self._void) | spoken
        left = content - used - self._idle
        first = min(content | used & self._speaking, default=-1)
        return float(self._number_of(left)), float(self._number_of(left & spoken)), float(first in left)

    def _of_type(self, idea: Idea) -> set[int]:
        """Return the places of the class that is asked for: where all count, no property's name stands for it."""
        if idea.constraint is not None or idea.way not in _INTO or not (idea.ask == "count" or idea.measure):
            return set()
        label = fold(self._shape.type_label)
        wanted = [each for each in self._classes if fold(each.span.text) in label and each not in idea.anchors]
        # How many awards: all that it received, which the property says.
        named = name_stems(idea.uses[0].label) if idea.way == "out" else frozenset[str]()
        wanted = [each for each in wanted if name_stems(each.span.text).isdisjoint(named)]
        return {place for each in wanted for place in range(each.span.first, each.span.last)}

    def _number_of(self, places: set[int]) -> int:
        """Return how many words stand at some places."""
        return len(places) if self._language.spaced else sum(place - 1 not in places for place in places)

    def _is_measured(self, idea: Idea, said: Sequence[Said], sense: Sense) -> bool:
        """Whether the most or least of something that is said is taken, or a property is called so: highest point."""
        if idea.measure is not None:
            measured = sense.of(idea.measure.record)
            return bool(measured.cued or measured.linked or measured.words)
        stems = {stem_of(self._reading.words[place]) for place in sense.degrees}
        return any(not stems.isdisjoint(name_stems(each.label, *each.aliases)) for each in idea.uses)

    def _is_each_said(self, idea: Idea, said: Sequence[Said]) -> bool:
        """Whether each step of two has a word of its own; what is asked for is no word of the first one."""
        first, last = said[0].words, said[-1].words
        if idea.way not in _CHAINS or idea.statement or not (first and last):
            return True
        first -= self._asked
        return bool(first) and len(first | last) > 1

    def _is_said(self, idea: Idea, record: Property, said: Said) -> bool:
        if idea.measure is not None and idea.measure.counts and says_kind(record, self._tools.knowledge):
            return True
        if record != idea.uses[-1] and ((idea.statement and idea.way in _BY_QUALIFIER) or idea.way == "meet on"):
            # What is said of the statement says its qualifier too: who plays Hamlet.
            return True
        if idea.way == "link" and says_kind(record, self._tools.knowledge):
            one, other = idea.anchors
            return _is_kind(other) and one.span.first < other.span.first
        if said.cued or said.linked or said.words or max(said.learned, said.named) >= _SAID:
            return True
        if idea.way not in ("in", "meet"):
            return False
        if (idea.constraint is not None or idea.way == "meet") and fold(record.label) in placed():
            return True
        if self.sorted_by(idea):
            return True
        return says_kind(record, self._tools.knowledge) and any(map(_is_kind, idea.anchors))

    def sorted_by(self, idea: Idea) -> bool:
        """Whether a property of things of one sort leads to its answers: what has the genre rap rock."""
        record = idea.uses[0]
        return fold(record.label) in sorts() and any(self._is_sort(each, record) for each in idea.anchors)

    def _is_sort(self, anchor: Anchor, record: Property) -> bool:
        """Whether an entity is one that a property may say: a genre, a position."""
        if not _is_kind(anchor) or record.range is None:
            return False
        return any(self._is_under(each.iri, kind) for each in anchor.hit.classes for kind in record.range.classes)

    def _is_asked_for(self, idea: Idea, said: Sequence[Said]) -> bool:
        """Whether a time, a number or a thing comes out where one is asked for."""
        if idea.way == "either":
            return True
        given = idea.uses[-1].kind if idea.way in VALUED else "item"
        if self._shape.form in _VALUES:
            return not given or said[-1].fits > 0
        if self._shape.type_label == "place" and self._gives_persons(idea):
            return False
        return self._shape.type_label not in _POINTS or given not in _MEASURED

    def _gives_persons(self, idea: Idea) -> bool:
        """Whether nothing but persons comes out: who killed somebody is not where that was."""
        index, classes = self._tools.knowledge.schema, gives_only(idea)
        return index is not None and bool(classes) and all(above(index, each) & PERSONS for each in classes)

    def _is_called(self, idea: Idea) -> bool:
        """Whether it is asked if something is of a class, and the idea leaves out which: is X a sport."""
        words, used = self._reading.words, {each.iri for each in (*idea.anchors, idea.constraint) if each}
        given = (each for each in self._classes if each.iri not in used and each.span.first)
        return any(words[each.span.first - 1].text in _ONE for each in given)

    def _classes_of(self, kinds: tuple[str, ...], anchors: tuple[Anchor, ...]) -> set[int]:
        """Return the places of words for the classes of anchors and answers."""
        held = [*kinds, *(each.iri for anchor in anchors for each in anchor.hit.classes)]
        places = set(self._called(tuple(each.iri for anchor in anchors for each in anchor.hit.classes)))
        places |= self._like(each.label for anchor in anchors for each in anchor.hit.classes)
        for each in self._classes:
            if any(self._is_under(kind, each.iri) for kind in held):
                places.update(range(each.span.first, each.span.last))
        return places

    def _like(self, labels: Iterable[str]) -> set[int]:
        """Return the places of words that begin as some labels do: other cases of them."""
        known = {word[:_CASE] for label in labels for word in fragments(label) if len(word) >= _CASE}
        return {place for place in self._reading.speaking() if self._reading.words[place].text[:_CASE] in known}

    def _is_of(self, kind: str, above: str) -> bool:
        index = self._tools.knowledge.schema
        return kind == above or (index is not None and index.hierarchy.is_under(kind, above))

    def _words_of(self, kinds: tuple[str, ...]) -> frozenset[int]:
        """Return the places of words in the names of classes."""
        index = self._tools.knowledge.schema
        known = frozenset[str]().union(*(_names(index, each) for each in kinds[:5])) if index else frozenset[str]()
        words = ((place, self._reading.words[place].text) for place in self._reading.speaking())
        return frozenset(place for place, word in words if not known.isdisjoint((word, *singulars(word))))

    def _after_numbers(self) -> set[int]:
        """Return the places of numbers and of the words behind them, which are their units."""
        return {place for number in self.numbers for place in (number, number + 1)}

    def _numbered(self) -> set[int]:
        """Return the places of small numbers that only tell how many there are: the two houses, what 4 countries."""
        words, before = self._reading.words, telling(self._language.tag)
        return {
            place
            for place in self.numbers
            if place and words[place - 1].text in before and self._is_small(place) and self._is_of_several(place + 1)
        }

    def _is_small(self, place: int) -> bool:
        text = self._reading.words[place].text
        return not text.isdigit() or len(text) < _LONG_NUMBER

    def _is_of_several(self, place: int) -> bool:
        """Whether a plural stands here, or one word further: official languages. That is known of English."""
        words = self._reading.words[place : place + 2]
        return any(word.speaks and singulars(word.text) for word in words)

    def _within(self, matches: Iterable[re.Match[str]]) -> set[int]:
        spans = [match.span() for match in matches]
        words = enumerate(self._reading.words)
        return {place for place, word in words if any(a <= word.start and word.end <= b for a, b in spans)}


def _certain(idea: Idea) -> tuple[str, ...]:
    """Return the classes that answers are of; where all of them count, only such that all of them are of."""
    counts = idea.ask == "count" or idea.measure is not None
    return idea.kinds if not counts or len(idea.kinds) == 1 else ()


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
    """Return the words of what a class and all above it are called; not stems, which activities share with actors."""
    return frozenset(word for name in above(index, class_iri) for word in fragments(name))
