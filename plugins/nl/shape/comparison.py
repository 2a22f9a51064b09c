"""The things that a question puts side by side: "A or B", "A ... than B"."""

from __future__ import annotations

import re

from plugins.nl.shape.form import Asked
from plugins.nl.shape.language import Language
from plugins.nl.shape.text import Span, Text, trimmed

_BORDER = re.compile(r"[,:;?!]|\.(?=\s|$)")
_MOST_CHARS = 120
# A name of more words than this has a verb or a noun beside it.
_MOST_WORDS = 4


def compared(language: Language, text: Text, asked: Asked, degree: Span) -> tuple[str, ...]:
    """Return the two things of a comparison, or nothing where it has no two."""
    than = _than(language, text, degree) if asked.form == "ask" else None
    joint = than or _choice(language, text)
    if joint is None:
        return ()
    parts = (Span(_left(text, asked, degree, joint), joint.start), Span(joint.end, _right(text, asked, degree, joint)))
    if than is not None and degree.end <= than.start:
        # The first thing stands before the comparative, or between it and "than".
        before = Span(parts[0].start, degree.start)
        between = Span(max(asked.end, degree.end), than.start)
        parts = (before if _thing(language, text, before) else between, parts[1])
    things = tuple(_thing(language, text, part) for part in parts)
    return things if all(things) else ()


def _than(language: Language, text: Text, degree: Span) -> Span | None:
    match = language.find("than", text.unquoted, degree.end) or language.find("than", text.unquoted)
    return Span(*match.span()) if match else None


def _choice(language: Language, text: Text) -> Span | None:
    match = language.find("choice", text.unquoted) or language.find("choice_weak", text.unquoted)
    return Span(*match.span()) if match else None


def _left(text: Text, asked: Asked, degree: Span, joint: Span) -> int:
    """Return where the first thing may begin: after the last mark, opening and comparative before the joint."""
    ends = [match.end() for match in _BORDER.finditer(text.unquoted, 0, joint.start)]
    ends += [end for end in (asked.end, degree.end) if end <= joint.start]
    if asked.form == "ask" and degree.end <= joint.start:
        # "Is A bigger than B", "Is A older or B": the first thing stands before the comparative.
        ends = [end for end in ends if end <= degree.start]
    return max(ends, default=0)


def _right(text: Text, asked: Asked, degree: Span, joint: Span) -> int:
    """Return where the second thing must end."""
    border = _BORDER.search(text.unquoted, joint.end)
    starts = [asked.start, degree.start, border.start() if border else len(text.raw)]
    return min((start for start in starts if start > joint.end), default=len(text.raw))


def _thing(language: Language, text: Text, part: Span) -> str:
    if part.end <= part.start:
        return ""
    if not language.spaced:
        return _unspaced(language, text.said(part))
    words = [word for word in text.words if part.start <= word.start and word.end <= part.end]
    while words and text.folded[words[0].start : words[0].end] in language.stop:
        words.pop(0)
    while words and text.folded[words[-1].start : words[-1].end] in language.stop:
        words.pop()
    if len(words) > _MOST_WORDS:
        words = [word for word in words if word in text.capitals] or words
    if not words:
        return next((text.said(each) for each in text.quotes if part.start <= each.start <= part.end), "")
    return trimmed(text.said(Span(words[0].start, words[-1].end)))[:_MOST_CHARS]


def _unspaced(language: Language, said: str) -> str:
    said = trimmed(said)
    edges = sorted(language.stop, key=len, reverse=True)
    while cut := next((word for word in edges if said.startswith(word) and len(said) > len(word)), ""):
        said = said[len(cut) :]
    while cut := next((word for word in edges if said.endswith(word) and len(said) > len(word)), ""):
        said = said[: -len(cut)]
    return trimmed(said)[:_MOST_CHARS]
