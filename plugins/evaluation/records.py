"""Questions with gold queries or answers, from files in any of the known formats."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from plugins.evaluation.formats import AUTO, FORMATS, Entry, Item, Layout, UnfitError, layout_of
from plugins.evaluation.formats.items import items
from plugins.evaluation.gold import Answers
from proxy.errors import UsageError

_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
_SUFFIXES = (".jsonl", ".ndjson", ".json", ".txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One question with its gold. Questions of one ``group`` are variants, and are never learned from each other.

    Shapes: ``questions`` are by language; ``sparql`` is empty where only answers are given, ``answers`` is None where
    only a query is; where a file gives a question without either, as some do, neither is there. ``place`` tells a
    person where the question stands: `FILE:LINE`, or `FILE#INDEX` in a list, counted from 0.
    """

    id: str
    dataset: str
    questions: Mapping[str, str]
    sparql: str
    group: str
    answers: Answers | None = None
    place: str = ""

    def text(self, language: str) -> str:
        """Return the question in a language, empty where it has none."""
        return self.questions.get(language, "")

    def fold(self, folds: int) -> int:
        """Return the fold of the record's group: the same in every run."""
        name = self.group.encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.sha256(name).digest()[:4], "big") % folds


def records(
    paths: Sequence[Path], limit: int | None = None, format: str = AUTO, sample: int | None = None, seed: int = 0
) -> list[Record]:
    """Return the records of files.

    ``limit`` takes of each file the first so many; ``sample`` draws of those so many at random, the same for the same
    seed, in the order of the file. ``format`` is one of `FORMATS`, or is found out by content.
    Raises UsageError, which names the place, for what cannot be read, for a format that is not known, and for two
    questions of one data set with one id.
    """
    if format != AUTO and format not in FORMATS:
        raise UsageError(f"there is no format {format!r}; there are {AUTO}, {', '.join(FORMATS)}")
    layout = FORMATS.get(format)
    found = [record for path in paths for record in _drawn(_read(path, layout, limit), sample, seed)]
    _refuse_twins(found)
    return found


def _read(path: Path, layout: Layout | None, limit: int | None) -> list[Record]:
    found = list(_records(path, islice(items(path), limit), layout))
    if not found:
        raise UsageError(f"{path}: the file is empty; it should hold questions")
    # A file is whole, or refused: two questions that share an id are told whether they are drawn or not.
    _refuse_twins(found)
    return found


def _records(path: Path, given: Iterable[tuple[str, Item]], layout: Layout | None) -> Iterator[Record]:
    dataset = _dataset(path)
    for number, (place, item) in enumerate(given, 1):
        layout = layout or layout_of(item)
        if layout is None:
            raise UsageError(_unknown(place, item))
        try:
            entry = layout.entry(item)
        except (UnfitError, ValueError) as error:
            raise UsageError(f"{place}: this question of format {layout.name} {error}") from error
        yield _record(entry, dataset, place, number)


def _record(entry: Entry, dataset: str, place: str, number: int) -> Record:
    name = entry.id or str(number)
    return Record(
        id=name,
        dataset=entry.dataset or dataset,
        questions=entry.questions,
        sparql=entry.sparql,
        group=entry.group or name,
        answers=entry.answers,
        place=place,
    )


def _drawn(found: list[Record], sample: int | None, seed: int) -> list[Record]:
    if sample is None or sample >= len(found):
        return found
    chosen = random.Random(seed).sample(range(len(found)), sample)
    return [found[place] for place in sorted(chosen)]


def _refuse_twins(found: Iterable[Record]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for record in found:
        key = record.dataset, record.id
        if (first := seen.get(key)) is not None:
            both = f"{first} and {record.place}" if first != record.place else f"{first}, given twice"
            raise UsageError(f"{both}: two questions of {record.dataset} have the id {record.id!r}")
        seen[key] = record.place


def _dataset(path: Path) -> str:
    """Return what a data set is called that does not say so itself: the file's name without its endings."""
    name = path.name
    for endings in (_COMPRESSIONS, _SUFFIXES):
        for ending in endings:
            name = name[: -len(ending)] if name.lower().endswith(ending) and len(name) > len(ending) else name
    return name


def _unknown(place: str, item: Mapping[str, Any]) -> str:
    keys = ", ".join(f"`{key}`" for key in list(item)[:8]) or "nothing"
    known = "".join(f"\n  {each.name:8} {each.looks}" for each in FORMATS.values())
    return f"{place}: unknown format: an object with {keys}. The formats are:{known}"
