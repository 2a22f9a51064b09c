"""What an endpoint has answered so far, so that an interrupted build goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import IO, Any

from proxy.errors import ConfigError
from proxy.results.terms import Solution, Term

_VERSION = 1


class Work:
    """One line per answer, found again by step and query. A line that was cut is asked again."""

    def __init__(self, path: Path, source: str) -> None:
        """Open or make the file. Raises ConfigError for one that belongs to another build."""
        self._path = path
        self._places: dict[str, int] = {}
        head = {"saga_work": _VERSION, "source": source}
        try:
            self._file: IO[bytes] = open(path, "a+b")  # noqa: SIM115 - it lives as long as the build
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}: name a folder that exists and can be written") from error
        self._file.seek(0)
        first = self._file.readline()
        if first and _parsed(first) != head:
            self._file.close()
            raise ConfigError(f"{path} belongs to another build; delete it, or write the index to another file")
        if not first:
            self._write(head)
        self._scan()

    @property
    def resumed(self) -> int:
        """How many answers are there already."""
        return len(self._places)

    def rows(self, step: str, query: str) -> list[Solution] | None:
        """Return the answer to a query, or None where it was not asked yet."""
        place = self._places.get(_key(step, query))
        if place is None:
            return None
        self._file.seek(place)
        found = json.loads(self._file.readline())
        return [{name: Term(*parts) for name, parts in row.items()} for row in found["rows"]]

    def keep(self, step: str, query: str, rows: list[Solution]) -> None:
        """Append an answer. Raises ConfigError where the disk is full."""
        shown = [{name: list(term[:4]) for name, term in row.items()} for row in rows]
        key = _key(step, query)
        self._places[key] = self._write({"key": key, "step": step, "rows": shown})

    def close(self) -> None:
        """Close the file and keep it."""
        self._file.close()

    def remove(self) -> None:
        """Delete the file: the build is done."""
        self.close()
        self._path.unlink(missing_ok=True)

    def _write(self, line: dict[str, Any]) -> int:
        try:
            place = self._file.seek(0, os.SEEK_END)
            self._file.write(json.dumps(line, ensure_ascii=True).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise ConfigError(f"{self._path}: {error.strerror}") from error
        return place

    def _scan(self) -> None:
        """Note where each answer stands, and cut off what was not written whole."""
        self._file.seek(0)
        self._file.readline()
        while True:
            place = self._file.tell()
            line = self._file.readline()
            found = _parsed(line)
            if found is None or "key" not in found:
                self._file.truncate(place)
                return
            self._places[found["key"]] = place


def _parsed(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _key(step: str, query: str) -> str:
    return hashlib.blake2b(f"{step}\0{query}".encode(), digest_size=16).hexdigest()
