"""Questions to a proxy that runs, over its server-sent events."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any
from urllib.parse import quote

import aiohttp

from proxy.errors import UpstreamFailed, UsageError

KEY = "SAGA_KEY"
# Heartbeats come more often.
_SILENT_S = 90.0


async def remote_events(
    server: str, endpoint: str | None, fields: Mapping[str, Any]
) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the events of a question as JSON objects; the last one is the answer.

    Shapes: the environment variable `SAGA_KEY` holds the key, where the proxy wants one.
    Raises UsageError where the proxy refuses the question, UpstreamFailed where it cannot answer it.
    """
    url = f"{server.rstrip('/')}/nl" + (f"/{quote(endpoint, safe='')}" if endpoint else "")
    headers = {"Accept": "text/event-stream"}
    if key := os.environ.get(KEY):
        headers["Authorization"] = f"Bearer {key}"
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=_SILENT_S)
    last = ""
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(url, json=dict(fields), headers=headers) as reply,
        ):
            if reply.status != 200 or reply.content_type != "text/event-stream":
                raise _refusal(url, reply.status, await reply.read())
            async for event in parsed(reply.content.iter_any()):
                last = str(event.get("kind"))
                if last == "error":
                    raise _refusal(url, int(event.get("status", 502)), json.dumps(event).encode())
                yield event
    except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, TimeoutError) as error:
        raise UpstreamFailed(f"{url} does not answer: {error or 'it is silent'}") from None
    except (aiohttp.ClientError, ValueError) as error:
        raise UsageError(f"{url}: {error}") from None
    if last != "answer":
        raise UpstreamFailed(f"{url}: the answer was cut.")


async def parsed(chunks: AsyncIterator[bytes]) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the objects of a stream of events, however it is cut into pieces. Raises ValueError for other data."""
    held = bytearray()
    async for chunk in chunks:
        # Where a frame ends within this piece; an answer may be many of them long.
        start = max(0, len(held) - 1)
        held += chunk
        while (end := held.find(b"\n\n", start)) >= 0:
            frame = bytes(held[:end])
            del held[: end + 2]
            start = 0
            for each in frame.split(b"\n"):
                if each.startswith(b"data:"):
                    found = json.loads(each[5:])
                    if not isinstance(found, dict):
                        raise ValueError("an event is no JSON object")
                    yield found


def _refusal(url: str, status: int, body: bytes) -> UpstreamFailed | UsageError:
    try:
        problem = json.loads(body)
        detail = str(problem["detail"])
    except (ValueError, TypeError, KeyError):
        detail = f"answers with status {status}, and not as a proxy with `/nl` would."
    if status == 429 or status >= 500:
        return UpstreamFailed(f"{url}: {detail}")
    hint = f" The environment variable {KEY} holds the key." if status in (401, 403) else ""
    return UsageError(f"{url}: {detail}{hint}")
