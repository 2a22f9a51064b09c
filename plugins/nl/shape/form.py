"""What kind of answer is asked for: yes or no, a number, a date, one thing or many."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from plugins.nl.contract import AnswerForm
from plugins.nl.shape.language import Language
from plugins.nl.shape.phrases import group
from plugins.nl.shape.text import Text

# How far after "what is the" or "how many" the noun may begin that says what is wanted, in characters.
_NEAR, _BESIDE = 32, 18
_FORMS: Mapping[str, AnswerForm] = {"number": "number", "date": "date", "year": "year", "text": "text"}
# Cues that ask for a thing or things, and say what is wanted by a noun.
_NOUNS = {"what", "list"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What opens a question: its cue, empty where there is none, the end of its words, and the form it asks for."""

    form: AnswerForm
    cue: str = ""
    start: int = 0
    end: int = 0
    many: bool = False


def asked(language: Language, text: Text) -> Asked:
    """Return what a question asks for, before superlatives and comparisons are looked at."""
    if match := language.find("ask", text.plain):
        return Asked(form="ask", cue="ask", start=match.start(), end=match.end())
    match = language.openings.search(text.plain)
    if match is None:
        return _without_opening(language, text)
    cue = group(match)
    form = _form(language, text, cue, match)
    many = form == "list"
    return Asked(form="entity" if many else form, cue=cue, start=match.start(), end=match.end(), many=many)


def _without_opening(language: Language, text: Text) -> Asked:
    """A question without a question word is one for yes or no, but for "The highest mountain of Asia?"."""
    if "?" in text.plain and text.words and not language.superlatives.match(text.plain, text.words[0].start):
        first = language.verb_first and not language.find("noun_first", text.plain)
        if first or (language.find("ask_else", text.plain) and not language.find("phrase", text.plain)):
            return Asked(form="ask", cue="ask")
    return Asked(form=_by_noun(language, text, 0) or "entity")


def _form(language: Language, text: Text, cue: str, match: re.Match[str]) -> AnswerForm:
    if cue == "count":
        return "number" if _near(language, "measured", text, match.end(), _BESIDE) else "count"
    if cue in _FORMS:
        return _FORMS[cue]
    if cue in _NOUNS and (noun := _by_noun(language, text, match.end() if language.spaced else 0)):
        return noun
    return "list" if _many(language, text, cue) else "entity"


def _by_noun(language: Language, text: Text, start: int) -> AnswerForm | None:
    """Return what a noun beside the opening asks for: "the population of", "the birthday of"."""
    nouns: tuple[tuple[str, AnswerForm], ...] = (("dates", "date"), ("quantities", "number"), ("texts", "text"))
    near = ((_near(language, cue, text, start, _NEAR), form) for cue, form in nouns)
    # Of two that begin together the longer one is meant: "area code" is no area.
    found = [(match.start(), -match.end(), form) for match, form in near if match]
    return min(found)[2] if found else None


def _near(language: Language, cue: str, text: Text, start: int, reach: int) -> re.Match[str] | None:
    match = language.find(cue, text.plain, start)
    return match if match and (match.start() - start <= reach or not language.spaced) else None


def _many(language: Language, text: Text, cue: str) -> bool:
    if language.find("single", text.plain) or language.find("singular", text.plain):
        return False
    return cue == "list" or language.find("plural", text.plain) is not None
