"""A pause that an endpoint asked one worker for holds in the others, and the file that says so may be anything."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from plugins.breaker.pauses import FolderPauses
from tests import stage, wire
from tests.upstream import Answer, Upstream

_BUSY = Answer(status=429, headers=[("Retry-After", "600")], type="text/plain", body=b"slow down")


@asynccontextmanager
async def two(upstream: Upstream) -> AsyncIterator[tuple[str, str]]:
    """Put two proxies before one upstream that have one parent's folder, as two workers have."""
    tables: dict[str, Any] = {
        "endpoints": {"up": {"url": upstream.url}, "other": {"url": upstream.url}},
        "plugins": {"enabled": ["plugins.breaker"]},
        "breaker": {"retry_share": 0.0},
    }
    async with stage.proxy(tables) as one, stage.proxy(tables) as other:
        yield one, other


async def status(base: str, endpoint: str = "up") -> int:
    return (await wire.post(f"{base}/sparql/{endpoint}", {"query": "ASK {}"})).status


async def test_a_pause_holds_in_all_workers_of_one_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    async with Upstream(_BUSY, Answer()) as upstream, two(upstream) as (one, other):
        assert [await status(one), await status(other), await status(one)] == [503] * 3
        assert len(upstream.sent) == 1
        assert await status(other, "other") == 200


async def test_workers_of_two_proxies_know_nothing_of_each_other() -> None:
    async with Upstream(_BUSY, Answer()) as upstream, two(upstream) as (one, other):
        assert [await status(one), await status(other)] == [503, 200]


async def test_a_longer_pause_stands_and_one_that_is_over_is_none(tmp_path: Path) -> None:
    one, other = FolderPauses(tmp_path), FolderPauses(tmp_path)
    await one.tell("up", 600.0)
    await other.tell("up", 60.0)
    assert 500.0 < await other.left_s("up") <= 600.0
    assert await other.left_s("another") == 0.0
    (file,) = (tmp_path / name for name in os.listdir(tmp_path))
    os.utime(file, (1.0, 1.0))
    assert await one.left_s("up") == 0.0
    # A clock that was set back.
    os.utime(file, (time.time() + 10**9, time.time() + 10**9))
    assert await one.left_s("up") <= 86_400.0


async def test_a_folder_that_is_gone_costs_no_query(tmp_path: Path) -> None:
    pauses = FolderPauses(tmp_path / "gone")
    await pauses.tell("up", 60.0)
    assert await pauses.left_s("up") == 0.0


async def test_two_real_workers_share_a_pause(tmp_path: Path) -> None:
    async with Upstream(_BUSY, Answer()) as upstream:
        config, port = tmp_path / "saga.toml", stage.free_port()
        config.write_text(
            f'[server]\nport = {port}\nworkers = 2\n[endpoints.up]\nurl = "{upstream.url}"\n'
            '[plugins]\nenabled = ["plugins.breaker"]\n'
        )
        words = [sys.executable, "-m", "proxy", "serve", "--config", str(config)]
        with stage.process(words, cwd=stage.ROOT) as child:
            base = f"http://127.0.0.1:{port}"
            await asyncio.to_thread(stage.wait_for, f"{base}/health/live", child)
            before = len(upstream.sent)
            # Each on a connection of its own, so that both workers get some.
            assert [await status(base) for _ in range(20)] == [503] * 20
            assert len(upstream.sent) - before == 1
