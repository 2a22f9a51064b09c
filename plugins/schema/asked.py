"""What to use instead of a property where the question is known: its words decide, more than the wrong property's name.

Source: guard_numbers.md section 6: as in the order of a look-up, and what is on the entity, what fits, and what is
called like the wrong property. A misfit goes down the list; it is not taken out by a rule that could be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plugins.schema.fit import Answer, fit
from plugins.schema.index import Index
from plugins.schema.kinds import Kinds, kinds
from plugins.schema.lexicon import Lexicon
from plugins.schema.model import Property
from plugins.schema.order import Edge, score
from plugins.schema.suggestions import Wanted
from plugins.schema.words import words

_PRESENT, _FITS, _MISFIT, _SAME_NAME, _LEARNED = 6.0, 1.5, -3.0, 0.45, 3.0
_NOTHING: Mapping[str, float] = {}
# Of each word of the question, and of each class, so many properties are looked at.
_MOST_PER_WORD = 40
_MOST_PER_CLASS = 200
_MOST_WORDS = 30


class Asked:
    """Rank properties for a question, by one schema."""

    def __init__(self, index: Index, lexicon: Lexicon) -> None:
        self._index = index
        self._lexicon = lexicon
        self._kinds = Kinds(index)

    def instead(
        self, question: str, wanted: Wanted, *, entity: str = "", learned: Mapping[str, float] = _NOTHING, most: int = 3
    ) -> list[Property]:
        """Return the best properties to use in place of one.

        ``entity`` is the subject's label, whose words say nothing; ``learned`` the weights of the question's words by
        the IRI of a property.
        """
        asked, named = self._lexicon.question(question, entity), self._lexicon.question(wanted.property.label)
        answers = kinds(question)
        # Weights differ between questions: the best of each counts as much.
        most_learned = max(learned.values(), default=1.0)
        present = {found[0].id for iri in wanted.present if (found := self._index.role_of(iri))}
        rated = []
        for each, share in self._candidates(question, wanted, learned).values():
            edge = Edge(property=each, share=share)
            value = score(edge, asked, self._lexicon, answers, self._kinds.fits)
            value += _SAME_NAME * self._lexicon.likeness(named, each)
            value += _LEARNED * learned.get(each.iri, 0.0) / most_learned
            value += _PRESENT * (each.id in present) + self._fitting(each, wanted)
            rated.append((-value, each.id, each))
        return [each for _, _, each in sorted(rated, key=lambda one: one[:2])[:most]]

    def _fitting(self, candidate: Property, wanted: Wanted) -> float:
        """Return what the subject's classes say for a candidate, or against it."""
        if wanted.subject is None:
            return 0.0
        answer = fit(self._index, candidate, candidate.domain, wanted.subject)
        return _FITS * (answer is Answer.FITS) + _MISFIT * (answer in (Answer.CONFLICTS, Answer.DOUBTFUL))

    def _candidates(
        self, question: str, wanted: Wanted, learned: Mapping[str, float]
    ) -> dict[str, tuple[Property, float]]:
        """Return by id what may be meant, with the share of the subject's class that has it."""
        found: dict[str, tuple[Property, float]] = {}
        for each, share in self._pool(question, wanted, learned):
            if each.id != wanted.property.id and (each.kind != "external-id" or wanted.property.kind == "external-id"):
                known = found.get(each.id)
                found[each.id] = (each, max(share, known[1] if known else 0.0))
        return found

    def _pool(self, question: str, wanted: Wanted, learned: Mapping[str, float]) -> Iterator[tuple[Property, float]]:
        for iri in wanted.present:
            if (use := self._index.role_of(iri)) is not None:
                yield use[0], 0.0
        for cls in wanted.subject.classes if wanted.subject else ():
            seen = sorted(self._index.typical(cls), key=lambda pair: (-pair[1], pair[0].id))[:_MOST_PER_CLASS]
            for each, count in seen:
                counts = self._index.evidence(cls, each.id)
                yield each, min(1.0, count / counts[1]) if counts else 0.0
        for word in dict.fromkeys([*words(question)[:_MOST_WORDS], *words(wanted.property.label)]):
            for each in self._index.find(word, _MOST_PER_WORD):
                yield each, 0.0
        for iri in learned:
            if (record := self._index.property(iri)) is not None:
                yield record, 0.0
