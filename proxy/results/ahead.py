"""Look ahead in a stream that may stand still."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable


class Ahead:
    """Read a stream, and look whether more of it comes, without losing what comes later."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._pending: asyncio.Future[bytes | None] | None = None

    async def comes(self, until: float) -> bool:
        """Wait for the next chunk, or its end or error, until a moment of the loop's clock; say whether it came."""
        if self._pending is None:
            self._pending = asyncio.ensure_future(anext(self._chunks, None))
            # Most are nearly here: those need no clock.
            await asyncio.sleep(0)
        if not self._pending.done():
            left = max(0.0, until - asyncio.get_running_loop().time())
            await asyncio.wait((self._pending,), timeout=left)
        return self._pending.done()

    def take(self) -> Awaitable[bytes | None]:
        """Return the next chunk, None at the end. Errors of the stream pass."""
        pending, self._pending = self._pending, None
        return pending or anext(self._chunks, None)

    async def aclose(self) -> None:
        """Let go of a chunk that is still waited for."""
        if self._pending is not None:
            self._pending.cancel()
            await asyncio.gather(self._pending, return_exceptions=True)
