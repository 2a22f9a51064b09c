"""Words of labels and questions: how text is cut, folded and reduced to stems."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"\w+")
# Longer first: one suffix is taken off, and what is left keeps at least three letters.
_SUFFIXES = (
    "izations", "ization", "ational", "fulness", "ousness", "iveness", "ements", "ations", "ement", "ments", "ation",
    "ities", "ances", "ences", "ment", "ness", "ions", "ance", "ence", "able", "ible", "ings", "ally", "ies", "ing",
    "ers", "ors", "ity", "ive", "ion", "ous", "est", "ed", "er", "or", "es", "ly", "al", "s", "e", "y",
)  # fmt: skip
_LEAST_STEM = 3
MOST_WORDS = 200


def fold(text: str) -> str:
    """Return text as it is compared: compatibility forms, case and white space folded."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words(text: str) -> list[str]:
    """Return the folded words of a text, the first 200."""
    found = []
    for match in _WORD.finditer(fold(text)):
        found.append(match.group())
        if len(found) == MOST_WORDS:
            break
    return found


def stem(word: str) -> str:
    """Return a word without its suffix, by stripping alone: `directed`, `director` and `directing` are one."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _LEAST_STEM:
            word = word[: -len(suffix)]
            break
    # `starred` and `running`: a doubled consonant is one.
    if len(word) > _LEAST_STEM and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    return word


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text, in order."""
    return [stem(word) for word in words(text)]
