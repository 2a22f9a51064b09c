"""What people say, and what properties are called: phrases of questions, and the names they speak for.

The names that a phrase speaks for count as if the question had said them. They are English words, not ids, so that they
serve any graph whose properties have English names. The phrases stand in `languages/*.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from plugins.nl.shape.language import languages
from plugins.nl.strategies.keyless.reading import fragments
from plugins.schema.words import fold

_FOLDER = Path(__file__).parent / "languages"
_NAMES = "names"
_PLAIN = "en"
# So many letters of a place are in its adjective.
_LEAST_STEM = 3


@dataclass(frozen=True, slots=True)
class Spoken:
    """That a name is spoken for: its place among all names that are, and the words that do so."""

    place: int
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Cue:
    pattern: re.Pattern[str]
    words: frozenset[str]
    names: tuple[str, ...]


@lru_cache(1024)
def spoken_for(question: str, language: str = _PLAIN) -> Mapping[str, Spoken]:
    """Return the folded names that the phrases of a folded question speak for, the likelier first."""
    found: dict[str, Spoken] = {}
    for cue in _cues(language):
        said = list(_overlapping(cue.pattern, question))
        if not said:
            continue
        words = cue.words.intersection(word for phrase in said for word in fragments(phrase))
        for name in cue.names:
            known = found.get(name, Spoken(len(found), frozenset()))
            found[name] = Spoken(known.place, known.words | words)
    return found


def _overlapping(pattern: re.Pattern[str], question: str) -> Iterator[str]:
    """Yield what matches, from each place on: in "how many people live" two phrases share a word."""
    match = pattern.search(question)
    while match is not None:
        yield match.group()
        match = pattern.search(question, match.start() + 1)


@cache
def measured_by(measure: str) -> tuple[str, ...]:
    """Return the folded names of what graphs hold of a measure, the likelier first."""
    return tuple(map(fold, _table(_NAMES)["measures"].get(measure, ())))


@cache
def placed() -> frozenset[str]:
    """Return the folded names of properties by which things are of a place."""
    return frozenset(map(fold, _table(_NAMES)["placed"]))


@cache
def anywhere() -> tuple[str, ...]:
    """Return the names of properties by which anything may be at a place."""
    return tuple(_table(_NAMES)["anywhere"])


@cache
def sorts() -> frozenset[str]:
    """Return the folded names of properties by which things are of a sort."""
    return frozenset(map(fold, _table(_NAMES)["sorts"]))


def unnamed(question: str, language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases of a folded question that ask for a class without its name, and its names: what to see."""
    found = ((pattern.search(question), names) for pattern, names in _classes(language))
    return {match.group().strip(): names for match, names in found if match is not None}


def degrees(question: str, language: str) -> frozenset[str]:
    """Return the words of superlatives and comparatives in a folded question."""
    known = languages()[_tag(language)]
    patterns = (known.superlatives, known.comparatives)
    return frozenset(
        word for each in patterns for match in each.finditer(question) for word in fragments(match.group())
    )


@cache
def idle(language: str) -> frozenset[str]:
    """Return the words of a language that a query need not account for."""
    return frozenset(fragments(_table(_tag(language)).get("idle", "")))


@cache
def telling(language: str) -> frozenset[str]:
    """Return the words of a language before a number that only tells how many there are."""
    return frozenset(fragments(_table(_tag(language)).get("telling", "")))


@cache
def abbreviations(language: str) -> Mapping[str, str]:
    """Return what the titles are short for that people put before names."""
    return dict(_table(_tag(language)).get("abbreviations", {}))


@lru_cache(4096)
def places(adjective: str, language: str) -> tuple[str, ...]:
    """Return what the place of a folded adjective may be called: Brazilian is of Brazil, of Brazilia, or of neither."""
    known = _table(_tag(language)).get("adjectives")
    head, _, last = adjective.rpartition(" ")
    if known is None or not last:
        return ()
    endings = sorted(known["endings"].items(), key=lambda pair: -len(pair[0]))
    made = [
        last.removesuffix(ending) + each
        for ending, others in endings
        if last.endswith(ending) and len(last) - len(ending) >= _LEAST_STEM
        for each in others
    ]
    if head:
        return tuple(f"{head} {each}" for each in made)
    return tuple(dict.fromkeys((*filter(None, (known["irregular"].get(last),)), *made)))


@cache
def _cues(language: str) -> tuple[_Cue, ...]:
    """Return the phrases of a language."""
    tag = _tag(language)
    phrases = languages()[tag].phrases
    return tuple(
        _Cue(phrases.pattern(cue["says"]), frozenset(fragments(" ".join(cue["says"]))), tuple(map(fold, cue["names"])))
        for cue in _table(tag)["cues"]
    )


@cache
def _classes(language: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    """Return the phrases of a language that ask for a class, and the names of each."""
    tag = _tag(language)
    phrases = languages()[tag].phrases
    given = _table(tag).get("classes", ())
    return tuple((phrases.pattern(each["says"]), tuple(each["names"])) for each in given)


def _tag(language: str) -> str:
    """Return a language that has a file: English where it has none."""
    known = language in languages() and (_FOLDER / f"{language}.toml").exists()
    return language if known else _PLAIN


@cache
def _table(name: str) -> Mapping[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
