"""An endpoint of a soak, as the soak sees it: in a process of its own, it is late only where the machine is."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote

from tests import stage, wire
from tests.bench.soak.moody import Seen


class Endpoint:
    """Change its mood, and ask what it has seen."""

    def __init__(self, port: int, admin_port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/sparql"
        self._admin = f"http://127.0.0.1:{admin_port}"

    async def feel(self, mood: str) -> None:
        """Let it be in a mood; none is a good one."""
        put = await wire.send(f"{self._admin}/mood/{quote(mood)}", "PUT", body=b"")
        assert put.status == 204, f"the mood {mood!r}: {put.status}"

    async def seen(self) -> Seen:
        """Return what it has seen until now."""
        return Seen(**(await wire.get(f"{self._admin}/")).json)

    async def has(self, mark: str) -> bool:
        """Whether a query with this mark, one that runs until its client leaves, has arrived."""
        return (await self._sent(mark)).status == 200

    async def left(self, mark: str) -> float | None:
        """Return the moment in which the client of such a query left, or None.

        Units: seconds of the monotonic clock. Source: clock_gettime(2): it is one for all processes of a system.
        """
        left: float | None = (await self._sent(mark)).json["left"]
        return left

    async def _sent(self, mark: str) -> wire.Received:
        return await wire.get(f"{self._admin}/sent/{mark}")


@asynccontextmanager
async def endpoint() -> AsyncIterator[Endpoint]:
    """Start one."""
    port, admin_port = stage.free_port(), stage.free_port()
    words = [sys.executable, "-m", "tests.bench.soak.moody", str(port), str(admin_port)]
    with stage.process(words, cwd=stage.ROOT) as child:
        await asyncio.to_thread(stage.wait_for, f"http://127.0.0.1:{admin_port}/", child)
        yield Endpoint(port, admin_port)
