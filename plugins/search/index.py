"""The embedded index: exact names, then names with these words, then names with a typo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Self

import tantivy

from plugins.schema.shorthand import expansions, shorten
from plugins.search.folder import Sealed, SearchDamaged, unsealed
from plugins.search.folding import PREFIX_CHARS
from plugins.search.hit import LIMIT, ClassName, Hit, Kind, Match
from plugins.search.matching import MOST_TYPOS, Asked, asked, best, forgiven, in_order, score
from plugins.search.records import Name, Record, decoded
from plugins.search.writing import exact_field, schema

# Records that are read for one tier: the most popular ones. Names that more than so many share are hopeless anyway.
_MOST_READ = 40
_RECORDS_KEPT = 20_000
_LABELS_KEPT = 20_000
_MOST_CLASSES = 5
_MOST_MENTIONS = 2_000
_ID_CHARS = 200
_FEW = 2

Query = tantivy.Query
_MUST, _SHOULD = tantivy.Occur.Must, tantivy.Occur.Should


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
        self._schema = schema()
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
            record.iri: self._hit(record, Name(text, (), ()), "exact", language)
            for record in self._named(wanted)
            if kind in (None, record.kind)
        }
        for match, effort, query in self._queries(wanted):
            if len(found) >= limit or effort > _worth(found):
                break
            for hit in self._judged(query, wanted, match, kind, language, max(_MOST_READ, 2 * limit)):
                found.setdefault(hit.iri, hit)
        return in_order(list(found.values()))[:limit]

    def mentions(
        self, texts: Iterable[str], kind: Kind | None = None, language: str = "", limit: int = LIMIT
    ) -> dict[str, list[Hit]]:
        """Return what is called exactly so, for those of the first 2,000 texts that are names."""
        found = {}
        for text, _ in zip(dict.fromkeys(texts), range(_MOST_MENTIONS), strict=False):
            wanted = asked(text)
            if any(key and self._searcher.doc_freq(exact_field(key), key) for key in {wanted.folded, wanted.plain}):
                hits = [
                    hit
                    for query in self._exact(wanted)
                    for hit in self._judged(query, wanted, "exact", kind, language, 2 * limit)
                ]
                if hits:
                    found[text] = in_order(hits)[:limit]
        return found

    def record(self, iri: str) -> Record | None:
        """Return the record of an IRI."""
        hits = self._searcher.search(Query.term_query(self._schema, "iri", iri, "basic"), 1, False).hits
        return self._read(hits[0][1].segment_ord, hits[0][1].doc) if hits else None

    def _queries(self, wanted: Asked) -> Iterator[tuple[Match, int, Query]]:
        """Yield queries, the closest match first, each with its effort."""
        for query in self._exact(wanted):
            yield "exact", 0, query
        for query in self._prefix(wanted):
            yield "prefix", 0, query
        for effort, query in self._fuzzy(wanted):
            yield "fuzzy", effort, query

    def _named(self, wanted: Asked) -> Iterator[Record]:
        """Yield what has the text as its id or IRI."""
        text = wanted.text
        if 1 < len(text) <= _ID_CHARS and " " not in text:
            for iri in expansions(text, self.sealed.namespaces):
                if self._searcher.doc_freq("iri", iri):
                    record = self.record(iri)
                    if record is not None:
                        yield record

    def _exact(self, wanted: Asked) -> Iterator[Query]:
        keys = [key for key in dict.fromkeys((wanted.folded, wanted.plain)) if key]
        if keys:
            yield _any([self._term(exact_field(key), key) for key in keys])

    def _prefix(self, wanted: Asked) -> Iterator[Query]:
        """All words, the last of them perhaps only begun."""
        terms = wanted.terms
        if not terms:
            return
        *whole, (last, unspaced) = terms
        if unspaced:
            begun = self._term("signs", last)
        elif len(last) <= PREFIX_CHARS:
            begun = self._term("prefixes", last)
        else:
            begun = Query.fuzzy_term_query(self._schema, "words", last, 0, True, True)
        yield _all([*(self._term("signs" if signs else "words", each) for each, signs in whole), begun])

    def _fuzzy(self, wanted: Asked) -> Iterator[tuple[int, Query]]:
        """The whole name with one typo, then with two; then each word with few."""
        signs = "".join(word for word, unspaced in wanted.words if unspaced)
        if signs:
            for typos in range(1, wanted.typos + 1):
                yield typos - 1, self._most_of(signs, typos)
            return
        words = [word for word, _ in wanted.words]
        for typos in range(1, MOST_TYPOS + 1):
            if wanted.typos >= typos:
                yield 2 * (typos - 1), Query.fuzzy_term_query(self._schema, "exact", wanted.folded, typos)
            if any(forgiven(word) >= typos for word in words):
                yield typos, _all([self._near(word, min(typos, forgiven(word))) for word in words])

    def _near(self, word: str, typos: int) -> Query:
        return Query.fuzzy_term_query(self._schema, "words", word, typos) if typos else self._term("words", word)

    def _most_of(self, signs: str, missing: int) -> Query:
        """Names with all of these signs but so many."""
        each = [(_SHOULD, self._term("signs", sign)) for sign in sorted(set(signs))]
        return Query.boolean_query(each, max(1, len(each) - missing))

    def _term(self, field: str, text: str) -> Query:
        return Query.term_query(self._schema, field, text, "basic")

    def _judged(
        self, query: Query, wanted: Asked, match: Match, kind: Kind | None, language: str, most: int
    ) -> Iterator[Hit]:
        """Yield the hits among the most popular records that a query finds: a query is wider than the match."""
        if kind is not None:
            query = _all([query, self._term("kind", kind)])
        for _, place in self._searcher.search(query, most, False, "popularity").hits:
            record = self._read(place.segment_ord, place.doc)
            fit = best(record, wanted, match, self.sealed.languages, language)
            if fit is not None:
                yield self._hit(record, fit.name.name, match, language, fit.language, score(match, fit, record))

    def _hit(
        self, record: Record, name: Name, match: Match, language: str, tag: str = "", value: float = 0.9999
    ) -> Hit:
        languages = (language, *self.sealed.languages) if language else self.sealed.languages
        first = languages[0] if languages else ""
        return record.hit(
            match,
            "index",
            text=name.text,
            language=tag,
            value=value,
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


def _worth(found: dict[str, Hit]) -> int:
    """Return the effort that is worth it: little where something is called so, or nearly so; most where nothing is."""
    if len(found) > _FEW or any(hit.match in ("exact", "fuzzy") for hit in found.values()):
        return 0
    return 1 if found else 2


def _all(queries: Sequence[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.boolean_query([(_MUST, each) for each in queries])


def _any(queries: Sequence[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.disjunction_max_query(queries)
