"""JSON as models write it: amid other text, with line ends in strings, commas too many and brackets too few."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_DECODER = json.JSONDecoder(strict=False)
_TRAILING_COMMA = re.compile(r",(\s*+[}\]])")
# What a text that ends too early may lack.
_MENDINGS = ("", "}", '"}', "}}", '"}}', "]}", '"]}')
# Places at which an object may begin: where there are more, it is a query. Only the first ones are mended.
_MOST_STARTS, _MENDED_STARTS = 50, 3


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, one after the other."""
    at = starts = 0
    while (at := text.find("{", at)) >= 0 and starts < _MOST_STARTS:
        starts += 1
        read = _object(text, at, _MENDINGS if starts <= _MENDED_STARTS else ())
        if read is None:
            at += 1
        else:
            made, at = read
            yield made


def _object(text: str, at: int, endings: tuple[str, ...]) -> tuple[dict[str, Any], int] | None:
    """Return the object that begins here, and where it ends."""
    rest = text[at:]
    made = _read(rest)
    if made is not None:
        return made[0], at + made[1]
    mended = _TRAILING_COMMA.sub(r"\1", rest).rstrip("` \n") if endings else ""
    for ending in endings:
        if (made := _read(mended + ending)) is not None:
            # Its end cannot be told: it takes the rest.
            return made[0], len(text)
    return None


def _read(text: str) -> tuple[dict[str, Any], int] | None:
    try:
        made, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return (made, end) if isinstance(made, dict) else None
