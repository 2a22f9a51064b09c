"""What the words of a question name: entities and properties, and which of them a query has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plugins.nl.gate.case import Case
from plugins.schema.words import fold, stems, words
from plugins.search import Hit

_MOST_HITS = 8
_MOST_NAMED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Words of the question that are the name of something."""

    text: str
    hits: tuple[Hit, ...]


def named(case: Case) -> list[Named]:
    """Return what the question names: of mentions that overlap only the longest, in the order of the question."""
    mentions = case.shape.mentions
    found = case.tools.knowledge.searcher.mentions(
        dict.fromkeys(each.text for each in mentions), None, case.language, _MOST_HITS
    )
    chosen: dict[int, Named] = {}
    taken: set[int] = set()
    for mention in sorted(mentions, key=lambda each: each.start - each.end):
        places = set(range(mention.start, mention.end))
        if found.get(mention.text) and taken.isdisjoint(places):
            taken |= places
            chosen[mention.start] = Named(text=mention.text, hits=tuple(found[mention.text]))
    return [chosen[start] for start in sorted(chosen)]


def in_answer(case: Case) -> tuple[str, ...]:
    """Return the IRIs of the answer, the first hundred."""
    iris = (term.value for row in case.table.rows for term in row if term and term.kind == "iri")
    return tuple(dict.fromkeys(iris))[:_MOST_NAMED]


async def called(case: Case, text: str, iris: Sequence[str]) -> tuple[str, ...]:
    """Return those of some IRIs that a text names: by the search, else by their whole label, else by words of it."""
    hits = case.tools.knowledge.searcher.mentions([text], None, case.language, _MOST_HITS).get(text, [])
    found = [hit.iri for hit in hits if hit.iri in iris]
    if found:
        return tuple(found)
    await case.tools.labels.learn(iris)
    labels = {iri: label for iri, label in case.tools.labels.mapping(iris).items()}
    whole = tuple(iri for iri, label in labels.items() if fold(label) == fold(text))
    wanted = set(words(text))
    return whole or tuple(iri for iri, label in labels.items() if wanted and wanted <= set(words(label)))


async def stems_of(case: Case, iris: Iterable[str]) -> frozenset[str]:
    """Return the stems of the labels of some IRIs."""
    known = tuple(iris)
    await case.tools.labels.learn(known)
    return frozenset(stem for label in case.tools.labels.mapping(known).values() for stem in stems(label))


async def classes_called(case: Case, label: str) -> tuple[Hit, ...]:
    """Return the classes that a word such as `bridges` may mean."""
    hits = await case.tools.knowledge.searcher.find(label, "entity", case.language, _MOST_HITS)
    return tuple(hit for hit in hits if hit.is_class and set(stems(hit.text or hit.label)) == set(stems(label)))
