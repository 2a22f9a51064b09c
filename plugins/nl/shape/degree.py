"""Superlatives and comparatives: which end is wanted, of what, at which place, how many of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from plugins.nl.contract import Measure, Superlative
from plugins.nl.shape.bound import value
from plugins.nl.shape.language import Language
from plugins.nl.shape.phrases import group
from plugins.nl.shape.text import Span, Text

# How far before a superlative its ordinal or its number may stand, in characters: "second very largest", "ten of the".
_REACH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Degree:
    """One superlative or comparative, and where it stands."""

    end: Superlative
    measure: Measure
    span: Span
    place: int = 1
    top: int | None = None


def superlative(language: Language, text: Text) -> Degree | None:
    """Return the first superlative of a question; "the third president" is one too: the third in time."""
    matches = (each for each in language.superlatives.finditer(text.plain) if not _compares(language, text, each))
    found = _degree(next(matches, None))
    ordinals = [match for match in language.ordinal.finditer(text.plain) if language.ordinals[match.group()] > 1]
    if found is None:
        return _by_ordinal(language, ordinals[0]) if ordinals else None
    start = max(0, found.span.start - _REACH)
    near = [each for each in ordinals if start <= each.start() <= found.span.end]
    place = language.ordinals[near[0].group()] if near else 1
    return Degree(
        end=found.end, measure=found.measure, span=found.span, place=place, top=_top(language, text, found.span)
    )


def comparative(language: Language, text: Text) -> Degree | None:
    """Return the first comparative of a question."""
    than = None if language.spaced else language.find("than", text.plain)
    for match in language.comparatives.finditer(text.plain):
        # One sign is part of many words; it compares only where "than" stands before it.
        if language.spaced or len(match.group()) > 1 or (than is not None and match.start() >= than.end()):
            return _degree(match)
    return None


def _compares(language: Language, text: Text, match: re.Match[str]) -> bool:
    """Whether "than" follows at once, where one word serves both degrees: `más grande que`."""
    than = language.find("than", text.plain, match.end())
    return than is not None and not text.plain[match.end() : than.start()].strip()


def _degree(match: re.Match[str] | None) -> Degree | None:
    if match is None:
        return None
    measure, _, end = group(match).rpartition("_")
    return Degree(end=cast(Superlative, end), measure=cast(Measure, measure), span=Span(*match.span()))


def _by_ordinal(language: Language, match: re.Match[str]) -> Degree:
    return Degree(end="min", measure="time", span=Span(*match.span()), place=language.ordinals[match.group()])


def _top(language: Language, text: Text, span: Span) -> int | None:
    match = language.find("top", text.plain)
    if match is not None and match.start() <= span.end:
        number = value(language, match.group())
        return int(number) if number is not None and 1 < number <= 10_000 else None
    return None
