"""How likely an idea is what a question means: what speaks for it as numbers, and their weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul

from plugins.nl.contract import Shape
from plugins.nl.strategies.keyless.account import Account
from plugins.nl.strategies.keyless.ideas import Idea
from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.strategies.keyless.naming import PERSONS, PLACES, above, called
from plugins.nl.strategies.keyless.reading import Reading, Span, stem_of
from plugins.nl.strategies.keyless.sense import Said, Sense
from plugins.nl.strategies.keyless.surroundings import VALUED, Way
from plugins.nl.strategies.keyless.weights import weights_of
from plugins.nl.tools import Tools
from plugins.schema.kinds import kinds as wanted_kinds
from plugins.schema.model import Property
from plugins.schema.words import fold, stems

NAMES = (
    "anchored", "known", "label", "place", "inner", "capital", "short", "propertyish", "anchors", "named",
    "named_least", "linked", "cued", "cued_least", "learned", "learned_least", "fits", "described", "usage",
    "evident", "evident_least", "covered", "missed", "unsaid", "unexplained", "constraint", "constraint_typed",
    "constraint_unsure", "kind_word", "kind_fits", "out", "in", "through", "meet", "link", "chain", "chain_in",
    "either", "meet_on", "stated", "role", "owner", "shared", "statement", "count", "count_in", "count_form",
    "typish", "existing", "measured", "measure_said", "unmeasured", "plural", "plural_typish", "typish_in",
    "range_fits", "by_in", "own_out", "of_out", "where_in", "sort_in", "left", "left_named",
    "left_first",
)  # fmt: skip
_WAYS: tuple[Way, ...] = (
    "out", "in", "through", "meet", "link", "chain", "chain in", "either",
    "meet on", "stated", "role", "owner", "shared",
)  # fmt: skip
_FULL_USAGE = 7
_POOR = 4.0
_VALUES = frozenset(("date", "year", "number"))
# Properties by which a class is said of a thing.
_OCCUPATION = "P106"
_BY = frozenset(("by", "von", "por", "par", "from", "in", "with", "on", "at"))
_OF = frozenset(("of", "does", "did", "is", "was", "has", "in"))


@dataclass(frozen=True, slots=True)
class Judged:
    """An idea with what speaks for it, in the order of NAMES.

    Shapes: ``sound`` is False where it uses what no word says; ``left`` counts the words that it does not use;
    ``far`` is how far its first property stands from what it starts from: of two orders of steps, the nearer is meant.
    """

    idea: Idea
    features: tuple[float, ...]
    score: float
    sound: bool = True
    left: int = 0
    far: int = 0

    def of(self, name: str) -> float:
        """Return one of the features."""
        return self.features[NAMES.index(name)]


class Judge:
    """Judge the ideas of one question."""

    def __init__(
        self,
        reading: Reading,
        anchors: Sequence[Anchor],
        shape: Shape,
        tools: Tools,
        joined: frozenset[frozenset[str]],
    ) -> None:
        """Read what all ideas share. ``joined`` are pairs of entities that the graph joins."""
        self._reading = reading
        self._shape = shape
        self._tools = tools
        self._account = Account(reading, anchors, shape, tools, joined)
        self._senses: dict[tuple[Span, ...], Sense] = {}
        self._weights = weights_of(tools.knowledge)
        known = tools.knowledge.vocabulary
        self._type_steps, self._kind_steps = known.types, (*known.types, *known.superclasses)
        self._each = tuple(self._weights.ideas[name] for name in NAMES)
        self._wanted = wanted_kinds(reading.text)
        self._type_words = frozenset(stems(shape.type_label))
        self._propertyish: dict[str, bool] = {}
        self._words = frozenset(stem_of(reading.words[place]) for place in reading.speaking())
        self._of_anchors = lru_cache(None)(self._anchored)
        self._kind_word = lru_cache(None)(self._has_kind_word)
        self._kind_fits = lru_cache(None)(self._has_kind)
        self._all = max(1, len(reading.speaking()))
        self._strong = frozenset(
            place for each in anchors if self._is_strong(each) for place in reading.speaking(each.span)
        )

    def judged(self, idea: Idea) -> Judged:
        """Return what speaks for an idea."""
        sense = self._sense(_spans(idea))
        said = [sense.of(record) for record in idea.uses]
        left = self._account.left(idea, said, sense)
        features = (
            *self._of_anchors(idea.anchors),
            *self._of_uses(idea, said),
            *self._of_whole(idea, said, sense),
            *left,
        )
        score = sum(map(mul, self._each, features))
        sound = self._account.sound(idea, said, sense)
        return Judged(idea, features, score, sound, int(left[0]), self._far(idea.anchors[0].span, said[0]))

    def is_said(self, anchor: Anchor, record: Property) -> bool:
        """Whether words beside those of an anchor say a property."""
        said = self._sense((anchor.span,)).of(record)
        return bool(said.cued or said.linked or said.words)

    def _sense(self, spans: tuple[Span, ...]) -> Sense:
        if spans not in self._senses:
            self._senses[spans] = Sense(self._reading, spans, self._shape, self._tools)
        return self._senses[spans]

    def _far(self, span: Span, said: Said) -> int:
        """Return how far the words of a property stand from a span: the daughter of X before what X married."""
        speaking = self._reading.speaking()
        before = (2 * sum(place < each < span.first for each in speaking) for place in said.words if place < span.first)
        behind = (
            1 + 2 * sum(span.last <= each < place for each in speaking) for place in said.words if place >= span.last
        )
        return min((*before, *behind), default=0)

    def _anchored(self, anchors: tuple[Anchor, ...]) -> tuple[float, ...]:
        return (
            sum(each.words for each in anchors) / self._all,
            _mean([each.known for each in anchors]),
            _mean([each.is_label for each in anchors]),
            _mean([min(each.place, 5) / 5 for each in anchors]),
            float(any(each.inner for each in anchors)),
            _mean([self._reading.text[self._reading.words[each.span.first].start].isupper() for each in anchors]),
            float(min(each.words for each in anchors) == 1),
            _mean([self._is_propertyish(each) for each in anchors]),
            float(len(anchors) > 1),
        )

    def _of_uses(self, idea: Idea, said: Sequence[Said]) -> tuple[float, ...]:
        best = [max(each.named, each.linked, each.cued, each.learned) for each in said]
        return (
            _mean([each.named for each in said]),
            min(each.named for each in said),
            _mean([each.linked for each in said]),
            _mean([each.cued for each in said]),
            min(each.cued for each in said),
            _mean([each.learned for each in said]),
            min(each.learned for each in said),
            self._fits(idea, said),
            _mean([each.described for each in said]),
            _mean([min(1.0, math.log10(1 + each.usage) / _FULL_USAGE) for each in idea.uses]),
            _mean(best),
            min(best),
        )

    def _of_whole(self, idea: Idea, said: Sequence[Said], sense: Sense) -> tuple[float, ...]:
        named = {place for span in sense.spans for place in self._reading.speaking(span)}
        named.update(*(self._account.beside(each) for each in idea.anchors))
        measured = (sense.of(idea.measure.record),) if idea.measure else ()
        covered = named.union(*(each.words for each in (*said, *measured)))
        if idea.measure is not None and self._shape.bound is not None:
            covered |= self._account.numbers.intersection(self._reading.speaking())
        left = (self._all - len(covered)) / self._all
        silent = left if not any(each.cued or each.learned for each in said) else 0.0
        kind = idea.constraint
        size = min(1.0, math.log2(1 + idea.edge.count) / 10)
        return (
            len(covered) / self._all,
            len(self._strong - named - covered.intersection(sense.names)) / self._all,
            min(len(sense.names - covered), 2) / 2,
            silent,
            float(kind is not None),
            float(kind is not None and bool(self._type_words.intersection(stems(kind.span.text)))),
            (idea.edge.untyped / max(1, idea.edge.count, idea.edge.untyped)) if kind is not None else 0.0,
            self._kind_word(idea.kinds),
            self._kind_fits(idea.kinds),
            *(float(idea.way == way) for way in _WAYS),
            float(idea.statement),
            size,
            size * (idea.way == "in"),
            float(idea.ask == "count"),
            float(any(_is_one_of(record, self._kind_steps) for record in idea.uses)),
            self._existing(idea, named),
            *self._of_measure(idea, sense),
            *self._of_direction(idea),
        )

    def _existing(self, idea: Idea, named: set[int]) -> float:
        """Return whether it asks if there is anything at all: a poor question where another name is left."""
        if idea.ask != "whether" or idea.way == "link":
            return 0.0
        return _POOR if self._strong - named else 1.0

    def _of_measure(self, idea: Idea, sense: Sense) -> tuple[float, ...]:
        wanted = self._shape.superlative != "none" or self._shape.bound is not None
        if idea.measure is None:
            return (0.0, 0.0, float(wanted))
        said = sense.of(idea.measure.record)
        return (1.0, (said.named + said.linked + said.cued + said.learned) / 2, 0.0)

    def _of_direction(self, idea: Idea) -> tuple[float, ...]:
        """Return what the words beside the anchors say of the way they are taken."""
        first = idea.anchors[0]
        plural = float(any(fold(each.hit.text) != fold(each.span.text) for each in idea.anchors))
        if idea.measure is not None and idea.measure.of == "values":
            # The one that has the most is asked for by the singular.
            plural = max(plural, float(fold(first.span.text) in fold(self._shape.type_label)))
        typish = float(any(_is_one_of(record, self._type_steps) or record.id == _OCCUPATION for record in idea.uses))
        before = self._reading.words[first.span.first - 1].text if first.span.first else ""
        after = self._reading.words[first.span.last].text if first.span.last < len(self._reading.words) else ""
        out = idea.way in ("out", "chain", "stated")
        return (
            plural,
            plural * typish,
            typish * (idea.way in ("in", "meet")),
            self._range_fits(idea),
            float(before in _BY and idea.way == "in"),
            float(after in ("'s", "’s", "s") and out),
            float(before in _OF and out),
            float(self._shape.type_label == "place" and idea.way in ("in", "chain in")),
            float(idea.way == "in" and self._account.sorted_by(idea)),
        )

    def _fits(self, idea: Idea, said: Sequence[Said]) -> float:
        """Return whether what comes out is of the kind that the form asks for."""
        if idea.way in VALUED:
            return said[-1].fits
        # What stands before a property is a thing.
        return -1.0 if self._shape.form in _VALUES and idea.way != "either" else 0.0

    def _range_fits(self, idea: Idea) -> float:
        """Return 1 where a property is for persons or places as the question wants them, -1 where it is for others."""
        record = idea.uses[-1]
        side = record.domain if idea.way == "in" else record.range
        return self._kind_fits(side.classes[:5]) if side else 0.0

    def _is_strong(self, anchor: Anchor) -> bool:
        """Whether words name an entity beyond doubt: several of them, or a capital within the sentence."""
        begins = self._reading.text[self._reading.words[anchor.span.first].start].isupper()
        is_number = self._account.numbers.issuperset(self._reading.speaking(anchor.span))
        return not (anchor.inner or anchor.place or is_number) and (
            anchor.words > 1 or (begins and anchor.span.first > 0)
        )

    def _is_propertyish(self, anchor: Anchor) -> bool:
        """Whether the words of an anchor are the name of a property too."""
        text = anchor.span.text
        if text not in self._propertyish:
            self._propertyish[text] = bool(self._tools.link((text,), "property", 1))
        return self._propertyish[text]

    def _has_kind_word(self, kinds: tuple[str, ...]) -> float:
        """Return whether a class of the answers is called as the question says."""
        index = self._tools.knowledge.schema
        if index is None:
            return 0.0
        return float(any(self._words & called(index, each) for each in kinds[:5]))

    def _has_kind(self, kinds: tuple[str, ...]) -> float:
        """Return 1 where the answers are persons or places as the question wants them, -1 where they are not."""
        index = self._tools.knowledge.schema
        names = {"person": PERSONS, "place": PLACES}
        wanted = [names[each] for each in sorted(self._wanted) if each in names]
        if index is None or not kinds or not wanted:
            return 0.0
        fit = any(above(index, kind) & each for kind in kinds[:3] for each in wanted)
        return 1.0 if fit else -1.0


def _is_one_of(record: Property, steps: Sequence[str]) -> bool:
    """Whether a property is one of those that say of what kind a thing is."""
    return any(iri == record.iri or iri.endswith(f"/{record.id}") for iri in steps)


def _spans(idea: Idea) -> tuple[Span, ...]:
    anchors = (*idea.anchors, idea.constraint) if idea.constraint else idea.anchors
    return tuple(sorted({each.span for each in anchors}, key=lambda span: span.first))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
