"""The one argument of an action, out of its brackets, quotes and fences."""

from __future__ import annotations

import json
import re

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_IRI = re.compile(r"<[^\s<>\"{}|^`\\]*>")
_STRING = re.compile(r'"{3}.*?"{3}|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
# An apostrophe inside a word opens no string: Alzheimer's disease.
_QUOTED = re.compile(r"(?<!\w)'(?:[^'\\\n]|\\.)*'(?!\w)")
_KEYWORD = re.compile(r"[A-Za-z_]\w*+\s*+[=:]\s*+(?=[\"'`])")
_BARE_QUOTE = re.compile(r'(?<!\\)"')
_QUOTES = ('"""', "'''", '"', "'", "`")
_FENCE = "```"


def bracketed(text: str, at: int) -> tuple[str, int] | None:
    """Return what is between the bracket here and the one that closes it, and the place behind that; None for none.

    Brackets in strings and IRIs do not count.
    """
    depth, position = 0, at
    while position < len(text):
        sign = text[position]
        if skipped := _skipped(text, position):
            position = skipped
            continue
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if not depth:
                return text[at + 1 : position], position + 1
        position += 1
    return None


def _skipped(text: str, at: int) -> int:
    """Return the place behind the string or IRI that begins here; 0 for none."""
    pattern = {'"': _STRING, "'": _QUOTED, "<": _IRI}.get(text[at])
    found = pattern.match(text, at) if pattern else None
    return found.end() if found else 0


def plain(argument: str) -> str:
    """Return an argument without what was put around it: fences, quotes, the name of a parameter."""
    argument = unfenced(argument.strip()).strip()
    if keyword := _KEYWORD.match(argument):
        argument = argument[keyword.end() :]
    quote = next((each for each in _QUOTES if argument.startswith(each)), "")
    inner = argument.removesuffix(",").rstrip()[len(quote) : -len(quote) or None]
    # Two strings side by side are no string.
    if not quote or not argument.endswith((quote, quote + ",")) or re.search(rf"(?<!\\){quote}", inner):
        return argument
    return (_unescaped(inner) if "\\" in inner else inner).strip()


def unfenced(text: str) -> str:
    """Return the first block of code in a text that begins with one, also where it does not end; else the text."""
    if not text.startswith(_FENCE):
        return text
    first, newline, rest = text[len(_FENCE) :].partition("\n")
    # What stands on the line of the fence is the language, unless all is on that line.
    code = rest if newline and re.fullmatch(r"[\w-]*\s*", first) else text[len(_FENCE) :]
    return code.partition(_FENCE)[0]


def _unescaped(text: str) -> str:
    """Undo the escapes of a string; what has others than JSON's stays as it is."""
    try:
        return str(json.loads('"' + _BARE_QUOTE.sub(r'\\"', text) + '"', strict=False))
    except ValueError:
        return text
