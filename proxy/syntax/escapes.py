r"""Codepoint escapes: ``\uXXXX`` and ``\UXXXXXXXX`` anywhere in a query text.

Source: SPARQL 1.1 section 19.2: they are undone before the grammar is applied.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[\s\S])")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text with its codepoint escapes undone, and the way back.

    Shapes: ``here[n]`` is the offset in ``text`` just after the n-th escape, ``there[n]`` the same place in the
    original text; both are empty where there was no escape.
    """

    text: str
    here: tuple[int, ...] = ()
    there: tuple[int, ...] = ()

    def original(self, offset: int) -> int:
        """Map an offset into ``text`` to one into the original text."""
        at = bisect_right(self.here, offset) - 1
        return offset if at < 0 else self.there[at] + offset - self.here[at]

    def local(self, offset: int) -> int:
        """Map an offset into the original text, at a token, to one into ``text``."""
        at = bisect_right(self.there, offset) - 1
        return offset if at < 0 else self.here[at] + offset - self.there[at]


def decode(text: str) -> Decoded:
    r"""Undo the codepoint escapes of a text.

    A doubled backslash is a pair and escapes nothing: ``\\u0041`` stays. So does what names no character
    (surrogates, beyond U+10FFFF): the grammar will point at it.
    """
    if "\\u" not in text and "\\U" not in text:
        return Decoded(text)
    parts: list[str] = []
    here: list[int] = []
    there: list[int] = []
    length = last = 0
    for match in _ESCAPE.finditer(text):
        digits = match[1] or match[2]
        if digits is None or not _is_character(int(digits, 16)):
            continue
        parts += (text[last : match.start()], chr(int(digits, 16)))
        length += match.start() - last + 1
        last = match.end()
        here.append(length)
        there.append(last)
    parts.append(text[last:])
    return Decoded("".join(parts), tuple(here), tuple(there))


def _is_character(code: int) -> bool:
    return code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
