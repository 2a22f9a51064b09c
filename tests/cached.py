"""Proxies with the cache on, and answers to put into it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from proxy.results import Format
from tests import fronts, stage, wire
from tests.upstream import Answer, Sent, Upstream
from tests.wire import Received

JSON = {"Accept": Format.JSON.media_type}


@asynccontextmanager
async def cached(upstream: Upstream, table: dict[str, Any] | None = None, **cache: Any) -> AsyncIterator[str]:
    """Put a proxy with the cache before an upstream, and yield the address of its SPARQL page."""
    tables = {
        "server": {"anonymous": ["query", "update", "admin"]},
        "endpoints": {"up": {"url": upstream.url, "updates": True, **(table or {})}},
        "plugins": {"enabled": ["plugins.cache"]},
        "cache": cache,
    }
    async with stage.proxy(tables) as base:
        yield f"{base}/sparql"


def numbered(rows: int = 1, width: int = 10, **more: Any) -> Any:
    """Return a script whose answers differ: the first value of each is the number of the request."""
    count = 0

    def script(_: Sent) -> Answer:
        nonlocal count
        count += 1
        return Answer(body=table(count, rows, width), **more)

    return script


def table(first: int, rows: int = 1, width: int = 10) -> bytes:
    """Return a table of JSON; rows after the first hold ``width`` characters."""
    row = '{"x":{"type":"literal","value":"%s"}}'
    bindings = [row % first, *(row % str(n).rjust(width, "x") for n in range(1, rows))]
    return f'{{"head":{{"vars":["x"]}},"results":{{"bindings":[{",".join(bindings)}]}}}}'.encode()


async def ask(url: str, text: str = "SELECT ?x { ?s ?p ?x }", **headers: str) -> Received:
    """Send a query by GET; a header's name is written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await wire.get(url, {"query": text}, {**JSON, **named})


async def events(url: str, event: str) -> int:
    """Return how often the cache did something."""
    return int(await fronts.counted(url, "saga_cache_events_total", event=event))


def number(received: Received) -> int:
    """Return the number of the upstream's request that an answer comes from."""
    assert received.status == 200, received
    return int(received.values[0]["x"])
