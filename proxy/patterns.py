"""Compile patterns with possessive groups so that they mean the same on every Python.

Before 3.11.5 a possessive group whose inside gives up half-way leaves the position where it gave up, so that text is
skipped which nothing matched. (Debian 12 ships 3.11.2.) There the same is written with atomic groups, which need more
memory while they match.
Source: github.com/python/cpython/issues/106052.
"""

from __future__ import annotations

import re
import sys
from typing import AnyStr

_SOUND = (3, 11, 5)
_PIECE = re.compile(rb"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]|[^\\\[()]+", re.DOTALL)
_POSSESSIVE = re.compile(rb"([?*+]|\{[0-9,]+\})\+")


def compiled(source: AnyStr, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[AnyStr]:
    """Compile a pattern."""
    if sys.version_info >= _SOUND:
        return re.compile(source, flags)
    if isinstance(source, str):
        source = portable(source.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    else:
        source = portable(source)
    return re.compile(source, flags)


def portable(source: bytes) -> bytes:
    """Return the pattern with atomic groups in place of possessive ones; possessive single characters stay."""
    # The pieces of every group that is open; when one closes, they become one piece of the group around it.
    open_groups: list[list[bytes]] = [[]]
    position = 0
    while position < len(source):
        found = _PIECE.match(source, position)
        if found is None:
            raise ValueError("a pattern that is not whole")
        position = found.end()
        if found[0] == b"(":
            open_groups.append([])
        elif found[0] == b")":
            inside = b"".join(open_groups.pop())
            quantifier = _POSSESSIVE.match(source, position)
            position = quantifier.end() if quantifier else position
            open_groups[-1].append(_closed(inside, quantifier[1] if quantifier else b""))
        else:
            open_groups[-1].append(found[0])
    return b"".join(open_groups[0])


def _closed(inside: bytes, quantifier: bytes) -> bytes:
    group = b"(" + inside + b")"
    if not quantifier:
        return group
    if quantifier == b"?":
        return b"(?>" + (inside.removeprefix(b"?:") if inside.startswith(b"?:") else group) + b"|)"
    return b"(?>" + group + quantifier + b")"
