"""A table as data, in Markdown and as plain text; a figure in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plugins.evaluation.statistics import mean
from plugins.nl.grid import width
from plugins.schema.findings import line

_MOST_CELL = 120
NONE = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """One table. Shapes: rows have as many cells as the head; the first ``words`` columns are texts, not figures."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    words: int = 1

    def markdown(self) -> Iterator[str]:
        """Yield the lines of a section."""
        yield f"## {_escaped(self.title)}"
        yield ""
        if self.note:
            yield self.note
            yield ""
        yield _row(self.head)
        yield _row([":--" if place < self.words else "--:" for place in range(len(self.head))], escape=str)
        for row in self.rows:
            yield _row(row)
        yield ""

    def plain(self) -> Iterator[str]:
        """Yield the lines of a table in columns."""
        rows = [[line(cell, _MOST_CELL) for cell in row] for row in (self.head, *self.rows)]
        widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (
                _padded(cell, size, left=place < self.words)
                for place, (cell, size) in enumerate(zip(row, widths, strict=True))
            )
            yield "  ".join(cells).rstrip()


def percent(values: Sequence[float]) -> str:
    """Return a mean in percent, as the papers print it."""
    return f"{100 * mean(values):.2f}" if values else NONE


def share(count: int, total: int) -> str:
    """Return a share in percent."""
    return f"{100 * count / total:.1f}" if total else NONE


def number(value: float, digits: int = 2) -> str:
    """Return a number; nothing for what is none."""
    return NONE if math.isnan(value) else f"{value:,.{digits}f}"


def _padded(text: str, size: int, *, left: bool) -> str:
    space = " " * (size - width(text))
    return text + space if left else space + text


def _row(cells: Sequence[str], escape: object = None) -> str:
    said = cells if escape else [_escaped(cell) for cell in cells]
    return f"| {' | '.join(said)} |"


def _escaped(text: str) -> str:
    """Return text in which nothing acts in Markdown or HTML."""
    flat = line(text, _MOST_CELL)
    return re.sub(r"([\\|`*_<>\[\]])", r"\\\1", flat)
