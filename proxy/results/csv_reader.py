"""CSV: read, checked and counted while it streams."""

from __future__ import annotations

import functools
import re

from proxy.patterns import compiled
from proxy.results.lines import LineReader, check_names
from proxy.results.reader import MalformedError

_QUOTED = rb'"[^"]*+(?:""[^"]*+)*+"'
_FIELD = rb"(?:" + _QUOTED + rb'|[^",\r\n]*+)'
_HEADER = compiled(rb"(" + _FIELD + rb"(?:," + _FIELD + rb")*+)(\r?\n|\Z)")
# What engines write into a body when they give up. Only looked for in a last line without an end, outside of quotes.
_GIVEN_UP = compiled(
    rb"(?:SPARQL-QUERY:|java\.|org\.|com\.|Caused by:|\tat |Exception|Error|Virtuoso |<|The SPARQL operation has been)"
)


@functools.lru_cache(maxsize=64)
def _pattern(columns: int, line_end: bytes) -> re.Pattern[bytes]:
    if columns == 0:
        return compiled(line_end)
    return compiled(rb"(?:" + _FIELD + rb",){%d}" % (columns - 1) + _FIELD + line_end)


@functools.lru_cache(maxsize=64)
def _unfinished(columns: int) -> re.Pattern[bytes]:
    last = rb'(?:"[^"]*+(?:""[^"]*+)*+(?:""?)?|[^",\r\n]*+)'
    return compiled(rb"(?:" + _FIELD + rb",){0,%d}+" % max(columns - 1, 0) + last + rb"\r?\Z")


class CsvReader(LineReader):
    """Read CSV: a constant number of columns, whole quotes, line ends as in the header.

    A body that was cut between two rows, or joined from two answers with the same number of columns, cannot be told
    from a whole one; the last line end may be missing.
    Source: SPARQL 1.1 Query Results CSV and TSV Formats section 3, RFC 4180.
    """

    def read_header(self, data: bytes) -> int:
        """Read the names of the columns and how lines end here."""
        found = _HEADER.match(data)
        if found is None or (not found[2] and not self.ended):
            if b"\n" in data and b'"' not in data:
                raise MalformedError("the first line is not a list of variables")
            return 0
        if not data:
            raise MalformedError("the body is empty")
        names = [name.strip(b'"').decode() for name in found[1].split(b",")] if found[1] else []
        check_names(names)
        self.columns = names
        self.pattern = _pattern(len(names), found[2] or b"\n")
        self._line_end = found[2] or b"\n"
        self._rest = _unfinished(len(names))
        return found.end()

    def read_odd(self, data: bytes, position: int) -> int:
        """Judge an unfinished row: it may be the last one, without a line end."""
        if self._rest.match(data, position) is None:
            raise MalformedError("a row does not have as many columns as the header, or its quotes are not whole")
        if not self.ended:
            return position
        last = data[position:]
        found = self.pattern and self.pattern.match(last + self._line_end)
        if not found or found.end() < len(last) or _GIVEN_UP.match(last):
            raise MalformedError("the last row is not whole")
        self.state.rows += self.take_match(found)
        return len(data)

    def take_match(self, found: re.Match[bytes]) -> int:
        """Count one row."""
        return 1

    def close(self) -> None:
        """Say whether there was a header."""
        if self.pattern is None:
            raise MalformedError("the body is empty")
