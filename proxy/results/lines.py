"""Formats made of lines: how CSV, TSV and N-Triples are swallowed row by row."""

from __future__ import annotations

import re
from abc import abstractmethod

from proxy.results.bounds import MAX_COLUMNS
from proxy.results.reader import MalformedError, Reader
from proxy.results.state import State

_NAME = re.compile(r"[\w\u00b7\u203f\u2040]+")


def check_names(names: list[str]) -> None:
    """Raise MalformedError unless these can be the variables of one answer. This also finds error pages."""
    if len(names) > MAX_COLUMNS or len(set(names)) < len(names):
        raise MalformedError("the header is too long or names a variable twice")
    if not all(_NAME.fullmatch(name) for name in names):
        raise MalformedError("the first line is not a list of variables")


class LineReader(Reader):
    """Swallow rows by one pattern; a subclass reads what the pattern does not match."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.pattern: re.Pattern[bytes] | None = None

    @abstractmethod
    def read_header(self, data: bytes) -> int:
        """Read the header, set ``pattern``, and return where the first row starts, or 0 to see more."""

    @abstractmethod
    def read_odd(self, data: bytes, position: int) -> int:
        """Read one row that the pattern does not match; return ``position`` to see more. Raises MalformedError."""

    @abstractmethod
    def take_match(self, found: re.Match[bytes]) -> int:
        """Take one row that was swallowed and return how many it counts for."""

    def advance(self, data: bytes) -> int:
        """Swallow rows, and read the odd ones, until the rest is not a whole row."""
        position = 0
        if self.pattern is None:
            position = self.read_header(data)
            if self.pattern is None:
                return position
        while True:
            position = self._swallow(self.pattern, data, position)
            self.mark(position)
            if position == len(data):
                return position
            after = self.read_odd(data, position)
            if after == position:
                return position
            position = after

    def _swallow(self, pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
        match, take, rows = pattern.match, self.take_match, 0
        while found := match(data, position):
            rows += take(found)
            position = found.end()
        self.state.rows += rows
        return position
