"""Workers keep answers of their own, and forget them together."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tests import stage, wire
from tests.cached import ask, number, table
from tests.upstream import Answer, Sent, Upstream

_CONFIG = """
[server]
anonymous = ["query", "update", "admin"]
[endpoints.up]
url = "{url}"
updates = true
[plugins]
enabled = ["plugins.cache"]
"""


def counted_reads() -> Callable[[Sent], Answer]:
    """Return a script that numbers its answers to queries."""
    count = 0

    def script(sent: Sent) -> Answer:
        nonlocal count
        if "update" in sent.form:
            return Answer(status=204, body=b"")
        count += 1
        return Answer(body=table(count))

    return script


@asynccontextmanager
async def two_workers(upstream: Upstream, folder: Path) -> AsyncIterator[str]:
    config, port = folder / "saga.toml", stage.free_port()
    config.write_text(_CONFIG.format(url=upstream.url))
    words = ["serve", "--config", str(config), "--port", str(port), "--workers", "2"]
    with stage.process([sys.executable, "-m", "proxy", *words], cwd=stage.ROOT) as child:
        await asyncio.to_thread(stage.wait_for, f"http://127.0.0.1:{port}/health/live", child)
        yield f"http://127.0.0.1:{port}/sparql"


async def answers(url: str, wanted: int) -> set[int]:
    """Ask on new connections, each of which finds some worker, until so many answers were seen; return all seen."""
    seen: set[int] = set()
    for _ in range(1000):
        seen |= {number(each) for each in await asyncio.gather(*(ask(url) for _ in range(8)))}
        if len(seen) >= wanted:
            return seen
    raise AssertionError(f"one worker took every connection, or gave more than its answer: {seen}")


async def test_an_update_through_one_worker_is_seen_by_all(tmp_path: Path) -> None:
    async with Upstream(counted_reads()) as upstream, two_workers(upstream, tmp_path) as url:
        before = await answers(url, 2)
        assert (await wire.post(url, {"update": "INSERT DATA { <urn:s> <urn:p> 1 }"})).status == 204
        after = await answers(url, 2)
        assert min(after) > max(before)
        assert (await wire.get(url.removesuffix("/sparql") + "/admin/cache", method="DELETE")).status == 200
        assert min(await answers(url, 2)) > max(after)
