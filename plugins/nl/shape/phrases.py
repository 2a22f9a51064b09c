"""Phrases of a language file, and the patterns that they stand for.

What a phrase tells is said by its cue, see cues.py. It is plain words in lower case, with these signs: `*` any letters,
`..` up to six words, `#` a number, `%` a year, `@` an ordinal, `&` the name of a language, `^` the beginning of the
question, `$` its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

YEAR = r"[12]\d{3}"
_FIRST, _LAST = r"\A\W*", r"(?=\W*\Z)"
_SIGNS = re.compile(r"\.\.|[*#%@&^$]|\s+")


class Phrases:
    """Turn phrases into patterns. ``named`` are the patterns of the signs `#`, `@` and `&`."""

    def __init__(self, named: Mapping[str, str], *, spaced: bool) -> None:
        self._open, self._close = (r"(?<!\w)", r"(?!\w)") if spaced else ("", "")
        self._signs = {
            "..": r"(?:\s+\S+){0,6}?" if spaced else ".{0,20}?",
            "*": r"\w*" if spaced else ".{0,6}?",
            "%": rf"(?<!\d){YEAR}(?!\d)",
            "^": _FIRST,
            "$": _LAST,
            **named,
        }

    def pattern(self, phrases: Iterable[str]) -> re.Pattern[str]:
        """Return what finds any of the phrases; without phrases, what finds nothing."""
        return self.grouped({"any": phrases})

    def grouped(self, groups: Mapping[str, Iterable[str]]) -> re.Pattern[str]:
        """Return what finds any phrase of any group, the longest where several begin at one place; see `group`."""
        found = sorted({(-len(phrase), phrase, name) for name, phrases in groups.items() for phrase in phrases})
        parts = (f"(?P<{name}__{n}>{self._one(phrase)})" for n, (_, phrase, name) in enumerate(found))
        return re.compile(f"{self._open}(?:{'|'.join(parts) or '(?!)'}){self._close}")

    def _one(self, phrase: str) -> str:
        out, place = [], 0
        for sign in _SIGNS.finditer(phrase):
            out += [re.escape(phrase[place : sign.start()]), self._signs.get(sign.group(), r"\s+")]
            place = sign.end()
        # A gap brings the space before it.
        return "".join([*out, re.escape(phrase[place:])]).replace(r"\s+(?:\s+\S+)", r"(?:\s+\S+)")


def group(match: re.Match[str]) -> str:
    """Return the name of the group that was found."""
    return (match.lastgroup or "").rpartition("__")[0]
