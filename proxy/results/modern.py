"""Results in JSON as older endpoints write them, in the words of the standard."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

# Inside a string every quote has a backslash before it, so this is only ever a key and its value.
_OLD = re.compile(rb'"type"(\s{0,8}:\s{0,8})"typed-literal"')
_WORDS = b'"type":"typed-literal"'
_LONGEST = len(_WORDS) + 16


async def modern_literals(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Write `literal` where an endpoint wrote `typed-literal`, however the body is cut.

    Source: SPARQL 1.1 Query Results JSON section 3.2.2; Virtuoso before 2025-07 still has the type of its draft.
    """
    held = b""
    async for chunk in chunks:
        data = held + chunk if held else chunk
        if b"typed-literal" in data:
            data = _OLD.sub(rb'"type"\1"literal"', data)
        # What may be the start of the words that end in the next chunk waits for it, and nothing else does.
        start = data.rfind(b'"type"', max(0, len(data) - _LONGEST))
        waits = start >= 0 and _WORDS.startswith(b"".join(data[start:].split()))
        cut = start if waits else len(data) - _partial(data)
        held = data[cut:]
        if cut:
            yield data[:cut]
    if held:
        yield held


def _partial(data: bytes) -> int:
    """Return how many bytes at the end may be the start of `"type"`."""
    return next((n for n in range(5, 0, -1) if data.endswith(b'"type"'[:n])), 0)
