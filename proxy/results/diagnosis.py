"""Why an answer broke: a time limit of the endpoint's own is told apart from any other fault."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

from proxy.errors import ProxyError

# What engines write into a body whose head said 200, when they stop at a limit of their own: anywhere, or as words.
# Source: Blazegraph (java.util.concurrent.TimeoutException, QueryTimeoutException), Oxigraph ("has been cancelled"),
# Virtuoso (S1TAT), QLever and others ("timed out", "time limit").
_ANYWHERE = (b"timeoutexception", b"operation has been cancelled")
_WORDS = (b"timed out", b"time limit", b"s1tat")
# The trace of an exception names it near its start.
_TRACE_BYTES = 16 * 1024
_TRACE_S = 0.5


async def timed_out(seen: bytes, chunks: AsyncIterator[bytes]) -> bool:
    """Return whether a time limit broke a body; read a little further where the reason may still come."""
    text = bytearray(seen[-_TRACE_BYTES:])
    try:
        async with asyncio.timeout(_TRACE_S):
            while not _says_so(text) and len(text) < 2 * _TRACE_BYTES:
                text += await anext(chunks)
    except (StopAsyncIteration, TimeoutError, ProxyError):
        pass
    return _says_so(text)


def _says_so(text: bytearray) -> bool:
    # Each by itself: an expression that tries all of them at every byte takes twenty times as long.
    lowered = text.lower()
    return any(each in lowered for each in _ANYWHERE) or any(
        each in lowered and re.search(rb"\b%b\b" % each, lowered) for each in _WORDS
    )
