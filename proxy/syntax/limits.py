"""What a query text may cost us before it is refused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    r"""Bounds of one query text.

    Units: ``max_bytes`` counts UTF-8 bytes, ``max_tokens`` counts tokens (above ``max_checked_tokens`` a run of
    constants, as in VALUES, is one) and ``\u`` escapes, ``max_depth`` counts open brackets of any kind. A text of more
    than ``max_checked_tokens`` is not refused: it is read lexically only (form, SERVICE targets, volatile functions)
    and comes back unchecked.
    """

    max_bytes: int = 4 * 1024 * 1024
    max_tokens: int = 120_000
    max_depth: int = 200
    max_checked_tokens: int = 20_000


# For texts that were read before.
UNLIMITED = Limits(max_bytes=2**40, max_tokens=2**40, max_depth=2**40)
