"""What is searched for in the index, the closest match first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import tantivy

from plugins.search.folding import PREFIX_CHARS
from plugins.search.hit import Match
from plugins.search.matching import MOST_TYPOS, Asked, forgiven, respaced
from plugins.search.writing import exact_field, schema

Query = tantivy.Query
_MUST, _SHOULD = tantivy.Occur.Must, tantivy.Occur.Should


class Step(NamedTuple):
    """A query, the effort that it is, and how closely a name fits at best; by one more if ``closer`` finds it too."""

    match: Match
    effort: int
    closest: int
    query: Query
    closer: Query | None = None


class Steps:
    """Make the queries for a text. What the lists of terms tell beforehand saves most of them."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._schema = schema()

    def of(self, wanted: Asked) -> Iterator[Step]:
        """Yield all steps, by match and effort."""
        yield from self.exact(wanted)
        yield from self._prefix(wanted)
        yield from self._fuzzy(wanted)

    def has(self, field: str, text: str) -> bool:
        """Whether any record has a term."""
        return bool(self._searcher.doc_freq(field, text))

    def term(self, field: str, text: str) -> Query:
        """Return the query for a term."""
        return Query.term_query(self._schema, field, text, "basic")

    def exact(self, wanted: Asked) -> Iterator[Step]:
        """Yield a step where anything is called so."""
        keys = self._named((wanted.folded, wanted.plain))
        if keys:
            yield Step("exact", 0, 3, any_of(keys))

    def _prefix(self, wanted: Asked) -> Iterator[Step]:
        """All words, the last of them perhaps only begun."""
        terms = [("signs" if unspaced else "words", term) for term, unspaced in wanted.terms]
        if not terms or not all(self.has(*each) for each in terms[:-1]):
            return
        field, last = terms[-1]
        before = [self.term(*each) for each in terms[:-1]]
        complete = all_of([*before, self.term(field, last)])
        if field == "signs":
            yield Step("prefix", 0, 1, complete)
        else:
            closer = complete if self.has(field, last) else None
            yield Step("prefix", 0, 0, all_of([*before, self._begun(last)]), closer)

    def _fuzzy(self, wanted: Asked) -> Iterator[Step]:
        """The whole name with one typo, then with two; then each word with few."""
        signs = "".join(word for word, unspaced in wanted.words if unspaced)
        if signs:
            for typos in range(1, wanted.typos + 1):
                yield Step("fuzzy", typos - 1, 2, self._most_of(signs, typos))
            return
        strange = {word for word, _ in wanted.words if not self.has("words", word)}
        for typos in range(1, MOST_TYPOS + 1):
            alone = typos == 1 and len(strange) == 1 < len(wanted.words)
            if wanted.typos >= typos:
                whole = self._one(wanted, strange) if alone else self._whole(wanted, typos)
                yield Step("fuzzy", 2 * (typos - 1), 2, whole)
            if any(forgiven(word) >= typos for word, _ in wanted.words):
                # Words that names have are suspected only where nothing else is found.
                effort = typos if strange and not alone else 2
                near = [self._near(word, min(typos, forgiven(word))) for word, _ in wanted.words]
                yield Step("fuzzy", effort, 2, all_of(near))

    def _one(self, wanted: Asked, strange: set[str]) -> Query:
        """The one word that no name has is wrong, or a space is: to look for it among words is half of the work."""
        words = [self._near(word, int(word in strange)) for word, _ in wanted.words]
        return any_of([all_of(words), *self._named(respaced(wanted.plain))])

    def _whole(self, wanted: Asked, typos: int) -> Query:
        return Query.fuzzy_term_query(self._schema, "exact", wanted.folded, typos)

    def _near(self, word: str, typos: int) -> Query:
        return Query.fuzzy_term_query(self._schema, "words", word, typos) if typos else self.term("words", word)

    def _begun(self, word: str) -> Query:
        if len(word) <= PREFIX_CHARS:
            return self.term("prefixes", word)
        return Query.fuzzy_term_query(self._schema, "words", word, 0, True, True)

    def _most_of(self, signs: str, missing: int) -> Query:
        """Names with all of these signs but so many."""
        each = [(_SHOULD, self.term("signs", sign)) for sign in sorted(set(signs))]
        return Query.boolean_query(each, max(1, len(each) - missing))

    def _named(self, names: Iterable[str]) -> list[Query]:
        """Return queries for those of the names that anything has."""
        keys = (key for key in dict.fromkeys(names) if key)
        return [self.term(exact_field(key), key) for key in keys if self.has(exact_field(key), key)]


def all_of(queries: Sequence[Query]) -> Query:
    """Return the query for what each of these finds."""
    return queries[0] if len(queries) == 1 else Query.boolean_query([(_MUST, each) for each in queries])


def any_of(queries: Sequence[Query]) -> Query:
    """Return the query for what any of these finds."""
    return queries[0] if len(queries) == 1 else Query.disjunction_max_query(queries)
