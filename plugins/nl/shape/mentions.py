"""What may name an entity: quotations, capitalised words, else every run of words that could."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from plugins.nl.contract import Mention
from plugins.nl.shape.language import Language
from plugins.nl.shape.text import UNSPACED, Span, Text, trimmed

MOST = 64
_MOST_WORDS = 6
_SIGNS = (2, 8)
# Runs of letters of a script without spaces, with the dots that join foreign names.
_RUN = re.compile(f"[{UNSPACED}·・•‧=＝-]+")
_SPOKEN = re.compile(f"[{UNSPACED}]")
# Marks that stand between names, never inside of one.
_APART = re.compile(r"[?!,:;()]|\.\s\s|¤")
_LOOSE = re.compile(r"[^\s'’.-]")


def mentions(language: Language, text: Text) -> tuple[Mention, ...]:
    """Return what may name an entity, longest first, at most 64 of them."""
    found: dict[Span, None] = dict.fromkeys(text.quotes)
    words = [word for word in text.words if not _SPOKEN.search(text.raw, word.start, word.end)]
    found.update(dict.fromkeys(_names(language, text, words) or _all(language, text, words)))
    if _SPOKEN.search(text.unquoted):
        found.update(dict.fromkeys(_unspaced(language, text)))
    named = [each for span in list(found)[:MOST] if (each := _mention(text, span))]
    unique = {(each.start, each.end): each for each in named}
    return tuple(sorted(unique.values(), key=lambda each: (each.start - each.end, each.start)))


def _all(language: Language, text: Text, words: list[Span]) -> list[Span]:
    """Return runs of words that could name something, where no capital tells."""
    return _runs(language, text, words, [word for word in words if not _common(language, text, word)])


def _names(language: Language, text: Text, words: list[Span]) -> list[Span]:
    """Return runs of words with a capital; the first word of a question counts where it is no common one."""
    capitals = set(text.capitals)
    if not capitals and not language.nouns_capital:
        return []
    first = words[0] if words else None
    if first and text.raw[first.start].isupper() and not _common(language, text, first):
        capitals.add(first)
    capitals.update(word for word in words if text.raw[word.start].isdigit())
    # Names go on in small letters: "Чёрное море", "Titanic disaster".
    near = {word for pair in pairwise(words) if not capitals.isdisjoint(pair) for word in pair}
    edges = [word for word in words if word in capitals or (word in near and not _common(language, text, word))]
    starts = sorted(word.start for word in capitals)
    return [run for run in _runs(language, text, words, edges) if any(run.start <= at < run.end for at in starts)]


def _runs(language: Language, text: Text, words: list[Span], edges: list[Span]) -> list[Span]:
    """Return runs that begin and end with one of ``edges``; the shortest first, for few names are long."""
    places = {word: n for n, word in enumerate(words)}
    inner = {word for word in words if text.folded[word.start : word.end] in language.joins}.union(edges)
    ends = frozenset(edges)
    found = []
    for first in edges:
        last = first
        for word in words[places[first] : places[first] + _MOST_WORDS]:
            if word not in inner or _APART.search(text.folded, last.end, word.start):
                break
            last = word
            if word in ends:
                found.append(Span(first.start, word.end))
    return sorted(found, key=lambda each: each.end - each.start)


def _common(language: Language, text: Text, word: Span) -> bool:
    return text.folded[word.start : word.end] in language.stop


def _unspaced(language: Language, text: Text) -> Iterator[Span]:
    """Yield runs of signs between the words that every question has: whole ones, then all parts from the shortest."""
    pieces = list(_pieces(language, text))
    yield from pieces
    for size in range(_SIGNS[0], _SIGNS[1] + 1):
        for piece in pieces:
            yield from (Span(start, start + size) for start in range(piece.start, piece.end - size + 1))


def _pieces(language: Language, text: Text) -> Iterator[Span]:
    for run in _RUN.finditer(text.unquoted):
        place = run.start()
        for cut in language.breaks.finditer(text.unquoted, run.start(), run.end()):
            if cut.start() - place >= _SIGNS[0]:
                yield Span(place, cut.start())
            place = cut.end()
        if run.end() - place >= _SIGNS[0]:
            yield Span(place, run.end())


def _mention(text: Text, span: Span) -> Mention | None:
    said = trimmed(text.said(span))
    if not said or not _LOOSE.search(said):
        return None
    start = text.raw.find(said, span.start)
    return Mention(text=said, start=text.origin(start), end=text.origin(start + len(said)))
