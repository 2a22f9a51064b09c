"""Patterns that swallow whole rows of JSON results at once.

They accept a part of what `json_terms` accepts (the common orders of keys, no triple terms), never more; a row that
they do not match is read token by token. Matching runs at 200 to 300 MB/s.
"""

from __future__ import annotations

import functools
import json
import re

from proxy.patterns import compiled
from proxy.results.json_tokens import SPACE, STRING

# Up to how many bindings in a row the patterns go; a narrow one is faster.
_WIDTHS = (2, 4, 8, 16, 48)
# Underscores and emptiness are no language tags, but there are endpoints that send them.
_LANGUAGE = rb'"[A-Za-z0-9_\-]*+"'
_MAX_ORDERED = 12
_TYPE = rb'"(?:uri|literal|bnode|typed-literal)"'


def _joined(space: bytes, *parts: bytes) -> bytes:
    return space.join(parts)


def _term(space: bytes) -> bytes:
    def pair(key: bytes, value: bytes) -> bytes:
        return _joined(space, b'"' + key + b'"', b":", value)

    extra = (
        rb"(?:" + pair(rb"datatype", STRING) + rb"|" + pair(rb"xml:lang", _LANGUAGE)
        + rb"(?:" + _joined(space, b"", b",", pair(rb"its:dir", rb'"(?:ltr|rtl)"')) + rb")?+)"
    )  # fmt: skip
    kind = pair(rb"type", _TYPE)
    value = pair(rb"value", STRING)
    comma = space + b"," + space
    after_type = rb"(?:" + value + rb"(?:" + comma + extra + rb")?+|" + extra + comma + value + rb")"
    orders = rb"(?:" + kind + comma + after_type + rb"|" + extra + comma + kind + comma + value + rb")"
    return _joined(space, rb"\{", orders, rb"\}")


@functools.lru_cache(maxsize=len(_WIDTHS) * 2)
def _pattern(width: int, space: bytes) -> re.Pattern[bytes]:
    binding = rb'"([^"\\\x00-\x1f]*+)"' + space + b":" + space + _term(space)
    bindings = b""
    for _ in range(width):
        bindings = binding + (rb"(?:" + space + b"," + space + bindings + rb")?+" if bindings else b"")
    row = _joined(space, rb"\{", rb"(?:" + bindings + rb")?+", rb"\}", rb"")
    return compiled(SPACE + row + rb"(?:(,)|(?=\]))")


def row_patterns(columns: int) -> list[re.Pattern[bytes]]:
    """Return patterns for one row each, or none for a very wide table.

    Shapes: the groups are the names bound, in order, None where there are fewer; the last group is the comma, None
    when the row is the last one. The first pattern knows no white space within a row, the second one does.
    """
    width = next((width for width in _WIDTHS if width >= columns), None)
    if width is None:
        return []
    return [_pattern(width, b""), _pattern(width, SPACE)]


@functools.lru_cache(maxsize=32)
def ordered_pattern(names: tuple[str, ...], pattern: re.Pattern[bytes]) -> re.Pattern[bytes] | None:
    """Return a pattern for rows that bind these names in this order, each or not: a third faster than the general one.

    To make it takes some milliseconds, so it is for large answers, and kept for the next one. ``pattern`` is the
    general one whose white space it shares. None for more names than pay.
    """
    if len(names) > _MAX_ORDERED:
        return None
    space = b"" if pattern is row_patterns(len(names))[0] else SPACE
    bindings = b"".join(
        rb"(?:" + _joined(space, re.escape(json.dumps(name, ensure_ascii=False).encode()), b":", _term(space), b"")
        + rb"(?:," + space + rb"(?!\})|(?=\})))?+"
        for name in names
    )  # fmt: skip
    return compiled(SPACE + _joined(space, rb"\{", bindings, rb"\}", rb"") + rb"(?:(,)|(?=\]))")


def _spaced(*parts: bytes) -> bytes:
    return SPACE + SPACE.join(parts)


_STRINGS = rb"(?:" + STRING + _spaced(rb"(?:", rb",", STRING) + rb")*+)?+"
_LINK = _spaced(rb'"link"', rb":", rb"\[", _STRINGS, rb"\]")
_HEAD = _spaced(
    rb'"head"', rb":", rb"\{" + rb"(?:" + _LINK + _spaced(b",") + rb")?+",
    rb'"vars"', rb":", rb"\[", rb"(" + _STRINGS + rb")", rb"\]" + rb"(?:" + _spaced(b",") + _LINK + rb")?+", rb"\}",
)  # fmt: skip
_FLAGS = _spaced(rb'"distinct"', rb":", rb"(?:true|false)", rb",", rb'"ordered"', rb":", rb"(?:true|false)", rb",")
# The beginning of nearly all answers, up to the first row. Its group holds the names of the variables.
OPENING = compiled(
    _spaced(
        rb"\{", _HEAD, rb",", rb'"results"', rb":", rb"\{" + rb"(?:" + _FLAGS + rb")?+", rb'"bindings"', rb":", rb"\["
    )
)
CLOSING = compiled(_spaced(rb"\]", rb"\}", rb"\}", rb"\Z"))
