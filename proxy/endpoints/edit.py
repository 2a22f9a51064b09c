"""A change of a text, many of them done, and the way back from the changed text to the original."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Edit(NamedTuple):
    """Put a text in the place of a span of the original; the span of an insertion is empty."""

    start: int
    end: int
    text: str


def applied(text: str, changes: Sequence[Edit]) -> str:
    """Return the changed text."""
    if not changes:
        return text
    parts = []
    last = 0
    for start, end, new in changes:
        parts += [text[last:start], new]
        last = end
    return "".join([*parts, text[last:]])


def original(offset: int, changes: Sequence[Edit]) -> int:
    """Return the offset in the original text; inside a change, that of what it changed."""
    shift = 0
    for start, end, new in changes:
        if offset < start + shift:
            break
        if offset < start + shift + len(new):
            return start
        shift += len(new) - (end - start)
    return offset - shift
