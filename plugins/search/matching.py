"""How well a name fits what was asked, and the order that follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plugins.search.folding import MOST_WORDS, fold, plain, runs, wanted
from plugins.search.hit import Hit, Kind, Match
from plugins.search.records import ANY_LANGUAGE, Folded, Record, speaks

_TIERS: dict[Match, int] = {"exact": 3, "prefix": 2, "fuzzy": 1, "remote": 0, "label": 0}
_CLOSEST = 4
# Of an entity a label is worth as much as eight times the popularity: `US` is the country, and not a song of that name.
# Aliases of frequent properties are loose words: there a label is worth more than any popularity.
_LABEL_BITS: dict[Kind, int] = {"entity": 3, "property": 64}
_MOST_BITS = 129
_ONE_TYPO, _TWO_TYPOS = 4, 8
_ONE_TYPO_UNSPACED = 3
_LONGEST_TYPED = 64
MOST_TYPOS = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched for.

    Shapes: ``words`` are the first 12 words, each with whether its script has no spaces; ``terms`` are what a name
    must have to hold them, signs likewise.
    """

    text: str
    folded: str
    plain: str
    words: tuple[tuple[str, bool], ...]
    terms: tuple[tuple[str, bool], ...]

    @property
    def typos(self) -> int:
        """How many typos are forgiven in the whole text."""
        return forgiven(self.folded) if len(self.folded) <= _LONGEST_TYPED else 0


class Fit(NamedTuple):
    """How a name fits: the closer, the greater; and in which language."""

    closeness: int
    preferred: int
    is_label: bool
    name: Folded
    language: str


def asked(text: str) -> Asked:
    """Read a text of any length."""
    folded = fold(text)
    words = runs(folded)[:MOST_WORDS]
    return Asked(text.strip(), folded, plain(folded), tuple(words), tuple(wanted(words)))


def forgiven(word: str) -> int:
    """Return how many typos a word may have: none in a short one, one from four characters on, two from eight."""
    if len(word) >= _TWO_TYPOS:
        return 2
    first = _ONE_TYPO_UNSPACED if runs(word)[:1] and runs(word)[0][1] else _ONE_TYPO
    return int(len(word) >= first)


def respaced(text: str) -> Iterator[str]:
    """Yield a text with one space more, with one less, or with one swapped with a letter beside it."""
    for place in range(1, len(text)):
        before, after = text[:place], text[place:]
        if after[0] == " ":
            yield before + after[1:]
            yield f"{before[:-1]} {before[-1]}{after[1:]}"
            yield f"{before}{after[1:2]} {after[2:]}"
        elif before[-1] != " ":
            yield f"{before} {after}"


def best(record: Record, wanted: Asked, match: Match, languages: Sequence[str], language: str) -> Fit | None:
    """Return how the best name of a record fits, or None where none does."""
    judge = _JUDGES.get(match, _exact)
    found: Fit | None = None
    for name in record.folded:
        closeness = judge(name, wanted)
        if closeness is None:
            continue
        fit = _fit(name, closeness, languages, language)
        if found is None or fit[:3] > found[:3]:
            found = fit
    return found


def score(match: Match, fit: Fit, record: Record) -> float:
    """Return a number in [0, 1): first how it matched, then how closely, language, kind, label and popularity."""
    bits = math.log2(1 + record.popularity) + _LABEL_BITS[record.kind] * fit.is_label
    return _score(match, fit.closeness, fit.preferred, record.kind, bits)


def ceiling(match: Match, closest: int, kind: Kind | None, language: str, popularity: int) -> float:
    """Return what no score exceeds of a record that is so popular, where nothing fits more closely."""
    best_kind: Kind = kind or "entity"
    bits = math.log2(1 + popularity) + _LABEL_BITS[best_kind]
    return _score(match, closest, 2 if language else 1, best_kind, bits)


def _score(match: Match, closeness: int, preferred: int, kind: Kind, bits: float) -> float:
    rest = ((kind == "entity") + min(bits / _MOST_BITS, 0.999)) / 2
    rest = (preferred + rest) / 3
    rest = (closeness + rest) / _CLOSEST
    return (_TIERS[match] + rest) / 4


def in_order(hits: list[Hit]) -> list[Hit]:
    """Return hits, the best first; equal ones in the order of their ids, shorter ids first."""
    return sorted(hits, key=lambda hit: (-hit.score, len(hit.id), hit.id))


def distance(one: str, other: str, most: int) -> int:
    """Return the number of letters left out, added, changed or swapped; ``most + 1`` for any above ``most``."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row] + [most + 1] * len(other)
        # Only so far from the diagonal can a path of that cost go.
        for column in range(max(1, row - most), min(len(other), row + most) + 1):
            cost = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (letter != other[column - 1]))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == other[column - 1]:
                cost = min(cost, before[column - 2] + 1)
            current[column] = cost
        if min(current) > most:
            return most + 1
        before, last = last, current
    return min(last[-1], most + 1)


def _fit(name: Folded, closeness: int, languages: Sequence[str], language: str) -> Fit:
    """Return the fit of a name in the best of its languages."""
    chosen = (0, False, "")
    for tags, is_label in ((name.name.labels, True), (name.name.aliases, False)):
        for tag in tags:
            if language and (tag in ANY_LANGUAGE or speaks(tag, language)):
                preferred = 2
            else:
                preferred = int(tag in ANY_LANGUAGE or any(speaks(tag, each) for each in languages))
            if (preferred, is_label) > chosen[:2] or not chosen[2]:
                chosen = (preferred, is_label, tag)
    return Fit(closeness, chosen[0], chosen[1], name, chosen[2])


def _exact(name: Folded, wanted: Asked) -> int | None:
    if name.folded == wanted.folded:
        return 3 if name.name.text == wanted.text else 2
    return 1 if wanted.plain and name.plain == wanted.plain else None


def _prefix(name: Folded, wanted: Asked) -> int | None:
    """Every word of the text is one of the name, 1; or the last of them begins one, 0."""
    if any(word not in name.folded for word, _ in wanted.words):
        # Most names of a record with many end here, before they are cut into words.
        return None
    own = [word for word, unspaced in runs(name.folded) if not unspaced]
    for place, (word, unspaced) in enumerate(wanted.words):
        if unspaced:
            continue
        if word in own:
            own.remove(word)
        elif place == len(wanted.words) - 1 and any(each.startswith(word) for each in own):
            return 0
        else:
            return None
    return 1


def _fuzzy(name: Folded, wanted: Asked) -> int | None:
    """The whole name with one typo, 2, or with two, 1; or each word of the text with few, 0."""
    typos = distance(wanted.folded, name.folded, wanted.typos)
    if typos <= wanted.typos:
        return max(0, 3 - typos)
    own = [word for word, _ in runs(name.folded)]
    total = 0
    for word, _ in wanted.words:
        allowed = forgiven(word)
        total += min((distance(word, each, allowed) for each in own), default=allowed + 1)
        if total > MOST_TYPOS or not own or (total > allowed and allowed == 0):
            return None
    return 0


_JUDGES: dict[Match, Callable[[Folded, Asked], int | None]] = {"prefix": _prefix, "fuzzy": _fuzzy}
