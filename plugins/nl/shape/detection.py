"""Which language a question is in: by the words that each language uses most and by its letters."""

from __future__ import annotations

import re
from collections.abc import Mapping

from plugins.nl.shape.language import Language
from plugins.nl.shape.text import Text

# Letters that tell a language which has no file.
_LETTERS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "uk": re.compile("[іїєґ]"),
    "ko": re.compile("[\uac00-\ud7af\u1100-\u11ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "bn": re.compile("[\u0980-\u09ff]"),
    "ta": re.compile("[\u0b80-\u0bff]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "ka": re.compile("[\u10a0-\u10ff]"),
    "hy": re.compile("[\u0530-\u058f]"),
    "el": re.compile("[\u0370-\u03ff]"),
}
# What is written with the letters of another language and some of its own.
_COUSINS = {"zh": "ja", "ru": "uk"}
# A question word says more than any other word, a letter that the language lacks speaks against it.
_WORD, _QUESTION_WORD, _STRANGE = 2, 6, 1


def detect(text: Text, known: Mapping[str, Language], given: str, default: str = "en") -> Language:
    """Return the language of a text. ``given`` is a tag that wins; a language without a file knows no words."""
    tag = given.replace("_", "-").partition("-")[0].strip().lower()
    if tag:
        return known.get(tag) or Language(tag, {})
    scores = {tag: _score(language, text) for tag, language in known.items()}
    # "Was ..." opens questions in two languages; a tie is the default's.
    best = max(scores, key=lambda tag: (scores[tag], tag == default), default=default)
    if not scores.get(best):
        best = _by_letters(text, known, default)
    cousin = _COUSINS.get(best, "")
    found = cousin if cousin and _LETTERS[cousin].search(text.folded) else best
    return known.get(found) or Language(found, {})


def _score(language: Language, text: Text) -> int:
    if not language.letters.search(text.unquoted):
        return 0
    if language.spaced:
        said = sum(text.folded[word.start : word.end] in language.stop for word in text.words)
    else:
        said = sum(word in text.unquoted for word in language.stop)
    if not said:
        return 0
    asks = language.openings.search(text.unquoted) or language.find("ask", text.unquoted)
    return _WORD * said + _QUESTION_WORD * bool(asks) - _STRANGE * _strange(language, text)


def _strange(language: Language, text: Text) -> bool:
    """Whether a word that is no name has a letter that the language does not use."""
    common = (text.folded[word.start : word.end] for word in text.words if word not in text.capitals)
    return any(char.isalpha() and not language.letters.match(char) for word in common for char in word)


def _by_letters(text: Text, known: Mapping[str, Language], default: str) -> str:
    """Return a language by nothing but its letters, the default where it has such letters too."""
    counts = {tag: len(language.letters.findall(text.folded)) for tag, language in known.items()}
    counts.update(
        {tag: len(letters.findall(text.folded)) for tag, letters in _LETTERS.items() if tag not in _COUSINS.values()}
    )
    return max(counts, key=lambda tag: (counts[tag], tag == default), default=default)
