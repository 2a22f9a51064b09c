"""TSV: read, checked and counted while it streams."""

from __future__ import annotations

import functools
import re

from proxy.patterns import compiled
from proxy.results.lines import LineReader, check_names
from proxy.results.reader import MalformedError
from proxy.results.terms import Solution
from proxy.results.turtle_terms import CELL, read_term

_HEADER = compiled(rb"((?:\?[^\t\r\n?$<>\"]++(?:\t\?[^\t\r\n?$<>\"]++)*+)?+)(\r?\n)")
_CELL = rb"(?:" + CELL + rb")?+"


@functools.lru_cache(maxsize=64)
def _pattern(columns: int, line_end: bytes) -> re.Pattern[bytes]:
    if columns == 0:
        return compiled(line_end)
    return compiled(rb"(?:" + _CELL + rb"\t){%d}" % (columns - 1) + _CELL + line_end)


class TsvReader(LineReader):
    """Read TSV: a constant number of cells, each empty or one term, line ends as in the header, the last one too.

    A body that was cut between two rows cannot be told from a whole one.
    Source: SPARQL 1.1 Query Results CSV and TSV Formats section 4.
    """

    def read_header(self, data: bytes) -> int:
        """Read the names of the columns and how lines end here."""
        found = _HEADER.match(data)
        if found is None:
            if b"\n" in data:
                raise MalformedError("the first line is not a list of variables")
            return 0
        names = [name[1:] for name in found[1].decode().split("\t")] if found[1] else []
        check_names(names)
        self.columns = names
        self._line_end = found[2]
        self.pattern = _pattern(len(names), self._line_end)
        return found.end()

    def read_odd(self, data: bytes, position: int) -> int:
        """Read a row with terms that the pattern does not know, such as triple terms."""
        end = data.find(self._line_end, position)
        if end < 0:
            return position
        self.take_row(self.solution(data[position:end].decode()))
        self.state.rows += 1
        return end + len(self._line_end)

    def solution(self, line: str) -> Solution:
        """Return what one line says. Raises MalformedError."""
        cells = line.split("\t") if self.columns else []
        if len(cells) != len(self.columns) or "\n" in line or (line and not self.columns):
            raise MalformedError("a row does not have as many cells as the header")
        row: Solution = {}
        for name, cell in zip(self.columns, cells, strict=True):
            if cell:
                row[name], end = read_term(cell, 0)
                if end != len(cell):
                    raise MalformedError("a cell holds more than one term")
        return row

    def take_match(self, found: re.Match[bytes]) -> int:
        """Count one row."""
        return 1

    def take_row(self, row: Solution) -> None:
        """Take one row that was read cell by cell."""

    def close(self) -> None:
        """Say whether there was a header."""
        if self.pattern is None:
            raise MalformedError("the body has no header")
