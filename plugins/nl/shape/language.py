"""One language: the file with its words, and the patterns made of them. A new file is a new language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from plugins.nl.shape.phrases import Phrases

# Cues that say what is asked for; the first one in a question decides.
OPENINGS = ("count", "number", "date", "year", "list", "who", "where", "which", "what", "how", "text")

_FOLDER = Path(__file__).parent / "languages"


class Language:
    """What words mean in one language. A file may leave out any part.

    Shapes: ``tag`` is that of the file's name; ``letters`` finds a letter of the language's script; ``spaced`` says
    that words stand apart; ``nouns_capital`` that a capital does not make a name; ``verb_first`` that a question
    without a question word is one for yes or no; ``ordinals_begin`` that an ordinal may begin a longer word; ``stop``
    are words that name nothing, ``joins`` those that stand inside of names, ``articles`` those before them;
    ``numbers`` and ``ordinals`` are words in their order, several of one number in one text; ``magnitudes`` multiply a
    number before them; ``names`` are those of languages, with their tags; ``measures`` have the words `most`, `least`,
    `more` and `less` of each measure. The cues are those of cues.py; the type is a pattern of the words for a class.
    """

    def __init__(self, tag: str, table: Mapping[str, Any]) -> None:
        self.tag = tag
        self.letters = re.compile(f"[{table.get('letters', 'a-z')}]")
        self.spaced = bool(table.get("spaced", True))
        self.nouns_capital = bool(table.get("nouns_capital", False))
        self.verb_first = bool(table.get("verb_first", False))
        self.ordinals_begin = bool(table.get("ordinals_begin", False))
        self.stop = frozenset(table.get("stop", "").split())
        self.joins = frozenset(table.get("joins", "").split())
        self.articles = frozenset(table.get("articles", "").split())
        self.numbers = _numbered(table.get("numbers", ()))
        self.ordinals = _numbered(table.get("ordinals", ()))
        self.magnitudes: Mapping[str, float] = table.get("magnitudes", {})
        self.names = {name: tag for tag, names in table.get("languages", {}).items() for name in names}
        self.measures: Mapping[str, Mapping[str, Sequence[str]]] = table.get("measures", {})
        self._cues: Mapping[str, Sequence[str]] = table.get("cues", {})
        self._type: str = table.get("type", r"\w+")
        self._patterns: dict[str, re.Pattern[str]] = {}

    def find(self, cue: str, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the first place where a cue stands in a plain text."""
        return self.pattern(cue).search(text, start)

    def pattern(self, cue: str) -> re.Pattern[str]:
        """Return the pattern of a cue; one that the file lacks finds nothing."""
        if cue not in self._patterns:
            self._patterns[cue] = self.phrases.pattern(self._cues.get(cue, ()))
        return self._patterns[cue]

    @cached_property
    def phrases(self) -> Phrases:
        """What turns the phrases of this language into patterns."""
        named = {"#": self.number, "@": _any(self.ordinals), "&": _any(self.names)}
        return Phrases(named, spaced=self.spaced)

    @cached_property
    def openings(self) -> re.Pattern[str]:
        """The pattern of what opens a question; its last group is the cue."""
        return self.phrases.grouped({cue: self._cues.get(cue, ()) for cue in OPENINGS})

    @cached_property
    def number(self) -> str:
        """The pattern of a number: digits or a word, a magnitude, or both."""
        digits = r"\d{1,15}(?:[.,]\d{1,6}){0,4}"
        magnitude = _any(self.magnitudes)
        return rf"(?:(?:{digits}|{_any(self.numbers)})(?:\s?{magnitude})?|{magnitude})"

    @cached_property
    def counted(self) -> re.Pattern[str]:
        """What finds a number."""
        return self._word(self.number)

    @cached_property
    def ordinal(self) -> re.Pattern[str]:
        """What finds an ordinal, where the language has it so also one that begins a word: `zweitgrößte`."""
        return self._word(_any(self.ordinals), end="" if self.ordinals_begin else r"(?!\w)")

    @cached_property
    def type(self) -> re.Pattern[str]:
        """The pattern of the words for a class, where they follow `which`."""
        stop = "|".join(sorted(map(re.escape, self.stop), key=len, reverse=True))
        return re.compile(self._type.replace("<stop>", rf"(?:{stop})(?!\w)"))

    @cached_property
    def superlatives(self) -> re.Pattern[str]:
        """The pattern of superlatives; its last group is measure and end, such as `time_min`."""
        return self.phrases.grouped(self._ends("least", "most"))

    @cached_property
    def comparatives(self) -> re.Pattern[str]:
        """The pattern of comparatives; its last group is measure and end."""
        return self.phrases.grouped(self._ends("less", "more"))

    @cached_property
    def breaks(self) -> re.Pattern[str]:
        """What stands between names in a script without spaces: the words that name nothing."""
        return re.compile(_any(dict.fromkeys(self.stop)))

    def _word(self, source: str, end: str = r"(?!\w)") -> re.Pattern[str]:
        return re.compile(rf"(?<!\w){source}{end}" if self.spaced else source)

    def _ends(self, low: str, high: str) -> dict[str, Sequence[str]]:
        ends = (("min", low), ("max", high))
        return {f"{name}_{end}": words.get(key, ()) for name, words in self.measures.items() for end, key in ends}


@cache
def languages() -> Mapping[str, Language]:
    """Return all languages that have a file, by tag."""
    tables = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_FOLDER.glob("*.toml"))}
    return {tag: Language(tag, table) for tag, table in tables.items()}


def _numbered(words: Sequence[str]) -> dict[str, int]:
    """Return each word with the place it has in the file, from 1; several of one place stand in one text."""
    return {word: n for n, group in enumerate(words, 1) for word in group.split()}


def _any(words: Mapping[str, Any]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})" if words else r"(?!)"
