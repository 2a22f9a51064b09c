"""A pattern that swallows whole rows of XML results, as nearly all endpoints write them.

It accepts a part of what the full parser accepts, never more: what it does not match goes through expat.
"""

from __future__ import annotations

import functools
import re

from proxy.patterns import compiled

_SPACE = rb"[ \t\r\n]*+"
# References that need no declaration; of the numeric ones only those that writers use for white space.
_REFERENCE = rb"&(?:lt|gt|amp|quot|apos|#(?:9|10|13|x9|x[aAdD]));"
# U+FFFE and U+FFFF begin with 0xEF and are no XML characters.
_LARGE = rb"\xef(?!\xbf[\xbe\xbf])"
_OTHER = rb"(?:(?:" + _REFERENCE + rb"|" + _LARGE + rb")"
# A `>` is left to expat, for the sake of `]]>`.
_PLAIN = rb"[^<>&\xef\x00-\x08\x0b\x0c\x0e-\x1f]*+"
_TEXT = _PLAIN + _OTHER + _PLAIN + rb")*+"
_VALUE = rb'[^<>&"\xef\x00-\x1f]*+'
_ATTRIBUTE = rb'"' + _VALUE + _OTHER + _VALUE + rb')*+"'
_EXTRA = rb"(?: xml:lang=\"[A-Za-z0-9_\-]*+\"| datatype=" + _ATTRIBUTE + rb")?+"
_TERM = (
    rb"(?:<uri>" + _TEXT + rb"</uri>"
    + rb"|<literal" + _EXTRA + rb"(?: ?/>|>" + _TEXT + rb"</literal>)"
    + rb"|<bnode>" + _TEXT + rb"</bnode>)"
)  # fmt: skip
_WIDTHS = (2, 4, 8, 16, 48)


@functools.lru_cache(maxsize=len(_WIDTHS))
def _pattern(width: int) -> re.Pattern[bytes]:
    binding = rb'<binding name="([^<>&"\x00-\x20]*+)">' + _SPACE + _TERM + _SPACE + rb"</binding>" + _SPACE
    bindings = b""
    for _ in range(width):
        bindings = binding + (rb"(?:" + bindings + rb")?+" if bindings else b"")
    return compiled(_SPACE + rb"<result>" + _SPACE + rb"(?:" + bindings + rb")?+</result>")


def row_pattern(columns: int) -> re.Pattern[bytes] | None:
    """Return a pattern for one row, or None for a very wide table. Its groups are the names bound, in order."""
    width = next((width for width in _WIDTHS if width >= columns), None)
    return None if width is None else _pattern(width)
