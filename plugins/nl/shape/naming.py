"""What a question says of names: the language of a label, what a text starts with, what is excluded, the class."""

from __future__ import annotations

import re
from typing import Literal

from plugins.nl.contract import Polarity, TextMatch
from plugins.nl.shape.form import Asked
from plugins.nl.shape.language import Language
from plugins.nl.shape.text import Span, Text, trimmed

_WHERE: tuple[tuple[str, Literal["start", "inside", "end"]], ...] = (
    ("starts", "start"),
    ("ends", "end"),
    ("contains", "inside"),
)
_POLARITY: tuple[Polarity, ...] = ("not", "never", "without", "except", "only", "alive")
_TURNING = frozenset({"not", "never", "without", "alive"})
_BORDER = re.compile(r"[,;?!:]|\.(?=\s|$)")
_PART = re.compile(r"\S+")
_MOST_TYPE = 60
_MOST_EXCLUDED = 10


def label_language(language: Language, text: Text) -> str:
    """Return the tag of the language in which a name is asked for."""
    match = language.find("label", text.unquoted)
    if match is None:
        return ""
    said = [
        (match.group().rfind(name), len(name), tag) for name, tag in language.names.items() if name in match.group()
    ]
    return max(said)[2] if said else ""


def text_match(language: Language, text: Text) -> TextMatch | None:
    """Return what a text must start with, end with or contain."""
    for cue, where in _WHERE:
        if match := language.find(cue, text.unquoted):
            quoted = next((text.said(each) for each in text.quotes if match.end() <= each.start <= match.end() + 8), "")
            said = quoted or _next_part(language, text, match.end())
            if said:
                return TextMatch(where=where, text=said)
    return None


def polarity(language: Language, text: Text) -> tuple[Polarity, ...]:
    """Return the kinds of words that turn or narrow the question."""
    # "Is she alive?" may open with a part of the phrase; what opens a question is blank in the plain text.
    return tuple(cue for cue in _POLARITY if language.find(cue, text.unquoted if cue == "alive" else text.plain))


def negated(said: tuple[Polarity, ...]) -> bool:
    """Whether the question asks for what does not hold; who is still alive has no date of death."""
    return not _TURNING.isdisjoint(said)


def excluded(language: Language, text: Text) -> tuple[str, ...]:
    """Return what stands after "except"."""
    match = language.find("except", text.plain)
    if match is None:
        return ()
    border = language.find("except_end", text.unquoted, match.end())
    if border is None:
        border = re.compile(r"[?!;:]|\.(?=\s|$)|,(?=[^,]*\w\?)").search(text.unquoted, match.end())
    end = border.start() if border else len(text.raw)
    found, place = [], match.end()
    for joint in [*language.pattern("and").finditer(text.unquoted, match.end(), end), None]:
        found.append(trimmed(text.said(Span(place, joint.start() if joint else end))))
        place = joint.end() if joint else end
    return tuple(_without_article(language, each) for each in found if each)[:_MOST_EXCLUDED]


def type_label(language: Language, text: Text, asked: Asked) -> str:
    """Return the words for the class of the answer, in the question's own form."""
    if asked.cue in ("who", "where"):
        return "person" if asked.cue == "who" else "place"
    before = language.find("type_before", text.unquoted)
    if before is not None:
        return trimmed(text.said(Span(max(0, before.start() - 2), before.start())))
    if asked.cue not in ("which", "list", "count", "what"):
        return ""
    if not language.spaced:
        match = language.type.match(text.raw, asked.end)
        return match.group() if match else ""
    return _class_words(language, text, asked.end)


def _class_words(language: Language, text: Text, start: int) -> str:
    """Return the words for a class that follow, without articles, numbers and superlatives before them."""
    degree = language.superlatives.search(text.plain, start)
    for word in text.words:
        said = text.folded[word.start : word.end]
        if word.end <= start or said in language.stop or said in language.numbers or said[0].isdigit():
            continue
        if degree is not None and degree.start() <= word.start < degree.end():
            continue
        match = language.type.match(text.raw, word.start) or language.type.match(text.folded, word.start)
        found = Span(*match.span()) if match else word
        name = found == word and word in text.capitals and not language.nouns_capital
        return "" if name else trimmed(text.said(found))[:_MOST_TYPE]
    return ""


def _next_part(language: Language, text: Text, start: int) -> str:
    if not language.spaced:
        match = re.compile(r"[^\s,?!。的吗]+").search(text.folded, start)
        return trimmed(text.said(Span(*match.span()))) if match else ""
    for match in _PART.finditer(text.folded, start):
        word = trimmed(match.group())
        if word and word not in language.stop:
            return trimmed(text.said(Span(*match.span())))
    return ""


def _without_article(language: Language, name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if rest and first.lower() in language.articles else name
