"""Entries of a file with their places: lines of JSON, a list, or a list inside an object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from plugins.evaluation.formats import FORMATS, Item
from plugins.schema.builders.files import open_bytes
from proxy.errors import UsageError

_MOST_BYTES = 1024 * 1024 * 1024
_WRAPPERS = tuple(layout.wrapper for layout in FORMATS.values() if layout.wrapper)


def items(path: Path) -> Iterator[tuple[str, Item]]:
    """Yield the entries of a file, each with its place: `FILE:LINE`, in a list `FILE#INDEX`, counted from 0.

    Lines are read one by one, so that what comes after the last one that is wanted may be damaged.
    Raises UsageError, which names file and place, for text that is no UTF-8, damaged JSON, and entries that are no
    objects.
    """
    text = _text(path)
    if not text.strip():
        raise UsageError(f"{path}: the file is empty; it should hold questions")
    if _is_lines(text):
        yield from _lines(path, text)
        return
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}{_at(error)}: damaged JSON: {_said(error)}") from error
    yield from _listed(path, whole)


def _text(path: Path) -> str:
    if not path.is_file():
        raise UsageError(f"{path}: no such file; give questions in one of the formats {', '.join(FORMATS)}")
    with open_bytes(path) as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{path}: longer than {_MOST_BYTES:,} bytes; give the questions in several files")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8: byte {error.start:,} is 0x{data[error.start]:02x}") from error


def _is_lines(text: str) -> bool:
    """Whether each line is an entry of its own: the first one is an object that says all by itself, or is damaged."""
    first, _, rest = text.lstrip().partition("\n")
    if not first.startswith("{"):
        return False
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        # A document breaks its lines after brackets and commas; a line of an entry begins with its first key.
        return first.strip() != "{" and rest.lstrip().startswith("{")
    return not any(isinstance(found.get(key), list) for key in _WRAPPERS)


def _lines(path: Path, text: str) -> Iterator[tuple[str, Item]]:
    # No other character than a line feed ends a line here: JSON may hold the other ends of lines as they are.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = f"{path}:{number}"
            try:
                found = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UsageError(f"{place}: damaged line: {_said(error)}") from error
            yield place, _object(place, found)


def _listed(path: Path, whole: Any) -> Iterator[tuple[str, Item]]:
    if isinstance(whole, dict):
        lists = [whole[key] for key in _WRAPPERS if isinstance(whole.get(key), list)]
        inner: Iterable[Any] = lists[0] if lists else [whole]
    elif isinstance(whole, list):
        inner = whole
    else:
        raise UsageError(f"{path}: holds no questions but {_kind(whole)}")
    for index, found in enumerate(inner):
        place = f"{path}#{index}"
        yield place, _object(place, found)


def _object(place: str, found: Any) -> Item:
    if not isinstance(found, dict):
        raise UsageError(f"{place}: not an object but {_kind(found)}")
    return found


def _kind(found: Any) -> str:
    if found is None:
        return "null"
    names = {bool: "a Boolean", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return names[type(found)]


def _at(error: Exception) -> str:
    return f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""


def _said(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "it nests too deeply" if isinstance(error, RecursionError) else str(error)
