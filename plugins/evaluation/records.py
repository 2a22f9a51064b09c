"""Questions with gold queries, as files of JSON lines have them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugins.schema.builders.files import open_bytes
from plugins.search.learned import parsed
from proxy.errors import UsageError

_LONGEST_LINE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One question with its gold query. Questions of one ``group`` are variants, and are never learned from each other.

    Shapes: ``questions`` are by language.
    """

    id: str
    dataset: str
    questions: dict[str, str]
    sparql: str
    group: str

    def text(self, language: str) -> str:
        """Return the question in a language, empty where it has none."""
        return self.questions.get(language, "")

    def fold(self, folds: int) -> int:
        """Return the fold of the record's group: the same in every run."""
        return int.from_bytes(hashlib.sha256(self.group.encode()).digest()[:4], "big") % folds


def records(paths: Sequence[Path], limit: int | None = None) -> list[Record]:
    """Return the records of files, of each at most the first so many. Raises UsageError."""
    return [record for path in paths for record, _ in zip(_read(path), _numbers(limit), strict=False)]


def _numbers(limit: int | None) -> Iterator[int]:
    number = 0
    while limit is None or number < limit:
        yield number
        number += 1


def _read(path: Path) -> Iterator[Record]:
    if not path.is_file():
        raise UsageError(f"{path}: no such file; give lines of JSON with `question` and `sparql`")
    with open_bytes(path) as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            found = parsed(line)
            if found is not None and (made := _record(found, path.name.partition(".")[0], number)) is not None:
                yield made


def _record(found: dict[str, Any], dataset: str, number: int) -> Record | None:
    given, sparql = found.get("question"), found.get("sparql") or found.get("query")
    texts: dict[str, Any] = given if isinstance(given, dict) else {"en": given}
    questions = {tag: text for tag, text in texts.items() if isinstance(text, str) and text.strip()}
    if not questions or not isinstance(sparql, str):
        return None
    # Ids of some data sets count anew in each split.
    name = "-".join(str(found[key]) for key in ("split", "id") if key in found) or str(number)
    return Record(
        id=name,
        dataset=str(found.get("dataset", dataset)),
        questions=questions,
        sparql=sparql,
        group=str(found.get("group", name)),
    )
