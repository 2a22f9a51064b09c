"""The `SPARQL-Warning` headers: one per finding, ASCII, within a bound.

Source: design.md section 4; RFC 8187 for `message*`; RFC 9110 section 5.3: whoever joins them by commas loses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote

from plugins.schema.findings import Finding

HEADER = "SPARQL-Warning"
MOST_ELEMENTS = 5
# Units: bytes of all these headers together, their names included.
MOST_BYTES = 2048
_MESSAGE_BYTES = 290
_NAME_BYTES = len(f"{HEADER}: \r\n")
_MORE_BYTES = 24 + _NAME_BYTES
_KEPT = 1024
_PLAIN = "!#$&+.^_`|~-"
# What a token of HTTP may hold; ids of other graphs are IRIs and are quoted by `quote`.
_NOT_TOKEN = re.compile(r"[^A-Za-z0-9!#$&+.^_`|~%-]")


def warnings(findings: Sequence[Finding]) -> list[str]:
    """Return the values of the headers, the last one a count where some are left out.

    Example:
        >>> warnings([finding])
        ["domain; severity=warn; line=3; column=5; property=P569; message*=UTF-8''date%20of%20birth..."]
    """
    elements: list[str] = []
    size = 0
    for finding in findings[:MOST_ELEMENTS]:
        element = _element(finding)
        size += len(element) + _NAME_BYTES
        if size > MOST_BYTES - _MORE_BYTES:
            break
        elements.append(element)
    if len(elements) < len(findings):
        elements.append(f"more; count={len(findings) - len(elements)}")
    return elements


def _element(finding: Finding) -> str:
    place = f"line={finding.line}; column={finding.column}; property={_token(finding.prop.id)}"
    return f"{finding.code}; severity={finding.severity}; {place}; message*=UTF-8''{_encoded(finding.message)}"


@lru_cache(_KEPT)
def _token(name: str) -> str:
    return (_NOT_TOKEN.sub("", quote(name[:40].encode("utf-8", "replace"), safe="")) or "-")[:80]


@lru_cache(_KEPT)
def _encoded(text: str) -> str:
    """Return text in percent-encoded UTF-8, cut between two characters where it is long."""
    whole = quote(text[:_MESSAGE_BYTES].encode("utf-8", "replace"), safe=_PLAIN)
    if len(text) <= len(whole) <= _MESSAGE_BYTES:
        return whole
    parts: list[str] = []
    size = 0
    for each in text[:_MESSAGE_BYTES]:
        part = quote(each.encode("utf-8", "replace"), safe=_PLAIN)
        size += len(part)
        if size > _MESSAGE_BYTES:
            break
        parts.append(part)
    return "".join((*parts, "..."))
