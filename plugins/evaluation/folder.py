"""The folder of a run: one process writes into it, and a file in it is whole or not there."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from proxy.errors import UsageError

_LOCK = ".lock"
# Names of files have a limit of 255 bytes; what is cut off is told apart by its hash.
_LONGEST = 120


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Be the only one who writes into a folder, which is made. Raises UsageError."""
    with told(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{folder}: another `saga evaluate` is writing there; wait for it, or end it") from None
        yield
    finally:
        os.close(lock)


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn what the system says of a path into words for a person. Raises UsageError."""
    try:
        yield
    except OSError as error:
        said = error.strerror or str(error)
        raise UsageError(f"{path}: {said}; all that was written before is whole, --resume goes on with it") from error


def write(path: Path, text: str) -> None:
    """Write a file as a whole or not at all. Raises UsageError where there is no room, or no right."""
    fresh = path.with_name(f"{path.name}.new")
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            fresh.write_text(text, encoding="utf-8", errors="replace")
            fresh.replace(path)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise


def safe(name: str) -> str:
    """Return a name that every file system takes: no separator, no leading dot, not too long, never empty."""
    made = quote(name, safe=" +=,@", errors="replace")
    made = f"%2E{made[1:]}" if made.startswith(".") else made
    if made and len(made) <= _LONGEST:
        return made
    return f"{made[:_LONGEST]}~{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}"
