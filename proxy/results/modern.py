"""Results in JSON as older endpoints write them, in the words of the standard."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Self

# Inside a string every quote has a backslash before it, so this is only ever a key and its value.
_OLD = re.compile(rb'"type"(\s{0,8}:\s{0,8})"typed-literal"')
_WORDS = b'"type":"typed-literal"'
_LONGEST = len(_WORDS) + 16


def modern_literals(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Write `literal` where an endpoint wrote `typed-literal`, however the body is cut.

    Source: SPARQL 1.1 Query Results JSON section 3.2.2; Virtuoso before 2025-07 still has the type of its draft.
    """
    return _Modern(chunks)


class _Modern:
    """A generator would do, at twice the cost for the usual single chunk."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._next = chunks.__anext__
        self._held = b""

    def __aiter__(self) -> Self:
        """Return itself: a body is read once."""
        return self

    async def __anext__(self) -> bytes:
        """Return the next part, but for what may be the start of the words that end in the part after it."""
        while True:
            try:
                chunk = await self._next()
            except StopAsyncIteration:
                if not self._held:
                    raise
                held, self._held = self._held, b""
                return held
            data = self._held + chunk if self._held else chunk
            if b"typed-literal" in data:
                data = _OLD.sub(rb'"type"\1"literal"', data)
            cut = len(data) - _waiting(data)
            self._held = data[cut:]
            if cut:
                return data[:cut]


def _waiting(data: bytes) -> int:
    """Return how many bytes at the end may be the start of the words."""
    start = data.rfind(b'"type"', max(0, len(data) - _LONGEST))
    if start >= 0 and _WORDS.startswith(b"".join(data[start:].split())):
        return len(data) - start
    return _partial(data)


def _partial(data: bytes) -> int:
    """Return how many bytes at the end may be the start of `"type"`."""
    start = data.rfind(b'"', max(0, len(data) - 5))
    return len(data) - start if start >= 0 and b'"type"'.startswith(data[start:]) else 0
