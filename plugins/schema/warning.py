"""The `SPARQL-Warning` header: one element per finding, ASCII, within a bound.

Source: design.md section 4; RFC 8187 for `message*`; RFC 9110 section 5.3: elements of one list may share a header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from plugins.schema.findings import Finding

HEADER = "SPARQL-Warning"
MOST_ELEMENTS = 5
# Units: bytes of all elements together.
MOST_BYTES = 2048
_MESSAGE_BYTES = 290
_MORE_BYTES = 24
# What a token of HTTP may hold; ids of other graphs are IRIs and are quoted by `quote`.
_NOT_TOKEN = re.compile(r"[^A-Za-z0-9!#$&+.^_`|~%-]")


def warnings(findings: Sequence[Finding]) -> str:
    """Return the value of the header, empty without findings.

    Example:
        >>> warnings([finding])
        "domain; severity=warn; line=3; column=5; property=P569; message*=UTF-8''date%20of%20birth..."
    """
    elements: list[str] = []
    size = 0
    for finding in findings[:MOST_ELEMENTS]:
        element = _element(finding)
        if size + len(element) + 2 > MOST_BYTES - _MORE_BYTES:
            break
        elements.append(element)
        size += len(element) + 2
    if len(elements) < len(findings):
        elements.append(f"more; count={len(findings) - len(elements)}")
    return ", ".join(elements)


def _element(finding: Finding) -> str:
    name = _NOT_TOKEN.sub("", quote(finding.prop.id[:40].encode("utf-8", "replace"), safe="")) or "-"
    place = f"line={finding.line}; column={finding.column}; property={name[:80]}"
    return f"{finding.code}; severity={finding.severity}; {place}; message*=UTF-8''{_encoded(finding.message)}"


def _encoded(text: str) -> str:
    """Return text in percent-encoded UTF-8, cut between two characters where it is long."""
    parts: list[str] = []
    size = 0
    for each in text:
        part = quote(each.encode("utf-8", "replace"), safe="!#$&+.^_`|~-")
        size += len(part)
        if size > _MESSAGE_BYTES:
            return "".join((*parts, "..."))
        parts.append(part)
    return "".join(parts)
