"""Records in the memory of one process, or in a file that the workers of one proxy share."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from plugins.nl.records import Change, Record, Records

log = logging.getLogger("saga")

_FILE = "nl.records"
# A worker that is killed in the middle of a change leaves a journal that undoes it. Only a power cut could do harm, and
# the file does not outlive one anyway.
_OPEN = """
PRAGMA journal_mode = PERSIST;
PRAGMA synchronous = OFF;
PRAGMA temp_store = MEMORY;
CREATE TABLE IF NOT EXISTS records
(kind TEXT, name TEXT, content BLOB NOT NULL, until REAL NOT NULL, PRIMARY KEY (kind, name));
CREATE INDEX IF NOT EXISTS ends ON records (kind, until);
"""
_READ = "SELECT content FROM records WHERE kind = ? AND name = ? AND until > ?"
_WRITE = "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)"
_FORGET = "DELETE FROM records WHERE kind = ? AND until <= ?"
# A limit below 0 would be none.
_SHORTEN = """
DELETE FROM records WHERE rowid IN (
  SELECT rowid FROM records WHERE kind = ?1 ORDER BY until, rowid
  LIMIT max(0, (SELECT count(*) FROM records WHERE kind = ?1) - ?2)
)
"""
# How long another worker may take for its change, which is less than a millisecond of work.
_PATIENCE_S = 0.5


class LocalRecords(Records):
    """Keep records of one kind, at most so many; the one that ends first goes first.

    A disk that is full costs no question: each worker then goes on with what it knows itself, until there is room.
    """

    def __init__(self, database: sqlite3.Connection, kind: str, most: int, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self._database = database
        self._kind = kind
        self._most = most
        self._works = True

    async def _read(self, name: str) -> Record:
        now, content = self._clock(), None
        try:
            content = self._content(name, now)
        except sqlite3.Error as error:
            self._fail(error)
        return Record(content=content, now=now)

    async def _change(self, name: str, change: Change) -> bool:
        try:
            # Alone from here on, so that nothing comes between what is read and what is written.
            self._database.execute("BEGIN IMMEDIATE")
            with self._database:
                self._write(name, change)
        except sqlite3.Error as error:
            self._fail(error)
            return False
        self._works = True
        return True

    def _content(self, name: str, now: float) -> bytes | None:
        row = self._database.execute(_READ, (self._kind, name, now)).fetchone()
        return bytes(row[0]) if row else None

    def _write(self, name: str, change: Change) -> None:
        now = self._clock()
        content, seconds = change(Record(content=self._content(name, now), now=now))
        self._database.execute(_FORGET, (self._kind, now))
        self._database.execute(_WRITE, (self._kind, name, content, now + seconds))
        self._database.execute(_SHORTEN, (self._kind, self._most))

    def _fail(self, error: sqlite3.Error) -> None:
        """Say once that the file cannot be used."""
        if self._works:
            self._works = False
            _say(error, self._kind)


def open_database(folder: Path | None) -> sqlite3.Connection:
    """Open the file of a folder; where there is none, or it cannot be used, a memory that nobody shares."""
    if folder is not None:
        try:
            return _opened(str(folder / _FILE))
        except sqlite3.Error as error:
            _say(error, "all")
    return _opened(":memory:")


def _opened(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None)
    try:
        database.executescript(_OPEN)
    except sqlite3.Error:
        with suppress(sqlite3.Error):
            database.close()
        raise
    return database


def _say(error: sqlite3.Error, what: str) -> None:
    detail = "Each worker goes on with what it knows itself."
    log.warning("nl.not_shared", extra={"fields": {"what": what, "reason": str(error), "detail": detail}})
