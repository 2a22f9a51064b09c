"""Text as it is compared: case, diacritics and forms folded; cut into words, or pairs where a script has no spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

MOST_CHARS = 250
MOST_WORDS = 12
# Prefixes up to this length are terms of their own: longer ones are few enough to be found in the list of words.
PREFIX_CHARS = 4

# Marks that readers leave out: of Latin, Greek and Cyrillic letters, vowel points of Hebrew and Arabic. The vowel
# signs of other scripts are letters to their readers and stay.
_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f]+"
)
_NOTHING = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]+")
_SPACE = re.compile("[\x00-\x20\x7f-\xa0\u2028\u2029]+")
# Letters that no normal form takes apart, and signs that keyboards lack.
_LETTERS = str.maketrans(
    {
        "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŋ": "n",
        **dict.fromkeys("\u2018\u2019\u02bc\u02bb\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("\u0964\u0965", " "),
    }
)  # fmt: skip
# Scripts that are written without spaces, and Hangul, whose words grow at their ends: Thai to Myanmar, Khmer, kana,
# Han. Thousands of signs may stand anywhere in them, where an alphabet has dozens.
_UNSPACED = "".join(
    (
        "\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff",
        "\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff",
    )
)
_SIGNS = re.compile(f"([{_UNSPACED}]+)")
_WORD, _ASCII_WORD = re.compile("[\\w\u0900-\u0dff]+"), re.compile("[a-zA-Z0-9]+")


def fold(text: str) -> str:
    """Return a text as it is compared, at most 250 characters of it."""
    text = text[: 4 * MOST_CHARS]
    if text.isascii():
        text = text.lower()
    else:
        text = text.encode("utf-8", "replace").decode()
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        text = unicodedata.normalize("NFC", _NOTHING.sub("", _MARKS.sub("", text))).translate(_LETTERS)
    return _SPACE.sub(" ", text).strip()[:MOST_CHARS].rstrip()


def runs(folded: str) -> list[tuple[str, bool]]:
    """Return the words of a folded text; True stands beside a run of a script without spaces."""
    if folded.isascii():
        return [(word, False) for word in _ASCII_WORD.findall(folded)]
    found: list[tuple[str, bool]] = []
    for place, part in enumerate(_SIGNS.split(folded.replace("_", " "))):
        if place % 2:
            found.append((part, True))
        else:
            found += [(word, False) for word in _WORD.findall(part)]
    return found


def plain(folded: str) -> str:
    """Return the words of a folded text alone: `spider-man` and `spider man` are one."""
    return " ".join(word for word, _ in runs(folded))


def has_signs(folded: str) -> bool:
    """Whether any part of a text is of a script without spaces."""
    return not folded.isascii() and _SIGNS.search(folded) is not None


def wanted(words: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Return the terms that a name must have to hold these words; True stands beside signs and pairs of them."""
    found: list[tuple[str, bool]] = []
    for word, unspaced in words:
        found += [(pair, True) for pair in _pairs(word)] if unspaced and len(word) > 1 else [(word, unspaced)]
    return found


def terms(folded: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the terms under which names are found: their words, and their signs with pairs of them."""
    words: set[str] = set()
    signs: set[str] = set()
    for name in folded:
        for word, unspaced in runs(name):
            if unspaced:
                signs.update(word)
                signs.update(_pairs(word))
            else:
                words.add(word)
    return words, signs


def prefixes(words: Iterable[str]) -> set[str]:
    """Return the short beginnings of words."""
    return {word[:size] for word in words for size in range(1, min(len(word), PREFIX_CHARS) + 1)}


def _pairs(word: str) -> list[str]:
    return [first + second for first, second in pairwise(word)]
