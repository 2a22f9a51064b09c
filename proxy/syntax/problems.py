"""What kept us from reading a text, said so that a person can mend it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from proxy.syntax.words import KEYWORDS

_LINE_END = re.compile(r"\r\n?|\n")
_SHOWN = 40


class Position(NamedTuple):
    """A place in a text; lines and columns start at 1, columns count characters."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a text is unchecked: what would have been right, and what stands there.

    Shapes: ``expected`` holds short descriptions ("a term", "'}'"), empty where the place is not to blame;
    ``found`` is the token as written, "the end" for the end of the text.
    """

    line: int
    column: int
    message: str
    expected: tuple[str, ...] = ()
    found: str = ""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class Unreadable(Exception):
    """The grammar stops at a token. Never leaves this package."""

    def __init__(self, index: int, expected: tuple[str, ...], hint: str = "") -> None:
        super().__init__(index, expected)
        self.index = index
        self.expected = expected
        self.hint = hint


def position(text: str, offset: int) -> Position:
    r"""Find the line and column of an offset; ``\n``, ``\r\n`` and ``\r`` end a line."""
    line, start = 1, 0
    for match in _LINE_END.finditer(text, 0, offset):
        line, start = line + 1, match.end()
    return Position(line, offset - start + 1)


def describe(text: str, offset: int, kind: str, found: str, stop: Unreadable) -> Problem:
    """Word the place where reading stopped; ``text`` is the original one."""
    line, column = position(text, offset)
    shown = "the end" if kind == "end" else found if len(found) <= _SHOWN else found[: _SHOWN - 3] + "..."
    if kind == "unterminated":
        message = f"the string that starts with {shown[:12]} is never closed"
        return Problem(line, column, message, ("a closing quote",), shown)
    wanted = _either(stop.expected)
    message = f"expected {wanted}, found {shown if kind == 'end' else _quoted(shown)}"
    hint = stop.hint or _hint(kind, found, text, offset)
    return Problem(line, column, message + (f"; {hint}" if hint else ""), stop.expected, shown)


def nearest(word: str, words: frozenset[str] = KEYWORDS) -> str | None:
    """Find the keyword that a misspelt word was most likely meant to be."""
    if not 2 < len(word) <= 20 or word.upper() in words:
        return None
    close = get_close_matches(word.upper(), words, n=1, cutoff=0.7)
    return close[0] if close else None


def _hint(kind: str, found: str, text: str, offset: int) -> str:
    if kind == "unknown":
        return _strange(found)
    if kind == "<" and text[offset + 1 : offset + 2].isalpha():
        return "if an IRI was meant, it holds a space or another character that IRIs cannot have"
    close = nearest(found)
    return f"did you mean {close}?" if close else ""


def _strange(found: str) -> str:
    if found == "\\":
        return "a backslash may stand only in strings and in names"
    if found.isspace():
        return f"this is a special space (U+{ord(found):04X}): write a usual one"
    if found in "“”„‘’`":
        return "strings are quoted with \" or '"
    return "" if found.isprintable() else f"this is the character U+{ord(found):04X}"


def _quoted(found: str) -> str:
    return f"'{found}'" if found.isprintable() else repr(found)


def _either(expected: tuple[str, ...]) -> str:
    if len(expected) < 3:
        return " or ".join(expected)
    return ", ".join(expected[:-1]) + ", or " + expected[-1]
