"""Ask /nl as a client does: JSON and events, with keys and from afar."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests import scripted, stage, wire

EVENTS = {"Accept": "text/event-stream"}
JSON = {"Content-Type": "application/json"}
# What makes a caller one that does not ask directly from this machine.
AFAR = {"X-Forwarded-For": "192.0.2.7"}
CHILDREN = "List these: SELECT ?child { wd:Q7186 wdt:P40 ?child }"
ANSWER_KEYS = {
    *("id", "conversation", "question", "endpoint", "strategy", "status", "shape", "sparql", "results", "complete"),
    *("labels", "steps", "types", "gate", "usage", "warnings"),
}


@asynccontextmanager
async def asking(store: Path, strategy: str = "runs", **options: Any) -> AsyncIterator[str]:
    """Serve a store with a scripted strategy, and yield the address of /nl."""
    async with stage.proxy(scripted.tables({"store": str(store)}, strategy, **options)) as base:
        yield f"{base}/nl"


async def post(url: str, headers: wire.Headers = wire.NO_HEADERS, **fields: Any) -> wire.Received:
    """Post a question as JSON."""
    return await wire.send(url, "POST", {**JSON, **headers}, json.dumps(fields).encode())


def dispatched(body: bytes) -> list[tuple[str, str, Any]]:
    """Read a stream as a browser would: id, kind and data of each event. Source: WHATWG HTML, section 9.2.6."""
    found: list[tuple[str, str, Any]] = []
    kind, last = "message", ""
    data: list[str] = []
    for line in re.split("\r\n|\n|\r", body.decode()):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                found.append((last, kind, json.loads("\n".join(data))))
            kind, data = "message", []
        elif name == "event":
            kind = value
        elif name == "data":
            data.append(value)
        elif name == "id":
            last = value
        else:
            assert line.startswith(":"), f"{line!r} is no line of a stream"
    return found


async def until(holds: Callable[[], object], what: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, what
        await asyncio.sleep(0.01)


def key(name: str, *rights: str) -> dict[str, Any]:
    """Return the table of the key that is its own name."""
    return {"sha256": hashlib.sha256(name.encode()).hexdigest(), "rights": ["query", *rights]}


def bearer(name: str) -> dict[str, str]:
    """Return the header that carries a key."""
    return {"Authorization": f"Bearer {name}"}
