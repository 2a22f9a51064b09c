"""Tables of Wikidata's classes: `class label superclasses [description aliases]`, and `class ancestors`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from plugins.schema.builders.files import lines
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.wikidata import WD
from plugins.schema.draft import Draft
from plugins.schema.model import ClassInfo
from proxy.errors import UsageError

_ID = re.compile(r"Q[1-9][0-9]*")


def read_tables(paths: Sequence[Path], draft: Draft, progress: Progress) -> None:
    """Read each table by its first line. Raises UsageError for one of another shape."""
    for path in paths:
        rows = lines(path)
        head = next(rows, [])
        progress.part(path.name)
        for number, row in enumerate(rows, 2):
            wrong = _read_row(head, row, draft)
            if wrong:
                raise UsageError(f"{path}, line {number}: {wrong}")
            progress.step()
    progress.end()


def _read_row(head: list[str], row: list[str], draft: Draft) -> str:
    """Read a row, and return what is wrong with it."""
    if head[:3] != ["class", "label", "superclasses"] and head[:2] != ["class", "ancestors"]:
        return "a table starts with `class label superclasses` or with `class ancestors`, separated by tabs"
    ancestors = head[1] == "ancestors"
    listed = row[1 if ancestors else 2].split() if len(row) > (1 if ancestors else 2) else []
    odd = [each for each in (row[0], *listed) if not _ID.fullmatch(each)]
    if odd:
        return f"{odd[0][:40]!r} is no id of an item such as Q5"
    iri = WD + row[0]
    above = [WD + each for each in listed]
    if ancestors:
        draft.add_ancestors(iri, above)
        return ""
    draft.add_class(ClassInfo(iri=iri, id=row[0], label=row[1], description=row[3] if len(row) > 3 else ""))
    for each in above:
        draft.add_superclass(iri, each)
    return ""
