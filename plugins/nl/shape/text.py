"""The text of a question as cues are looked for in it: folded to lower case, with names and quotations made blank."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Longer questions are read as far as this.
MOST_CHARS = 1_000
# No letter, and no part of a phrase.
BLANK = "\u00a4"

_QUOTED = re.compile(
    r"""["«“”„‟]([^"«»“”„‟]{1,200})["»“”‟]|[《「『]([^》」』]{1,200})[》」』]|(?<!\w)[‘'‚]([^'’‘]{2,100})['’](?!\w)"""
)
# Scripts that are written without spaces: Thai to Myanmar, Khmer, kana, Han.
UNSPACED = "\u0e00-\u0e7f\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_LETTER = rf"[^\W{UNSPACED}]"
_WORD = re.compile(rf"{_LETTER}(?:(?:{_LETTER}|[’'.-])*{_LETTER})?|[{UNSPACED}]+")
# Headlines write short words small; from so many capitals on a text without other small words is one.
_SHORT, _TITLED = 3, 4
# What may stand before the first word of a question, or of a part of it.
_OPENING = frozenset(".:?!¿¡…。？！：\n" + BLANK)
_FOLD = str.maketrans("ё’‘ʼ`´？！，：；　、–—", "е'''''?!,:; ,--")
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the text by its offsets."""

    start: int
    end: int


class Text:
    """A question's text in three forms of one length, so that offsets hold for each.

    Shapes: ``raw`` as written, but for letters in their composed form, so that an offset into the question is `origin`
    of one into it; ``folded`` in lower case; ``plain`` folded, without what stands in quotation marks and,
    where capitals tell, without names.
    """

    def __init__(self, raw: str) -> None:
        self.raw, self._origins = _composed(raw[:MOST_CHARS])
        self.folded = _lower(self.raw).translate(_FOLD)
        self.quotes = tuple(Span(*match.span(match.lastindex or 0)) for match in _QUOTED.finditer(self.raw))
        self.unquoted = _without(self.folded, self.quotes)
        self.words = tuple(Span(*match.span()) for match in _WORD.finditer(self.unquoted))
        self.capitals = self._capitals()
        self.plain = self.unquoted

    def name_free(self) -> None:
        """Make capitalised words blank as well."""
        self.plain = _without(self.plain, self.capitals)

    def ignore(self, span: Span) -> None:
        """Make a part blank."""
        self.plain = _without(self.plain, (span,))

    def origin(self, offset: int) -> int:
        """Return the offset into the question as it came."""
        return self._origins[offset] if self._origins else offset

    def said(self, span: Span) -> str:
        """Return a part as it was written."""
        return self.raw[span.start : span.end]

    def _capitals(self) -> frozenset[Span]:
        """Return the words whose capital is not due to their place; none where the text is all in capitals."""
        found = frozenset(word for word in self.words if self.raw[word.start].isupper() and not self._opens(word))
        long = (word for word in self.words if word.end - word.start > _SHORT)
        small = any(self.raw[word.start].islower() for word in long)
        titled = len(found) >= _TITLED and not small
        return frozenset() if titled or self.raw.isupper() else found

    def _opens(self, word: Span) -> bool:
        place = word.start - 1
        while place >= 0 and self.raw[place] == " ":
            place -= 1
        return place < 0 or self.raw[place] in _OPENING


def trimmed(text: str) -> str:
    """Return a name without white space, stops and the ending of a possessive."""
    return _POSSESSIVE.sub("", text.strip(" \t\r\n.,;:?!¿¡\"“”„«»'’‘()[]，。？！、；：")).strip()


def _composed(text: str) -> tuple[str, list[int]]:
    """Return a text with letter and accent as one sign, and where each sign came from; no list where nothing moved."""
    if unicodedata.is_normalized("NFC", text):
        return text, []
    composed, origins = "", []
    for start, part in _clusters(text):
        sign = unicodedata.normalize("NFC", part)
        composed += sign
        origins += [start] * len(sign)
    return composed, [*origins, len(text)]


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sign with the marks that follow it."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not unicodedata.combining(text[place]):
            yield start, text[start:place]
            start = place


def _lower(text: str) -> str:
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _without(text: str, spans: Iterable[Span]) -> str:
    signs = list(text)
    for span in spans:
        signs[span.start : span.end] = BLANK * (span.end - span.start)
    return "".join(signs)
