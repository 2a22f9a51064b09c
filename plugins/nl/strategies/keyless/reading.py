"""The words of a question, which of them say something, and the runs of words that may be names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from plugins.schema.words import stem
from plugins.search.folding import fold, has_signs

MOST_WORDS = 40
LONGEST_NAME = 9
_TOKEN = re.compile(r"[^\W_]+(?:[.\-/&'’][^\W_]+)*\.?|\S")
# French articles before a vowel.
_ELIDED = re.compile(r"((?:l|d|qu)['’])(\w.+)")
_POSSESSIVE = re.compile(r"(.+?)(['’]s)$", re.IGNORECASE)
# What a plural ends in, and what its singular may end in instead.
_PLURALS = (
    ("children", ("child",)), ("people", ("person",)), ("men", ("man",)), ("ies", ("y", "ie")), ("sses", ("ss",)),
    ("ses", ("se", "s")), ("xes", ("x", "xe")), ("ches", ("ch", "che")), ("shes", ("sh",)), ("ves", ("ve", "f", "fe")),
    ("ss", ()), ("us", ()), ("is", ()), ("s", ("",)),
)  # fmt: skip
_LEAST_SINGULAR = 3
# Words that name nothing by themselves, in the languages that questions come in.
_SILENT = """
    是 的 了 在 哪 个 什 么 谁 何 时 候 多 少 几 有 吗 呢 和 与 里 些 请 给 我 列 出
    a an the of in on at to for from by with about into as and or is are was were be been being am s 's ’s do
    does did done has have had having can could will would shall should may might must it its this that these
    those there here he she they them his her their our my your i me we you us who whom whose what which when
    where why how many much any some all every each give list show tell name find please ever also than then not
    no so if besides except other others another called names named kind kinds type types sort thing things
    someone something one der die das den dem des ein eine einen einer eines und oder ist sind war waren wird
    wurde wurden hat haben hatte wer wen wem welche welcher welches welchen wann wo wohin woher warum wie viele
    viel von vom zu zum zur mit für auf im aus bei nach gib nenne zeige mir alle el la los las un una unos unas
    y o es son era fue fueron ser está están quién quien quiénes qué que cuál cuáles cuándo dónde donde cómo
    cuántos cuántas cuánto de del al por para con se su sus dame le les du et ou est sont était qui quoi quel
    quelle quels quelles l' d' qu' l’ d’ qu’
    quand où comment combien dans au aux par pour что кто кого где когда как какой какая
    какое какие каких сколько в на из по и или не ли был была было были это у с о об
"""
SILENT = frozenset(_SILENT.split())
# Words that name something behind an article: the US, the Who.
_NAMES_THEN = frozenset(("us", "who", "it", "they", "them", "what"))
# What is silent in another language only.
_SPEAKING = {"en": frozenset(("die", "war", "son", "hat"))}


@dataclass(frozen=True, slots=True)
class Word:
    """A word: its place in the text, folded, and whether it says something."""

    text: str
    start: int
    end: int
    speaks: bool


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words that may be a name: from ``first`` up to, not with, ``last``."""

    first: int
    last: int
    text: str

    @property
    def size(self) -> int:
        """How many words it has."""
        return self.last - self.first

    def overlaps(self, other: Span) -> bool:
        """Whether they share a word."""
        return self.first < other.last and other.first < self.last

    def holds(self, other: Span) -> bool:
        """Whether the other is a part of this one, and shorter."""
        return self.first <= other.first and other.last <= self.last and self != other


@dataclass(frozen=True, slots=True)
class Reading:
    """A question cut into words."""

    text: str
    words: tuple[Word, ...]

    def spans(self) -> Iterator[Span]:
        """Yield every run that says something; the plural of a run stands for its singular too."""
        for first in range(len(self.words)):
            for last in range(first + 1, min(first + LONGEST_NAME, len(self.words)) + 1):
                if any(word.speaks for word in self.words[first:last]):
                    yield Span(first, last, self.text[self.words[first].start : self.words[last - 1].end])

    def span(self, words: Sequence[str]) -> Span | None:
        """Return where some folded words stand one after the other."""
        texts = [word.text for word in self.words]
        for first in range(len(texts) - len(words) + 1):
            if texts[first : first + len(words)] == [*words]:
                last = first + len(words)
                return Span(first, last, self.text[self.words[first].start : self.words[last - 1].end])
        return None

    def speaking(self, span: Span | None = None) -> list[int]:
        """Return the places of the words that say something, in a span or in all of the question."""
        places = range(span.first, span.last) if span else range(len(self.words))
        return [place for place in places if self.words[place].speaks]

    def without(self, *spans: Span) -> str:
        """Return the text without the words of spans."""
        taken = {place for span in spans for place in range(span.first, span.last)}
        return " ".join(word.text for place, word in enumerate(self.words) if place not in taken)

    def written(self, *spans: Span) -> str:
        """Return the same with the letters of the question, accents and all."""
        taken = {place for span in spans for place in range(span.first, span.last)}
        left = (word for place, word in enumerate(self.words) if place not in taken)
        return " ".join(self.text[word.start : word.end] for word in left)


def read(text: str, language: str = "") -> Reading:
    """Cut a question, at most its first 40 words."""
    words: list[Word] = []
    for match in _TOKEN.finditer(text):
        words += islice(_cut(match.group(), match.start(), _SPEAKING.get(language, frozenset())), MOST_WORDS)
        if len(words) >= MOST_WORDS:
            break
    return Reading(text, tuple(map(_as_name, words, [None, *words][:MOST_WORDS])))


def fragments(text: str) -> list[str]:
    """Return the words of a text, folded; each sign of a script without spaces."""
    return [word.text for match in _TOKEN.finditer(text) for word in _cut(match.group(), 0)]


def singulars(text: str) -> tuple[str, ...]:
    """Return what an English plural may be of: movies is the plural of movie or movy. Nothing where it is none."""
    lower = text.lower()
    for ending, kept in _PLURALS:
        if lower.endswith(ending):
            found = (text[: len(text) - len(ending)] + each for each in kept)
            return tuple(each for each in found if len(each) >= _LEAST_SINGULAR)
    return ()


def singular_heads(text: str) -> tuple[str, ...]:
    """Return a name in the singular whose plural stands before its "of": presidents of the United States."""
    head, of, rest = text.partition(" of ")
    return tuple(f"{one}{of}{rest}" for one in singulars(head)) if of else ()


def stem_of(word: Word) -> str:
    """Return the stem of a word, as properties are compared by."""
    return stem(word.text)


def stems_of(word: Word) -> list[str]:
    """Return the stem of a word, and those of its parts where a hyphen joins them: spin-off."""
    parts = word.text.split("-") if "-" in word.text else []
    return [stem_of(word), *(stem(part) for part in parts if len(part) >= _LEAST_SINGULAR)]


def _cut(token: str, start: int, speaking: frozenset[str] = frozenset()) -> Iterator[Word]:
    """Yield a word, its possessive apart, and each sign of a script without spaces."""
    elided = _ELIDED.match(token)
    if elided:
        yield _word(elided.group(1), start, speaking)
        token, start = elided.group(2), start + elided.start(2)
    possessive = _POSSESSIVE.match(token)
    if has_signs(token):
        for offset, sign in enumerate(token):
            yield Word(sign, start + offset, start + offset + 1, sign not in SILENT)
    elif possessive:
        yield _word(possessive.group(1), start, speaking)
        yield _word(possessive.group(2), start + possessive.end(1), speaking)
    elif token[0].isalnum():
        # A full stop belongs to an abbreviation, and to nothing else.
        kept = token if "." in token[:-1] else token.rstrip(".")
        yield _word(kept, start, speaking)


def _as_name(word: Word, before: Word | None) -> Word:
    """Return a word as one that speaks where an article makes a name of it."""
    is_name = before is not None and before.text == "the" and word.text in _NAMES_THEN
    return replace(word, speaks=True) if is_name else word


def _word(token: str, start: int, speaking: frozenset[str]) -> Word:
    folded = fold(token)
    return Word(folded, start, start + len(token), folded not in SILENT or folded in speaking)
