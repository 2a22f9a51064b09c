"""JSON as it is sent, with nothing in it that a stream of lines or a terminal acts on."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

# What JSON leaves as it is and some readers act on: C1 controls, line separators, marks of the direction of text.
_ACTING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# A thread is worth its while from so many rows.
_MANY_ROWS = 500


def encoded(document: object) -> bytes:
    """Return the document in one line."""
    text = json.dumps(document, ensure_ascii=False)
    return _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8", "replace")


async def encoded_aside(document: dict[str, Any]) -> bytes:
    """Return the document in one line; a large one is written in a thread, so that others go on."""
    results = (document.get("results") or {}).get("results") or {}
    if len(results.get("bindings", ())) < _MANY_ROWS:
        return encoded(document)
    return await asyncio.to_thread(encoded, document)
