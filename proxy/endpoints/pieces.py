"""The body of a remote answer, as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Self

import aiohttp

from proxy.endpoints.inflate import Inflate


class Pieces:
    """Read a body as it comes, after decompression, and wait for more of it until a moment of the loop's clock."""

    def __init__(self, response: aiohttp.ClientResponse, deadline: float) -> None:
        self._content = response.content
        self._deadline = deadline
        coding = response.headers.get("content-encoding", "").strip().lower()
        self._inflate = None if coding in ("", "identity") else Inflate(coding)
        self._inflated: Iterator[bytes] = iter(())

    def __aiter__(self) -> Self:
        """Return itself: a body is read once."""
        return self

    async def __anext__(self) -> bytes:
        """Return the next piece. Raises what the client library raises, and what `Inflate` does."""
        while True:
            # A small chunk can grow a thousandfold: it is inflated as it is read.
            for piece in self._inflated:
                return piece
            chunk = await self._chunk()
            if self._inflate is None:
                if not chunk:
                    raise StopAsyncIteration
                return chunk
            if not chunk:
                self._inflate.finish()
                raise StopAsyncIteration
            self._inflated = iter(self._inflate.feed(chunk))

    async def _chunk(self) -> bytes:
        content = self._content
        chunk = content.read_nowait()
        if chunk or content.is_eof():
            # There is nothing to wait for.
            return chunk
        async with asyncio.timeout_at(self._deadline):
            return await content.readany()
