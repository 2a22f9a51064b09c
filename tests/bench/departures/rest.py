"""Whether everything is at rest again: readers that do nothing, and places that are free."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from urllib.parse import quote

from tests import wire
from tests.bench.hop.processes import children, cpu_s

_LONGEST_S = 30.0
# What readers may use of a pause and still count as idle: they look for a newer store now and then.
_PAUSE_S, _REST_S = 0.2, 0.02
_PROGRAM = b"proxy.endpoints.reader"


def workers() -> list[int]:
    """Return the readers that this process started; other tests may have children of their own."""
    return [pid for pid in children(os.getpid()) if _PROGRAM in _words(pid)]


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


async def idle(readers: int, since: float) -> float:
    """Wait until all readers are there and none works; return how long after a moment that was.

    Raises TimeoutError where they go on.
    """
    while time.monotonic() < since + _LONGEST_S:
        ended, before = time.monotonic() - since, _spent()
        await asyncio.sleep(_PAUSE_S)
        after = _spent()
        if (
            before.keys() == after.keys()
            and len(after) == readers
            and sum(after.values()) - sum(before.values()) < _REST_S
        ):
            return ended
    raise TimeoutError(f"readers work {_LONGEST_S:g} s after their last client left")


def _spent() -> dict[int, float]:
    return {pid: cpu_s(pid) for pid in workers()}


async def taken(url: str, text: str, count: int) -> int:
    """Count how many queries the endpoint takes at once, running and waiting, before it says that it is busy."""
    target = f"{url}?query={quote(text)}"
    tasks: list[asyncio.Task[wire.Received]] = []
    async with asyncio.TaskGroup() as group:
        for _ in range(count + 1):
            tasks.append(group.create_task(wire.send(target, "GET")))
            await asyncio.sleep(0.01)
        refused = sum(task.done() and task.result().status == 503 for task in tasks)
        for task in tasks:
            task.cancel()
    return count + 1 - refused
