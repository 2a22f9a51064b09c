"""The JSON of results: read, checked and counted while it streams."""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Callable

from proxy.results.bounds import MAX_COLUMNS
from proxy.results.json_rows import CLOSING, OPENING, ordered_pattern, row_patterns
from proxy.results.json_terms import refuse_near, solution
from proxy.results.json_tokens import TOKEN, UNFINISHED, Budget, Grammar, Json, expect, members, more_members, value
from proxy.results.reader import MalformedError, Reader
from proxy.results.state import State
from proxy.results.terms import Solution

_TOP_KEYS = frozenset({"head", "results", "boolean"})
_HEAD_KEYS = frozenset({"vars", "link"})
_RESULTS_KEYS = frozenset({"bindings", "distinct", "ordered"})
# Sent to the grammar in place of a row that was swallowed by a pattern and was the last one.
_LAST_ROW = b"last row"
# An unfinished row at the end of a chunk up to this long waits for the next chunk, so that a pattern can swallow it.
# Units: bytes.
_WAIT = 2048
_MAX_KNOWN = 4096
# After so much a pattern is made for the answer's own columns.
# Units: bytes.
_LARGE = 1024 * 1024
# Lists of columns up to this long are remembered.
# Units: bytes.
_SHORT = 1000


class JsonReader(Reader):
    """Read results as JSON: `head`, then `results` or `boolean`, in any order, with keys of an engine's own.

    Source: SPARQL 1.1 Query Results JSON Format, SPARQL 1.2's additions; Virtuoso's and QLever's dialects.
    """

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.columns: list[str] | None = None
        self._columns_set: frozenset[str] = frozenset()
        self._used: set[str] = set()
        self._known: set[tuple[bytes | None, ...]] = set()
        self._patterns: list[re.Pattern[bytes]] = row_patterns(1)
        self._swallowed = 0
        self._at_row = False
        self._done = False
        self._fresh = True
        self._opened_usually = False
        self._grammar = self._document(set())
        next(self._grammar)

    # What a subclass that wants the rows overrides.

    def take_span(self, data: bytes, start: int, end: int) -> None:
        """Take rows that were swallowed: objects with commas between and perhaps one after."""

    def take_row(self, row: Solution) -> None:
        """Take one row that was read token by token."""

    def advance(self, data: bytes) -> int:
        """Read tokens, and rows by pattern wherever a row may start."""
        match = TOKEN.match
        position = self._open(data) if self._fresh else 0
        while True:
            if self._at_row:
                position = self._swallow(data, position)
                if self._waits(data, position):
                    return position
            self.mark(position)
            found = match(data, position)
            if found is None:
                break
            position = found.end()
            self._grammar.send(found[1])
        return self._stopped(data, position)

    def _waits(self, data: bytes, position: int) -> bool:
        """Whether to see more of a row before it is read token by token."""
        return self._at_row and self.patient and len(data) - position < _WAIT

    def close(self) -> None:
        """Say whether the last bracket was there."""
        if not self._done:
            raise MalformedError("the body ends before its last bracket")

    def _stopped(self, data: bytes, position: int) -> int:
        """Judge the rest in which no token was found: white space, the start of a token, or foreign text."""
        if position == len(data):
            return position
        if UNFINISHED.match(data, position) is None:
            raise MalformedError("found text that is not JSON")
        if not data[position:].strip(b" \t\r\n"):
            return len(data)
        if self._done:
            raise MalformedError("text follows the end of the answer")
        return position

    def _swallow(self, data: bytes, position: int) -> int:
        for index, pattern in enumerate(self._patterns):
            end = self._run(pattern, data, position)
            if end > position:
                if index:
                    self._patterns.insert(0, self._patterns.pop(index))
                self._swallowed += end - position
                if self._swallowed > _LARGE:
                    self._hasten()
                return end
        return position

    def _hasten(self) -> None:
        """Put a faster pattern first, made for this answer. Where it does not match, the general one takes over."""
        self._swallowed = -sys.maxsize
        if self.columns is not None and (faster := ordered_pattern(tuple(self.columns), self._patterns[0])):
            self._patterns.insert(0, faster)

    def _run(self, pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
        known, match, rows, start = self._known, pattern.match, 0, position
        last = None
        while found := match(data, position):
            names = found.groups()
            if names not in known and not self._admit(names):
                break
            position = found.end()
            rows += 1
            last = found
        if last is None:
            return position
        self.state.rows += rows
        self.take_span(data, start, position)
        if last[last.re.groups] is not None:
            return position
        self._grammar.send(_LAST_ROW)
        return self._close_at(data, position)

    def _close_at(self, data: bytes, position: int) -> int:
        """Read the usual end in one step, if it is there."""
        if not self._opened_usually or CLOSING.match(data, position) is None:
            return position
        self._grammar = self._end({"head", "results"})
        next(self._grammar)
        return len(data)

    def _admit(self, names: tuple[bytes | None, ...]) -> bool:
        """Whether these names may be bound in one row. What is not admitted here is read, and refused, by token."""
        bound = [name.decode() for name in names[:-1] if name is not None]
        if len(set(bound)) < len(bound) or not self._declared(bound):
            return False
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        self._known.add(names)
        return True

    def _declared(self, bound: list[str]) -> bool:
        if self.columns is None:
            self._used.update(bound)
            return len(self._used) <= MAX_COLUMNS
        return self._columns_set.issuperset(bound)

    # The grammar, by token.

    def _document(self, seen: set[str]) -> Grammar:
        expect((yield), b"{")
        yield from members(self._top_member(seen), Budget())
        yield from self._end(seen)

    def _opened_document(self) -> Grammar:
        """Read on after `OPENING`."""
        yield from self._rows()
        yield from more_members(self._results_member(set()), Budget(), {"bindings"})
        seen = {"head", "results"}
        yield from more_members(self._top_member(seen), Budget(), set(seen))
        yield from self._end(seen)

    def _end(self, seen: set[str]) -> Grammar:
        self._judge_members(seen)
        self._done = True
        yield
        raise MalformedError("text follows the end of the answer")

    def _top_member(self, seen: set[str]) -> Callable[[str], Grammar]:
        def member(key: str) -> Grammar:
            seen.add(key)
            if key == "results":
                yield from self._results()
            elif key == "head":
                yield from self._head()
            elif key == "boolean":
                yield from self._boolean()
            else:
                refuse_near([key], _TOP_KEYS)
                yield from value((yield), Budget())

        return member

    def _judge_members(self, seen: set[str]) -> None:
        if ("results" in seen) == ("boolean" in seen):
            raise MalformedError("the body holds no results")
        if "results" in seen and self.columns is None:
            raise MalformedError("the body holds no list of variables")
        if not self._declared(sorted(self._used)):
            raise MalformedError("a row binds a variable that the head does not list")

    def _head(self) -> Grammar:
        head = yield from value((yield), Budget())
        if not isinstance(head, dict):
            raise MalformedError("the head is not an object")
        refuse_near(head, _HEAD_KEYS)
        self._declare(head.get("vars", []))

    def _declare(self, names: Json) -> None:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise MalformedError("the list of variables is not a list of names")
        self._take_columns(tuple(map(str, names)))

    def _take_columns(self, names: tuple[str, ...]) -> None:
        self._columns_set = frozenset(names)
        if len(names) > MAX_COLUMNS or len(self._columns_set) < len(names):
            raise MalformedError("the list of variables is too long or names one twice")
        self.columns = list(names)
        self._patterns = row_patterns(len(names))

    def _open(self, data: bytes) -> int:
        """Read the beginning in one step if it is the usual one."""
        self._fresh = False
        found = OPENING.match(data)
        if found is None:
            return 0
        written = found[1]
        self._take_columns(_known_columns(written) if len(written) <= _SHORT else _columns(written))
        self._opened_usually = True
        self._grammar = self._opened_document()
        next(self._grammar)
        return found.end()

    def _boolean(self) -> Grammar:
        token = yield
        if token not in (b"true", b"false"):
            raise MalformedError("the Boolean is neither true nor false")
        self.state.boolean = token == b"true"

    def _results(self) -> Grammar:
        seen: set[str] = set()
        expect((yield), b"{")
        yield from members(self._results_member(seen), Budget())
        if "bindings" not in seen:
            raise MalformedError("the results hold no bindings")

    def _results_member(self, seen: set[str]) -> Callable[[str], Grammar]:
        def member(key: str) -> Grammar:
            seen.add(key)
            if key == "bindings":
                expect((yield), b"[")
                yield from self._rows()
            else:
                refuse_near([key], _RESULTS_KEYS)
                yield from value((yield), Budget())

        return member

    def _rows(self) -> Grammar:
        """Read rows up to the bracket after the last one."""
        self._at_row = True
        token = yield
        while True:
            self._at_row = False
            if token == b"]" and not self.state.rows:
                return
            if token != _LAST_ROW:
                yield from self._row(token)
            token = yield
            if token == b"]":
                return
            expect(token, b",")
            self._at_row = True
            token = yield

    def _row(self, token: bytes) -> Grammar:
        row = solution((yield from value(token, Budget())))
        if not self._declared(list(row)):
            raise MalformedError("a row binds a variable that the head does not list")
        self.state.rows += 1
        self.take_row(row)


def _columns(written: bytes) -> tuple[str, ...]:
    return tuple(json.loads(b"[" + written + b"]"))


# Most answers have the columns of others.
_known_columns = functools.lru_cache(maxsize=256)(_columns)
