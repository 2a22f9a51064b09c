"""Text that may stand in XML."""

from __future__ import annotations

import re

from proxy.errors import NotAcceptable

_SPECIAL = re.compile(r'[&<>"\r\n\t]')
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}
# Source: XML 1.0 section 2.2.
_MARKED = re.compile(r"[\x00-\x1f&<>\"\ud800-\udfff\ufffe\uffff]")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(value: str) -> str:
    """Return a text for an element or an attribute; white space survives both.

    Raises: NotAcceptable for characters that XML has no way to write.
    """
    if _MARKED.search(value) is None:
        return value
    if found := _FORBIDDEN.search(value):
        raise NotAcceptable(
            f"The answer holds the character U+{ord(found[0]):04X}, which XML cannot write. Ask for JSON or Turtle."
        )
    return _SPECIAL.sub(lambda special: _REFERENCES[special[0]], value)
