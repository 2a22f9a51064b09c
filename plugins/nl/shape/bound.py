"""Numbers that a question compares with, and the years it asks about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from plugins.nl.contract import Bound, Comparison, Span
from plugins.nl.shape.language import Language
from plugins.nl.shape.phrases import YEAR
from plugins.nl.shape.text import Span as Part
from plugins.nl.shape.text import Text

_CUES: tuple[tuple[str, Comparison], ...] = (
    ("at_least", ">="),
    ("at_most", "<="),
    ("more_than", ">"),
    ("less_than", "<"),
    ("exactly", "="),
)
_DIGITS = re.compile(r"\d[\d.,]*")
_GROUPED = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*")
_YEAR = re.compile(YEAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When: which times count, one year, or the first and the last of several."""

    span: Span = "best"
    year: int | None = None
    since: int | None = None
    until: int | None = None


def bound(language: Language, text: Text) -> Bound | None:
    """Return the number that values are held against, and make its words blank: they are no comparison of things."""
    found = [
        (match.start(), -len(match.group()), sign, match) for cue, sign in _CUES for match in _all(language, text, cue)
    ]
    if not found:
        return None
    _, _, sign, match = min(found, key=lambda each: each[:2])
    text.ignore(Part(*match.span()))
    number = value(language, match.group())
    return None if number is None else Bound(comparison=sign, value=number)


def value(language: Language, said: str) -> float | None:
    """Return the last number that is said: `2,5 millions`, `zwei`, `twice`."""
    matches = list(language.counted.finditer(said))
    if not matches:
        return None
    words = matches[-1].group()
    digits = _DIGITS.search(words)
    number = _parsed(digits.group()) if digits else float(_named(language, words))
    factor = max((size for word, size in language.magnitudes.items() if word in words), default=1.0)
    return number * factor


def times(language: Language, text: Text) -> Times:
    """Return the times that a question is about."""
    since, until = _range(language, text)
    if since is not None or until is not None:
        return Times(since=since, until=until)
    match = language.find("in_year", text.unquoted)
    if match is not None:
        return Times(span="year", year=_years(match.group())[0])
    if language.find("now", text.plain):
        return Times(span="now")
    return Times(span="ever") if language.find("ever", text.plain) else Times()


def _range(language: Language, text: Text) -> tuple[int | None, int | None]:
    if match := language.find("between", text.unquoted):
        years = _years(match.group())
        return min(years), max(years)
    if match := language.find("decade", text.unquoted):
        first = _years(match.group())[0]
        return first, first + (99 if first % 100 == 0 else 9)
    since = until = None
    if match := language.find("after", text.unquoted):
        since = _years(match.group())[0] + (0 if language.find("starting", match.group()) else 1)
    if match := language.find("before", text.unquoted):
        until = _years(match.group())[0] - (0 if language.find("ending", match.group()) else 1)
    return since, until


def _all(language: Language, text: Text, cue: str) -> list[re.Match[str]]:
    return list(language.pattern(cue).finditer(text.plain))


def _years(said: str) -> list[int]:
    return [int(year) for year in _YEAR.findall(said)]


def _named(language: Language, said: str) -> int:
    words = set(said.split())
    found = (n for word, n in language.numbers.items() if word in words or (not language.spaced and word in said))
    return max(found, default=1)


def _parsed(digits: str) -> float:
    digits = digits.rstrip(".,")
    if _GROUPED.fullmatch(digits):
        return float(re.sub("[.,]", "", digits))
    whole, _, part = digits.replace(",", ".").partition(".")
    return float(f"{whole}.{part.replace('.', '')}")
