"""The embedded index: exact names, then names with these words, then names with a typo."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Self

import tantivy

from plugins.schema.shorthand import expansions, shorten
from plugins.search.folder import Sealed, SearchDamaged, unsealed
from plugins.search.hit import LIMIT, ClassName, Hit, Kind, Match
from plugins.search.matching import Asked, asked, best, ceiling, score
from plugins.search.records import Record, decoded
from plugins.search.steps import Step, Steps, all_of

# Records that are read for one tier: the most popular ones. Names that more than so many share are hopeless anyway.
_MOST_READ = 40
_RECORDS_KEPT = 20_000
_LABELS_KEPT = 20_000
_MOST_CLASSES = 5
_MOST_MENTIONS = 2_000
_ID_CHARS = 200
_FEW = 2
# The score of what was asked for by its id or IRI.
_NAMED = 0.9999


class _Place(NamedTuple):
    """Where a record is."""

    popularity: int
    segment: int
    number: int


class _Candidate(NamedTuple):
    """A record that fits, by the name ``text``."""

    score: float
    match: Match
    record: Record
    text: str
    language: str = ""

    def order(self) -> tuple[float, int, str]:
        """Return what to sort by: the best first, of equal ones the shorter IRI."""
        return (-self.score, len(self.record.iri), self.record.iri)


class Index:
    """An opened index. ``sealed`` says what it is of; look-ups may run in any thread."""

    def __init__(self, sealed: Sealed) -> None:
        """Open checked files. Raises SearchDamaged."""
        self.sealed = sealed
        try:
            self._index = tantivy.Index.open(str(sealed.folder))
            self._searcher = self._index.searcher()
        except (OSError, ValueError) as error:
            raise SearchDamaged(f"{sealed.folder.parent}: {error}; build it again with `saga search build`") from error
        self._steps = Steps(self._searcher)
        self._read = lru_cache(_RECORDS_KEPT)(self._stored)
        self._labelled = lru_cache(_LABELS_KEPT)(self._label)

    @classmethod
    def open(cls, folder: Path, graph: str = "") -> Self:
        """Check every file of an index and open it. Raises SearchDamaged, whose text says what to do."""
        return cls(unsealed(folder, graph))

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def find(self, text: str, kind: Kind | None = None, language: str = "", limit: int = LIMIT) -> list[Hit]:
        """Return hits, the best first: what is called exactly so, what has these words, what is nearly so."""
        wanted = asked(text)
        found = {
            record.iri: _Candidate(_NAMED, "exact", record, text)
            for record in self._named(wanted)
            if kind in (None, record.kind)
        }
        for step in self._steps.of(wanted):
            if len(found) >= limit or step.effort > _worth(found):
                break
            for each in self._judged(step, wanted, kind, language, limit, _MOST_READ):
                found.setdefault(each.record.iri, each)
        return self._shown(found.values(), language, limit)

    def mentions(
        self, texts: Iterable[str], kind: Kind | None = None, language: str = "", limit: int = LIMIT
    ) -> dict[str, list[Hit]]:
        """Return what is called exactly so, for those of the first 2,000 texts that are names."""
        found = {}
        for text, _ in zip(dict.fromkeys(texts), range(_MOST_MENTIONS), strict=False):
            wanted = asked(text)
            for step in self._steps.exact(wanted):
                candidates = self._judged(step, wanted, kind, language, limit, 0)
                if candidates:
                    found[text] = self._shown(candidates, language, limit)
        return found

    def record(self, iri: str) -> Record | None:
        """Return the record of an IRI."""
        hits = self._searcher.search(self._steps.term("iri", iri), 1, False).hits
        return self._read(hits[0][1].segment_ord, hits[0][1].doc) if hits else None

    def _named(self, wanted: Asked) -> Iterator[Record]:
        """Yield what has the text as its id or IRI."""
        text = wanted.text
        if 1 < len(text) <= _ID_CHARS and " " not in text:
            for iri in expansions(text, self.sealed.namespaces):
                if self._steps.has("iri", iri):
                    record = self.record(iri)
                    if record is not None:
                        yield record

    def _judged(
        self, step: Step, wanted: Asked, kind: Kind | None, language: str, limit: int, most: int
    ) -> list[_Candidate]:
        """Return what fits among the most popular records that a step finds: its query is wider than the match.

        Less popular ones are not read once they cannot be among the best: to read one takes longer than to find it.
        """
        found: list[_Candidate] = []
        scores: list[float] = []
        for closest, place in self._places(step, kind, max(most, 2 * limit)):
            if len(scores) == limit and ceiling(step.match, closest, kind, language, place.popularity) < scores[0]:
                continue
            record = self._read(place.segment, place.number)
            fit = best(record, wanted, step.match, self.sealed.languages, language)
            if fit is not None:
                value = score(step.match, fit, record)
                found.append(_Candidate(value, step.match, record, fit.name.name.text, fit.language))
                (heapq.heappush if len(scores) < limit else heapq.heappushpop)(scores, value)
        return found

    def _places(self, step: Step, kind: Kind | None, most: int) -> list[tuple[int, _Place]]:
        """Return the most popular records with the closeness that they may have, the closest first."""
        found = self._popular(step.query, kind, most)
        closer = set(self._popular(step.closer, kind, most)) if step.closer else ()
        return sorted(((step.closest + (place in closer), place) for place in found), key=lambda pair: -pair[0])

    def _popular(self, query: tantivy.Query, kind: Kind | None, most: int) -> list[_Place]:
        wanted = query if kind is None else all_of([query, self._steps.term("kind", kind)])
        hits = self._searcher.search(wanted, most, False, "popularity").hits
        return [_Place(int(popularity), place.segment_ord, place.doc) for popularity, place in hits]

    def _shown(self, candidates: Iterable[_Candidate], language: str, limit: int) -> list[Hit]:
        """Return the best as hits; many more are read than shown."""
        languages = (language, *self.sealed.languages) if language else self.sealed.languages
        return [self._hit(each, languages) for each in heapq.nsmallest(limit, candidates, key=_Candidate.order)]

    def _hit(self, found: _Candidate, languages: tuple[str, ...]) -> Hit:
        record = found.record
        first = languages[0] if languages else ""
        return record.hit(
            found.match,
            "index",
            text=found.text,
            language=found.language,
            value=found.score,
            languages=languages,
            namespaces=self.sealed.namespaces,
            classes=tuple(self._labelled(iri, first) for iri in record.classes[:_MOST_CLASSES]),
        )

    def _label(self, iri: str, language: str) -> ClassName:
        record = self.record(iri)
        label = record.label((language, *self.sealed.languages)) if record else ""
        return ClassName(iri, shorten(iri, self.sealed.namespaces), label)

    def _stored(self, segment: int, number: int) -> Record:
        document = self._searcher.doc(tantivy.DocAddress(segment, number))
        return decoded(bytes(document.get_first("record") or b""))


def _worth(found: dict[str, _Candidate]) -> int:
    """Return the effort that is worth it: little where something is called so, or nearly so; most where nothing is."""
    if len(found) > _FEW or any(each.match in ("exact", "fuzzy") for each in found.values()):
        return 0
    return 1 if found else 2
