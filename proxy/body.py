"""The body of a request: how large, how long, and in no encoding but its own."""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.errors import SlowRequest, TooLarge, UnsupportedMedia
from proxy.settings import Server


async def read_body(request: web.Request, server: Server) -> bytes:
    """Return the whole body.

    Raises:
        TooLarge: it is above the limit, or announced to be.
        SlowRequest: it does not come in time.
        UnsupportedMedia: it is compressed; whether such a one is whole could not be told.
    """
    refuse_length(request, server.max_body_bytes)
    coding = request.headers.get("Content-Encoding", "").strip().lower()
    if coding not in ("", "identity"):
        detail = f"Send the body as it is, not in the encoding {coding!r}."
        raise UnsupportedMedia(detail, headers={"Accept-Encoding": "identity"})
    try:
        if request.content.is_eof():
            # All of it came with the head: there is nothing to wait for.
            return await request.read()
        async with asyncio.timeout(server.body_s):
            return await request.read()
    except TimeoutError:
        detail = f"The body did not come within {server.body_s:g} s."
        raise SlowRequest(detail, headers={"Connection": "close"}) from None
    except web.HTTPRequestEntityTooLarge:
        raise _too_large(server.max_body_bytes) from None


def refuse_length(request: web.Request, limit: int) -> None:
    """Raise TooLarge for a body that is announced to be above the limit, before any of it was read."""
    if (request.content_length or 0) > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> TooLarge:
    detail = f"The request body is larger than {limit:,} bytes, the `server.max_body_bytes` of this proxy."
    # The rest of the body is not read, so the connection cannot be used again.
    return TooLarge(detail, headers={"Connection": "close"})
