"""What the proxy leans on, and that fails: a Redis that dies again and again, a disk that is full."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests import fronts, wire
from tests.faults.fault import ACCEPT, Fault, Peer, Sight, ask, scripted, seen
from tests.profiles import select
from tests.redis import RedisServer, redis_server

# Established, on its way, and ended by the other side (Linux's numbers).
_HELD = ("01", "02", "08")
_LIVES_S, _DEAD_S = 0.4, 0.2
# What a store of a few triples and its snapshots take, and a little more.
_DISK = "8m"
_BIG = "x" * 200_000


@asynccontextmanager
async def dying_redis() -> AsyncIterator[Peer]:
    """Kill the Redis that cache, limits and breaker share, and start it anew, again and again."""
    with tempfile.TemporaryDirectory(prefix="saga-redis-") as folder, redis_server(Path(folder)) as redis:
        async with scripted(select(5))() as peer:
            options = {name: {"redis": redis.url} for name in ("cache", "limits", "breaker")}
            killer = asyncio.ensure_future(_kill_again_and_again(redis))
            try:
                yield replace(peer, options=options, descriptors=lambda: _connections_to(redis.port))
            finally:
                killer.cancel()
                await asyncio.gather(killer, return_exceptions=True)


def _connections_to(port: int) -> int:
    """Count our ends of the connections to a port; of those that died the pools learn when they use them next."""
    lines = Path("/proc/self/net/tcp").read_text().splitlines()[1:]
    fields = (line.split() for line in lines)
    return sum(remote.endswith(f":{port:04X}") and state in _HELD for _, _, remote, state, *_ in fields)


async def _kill_again_and_again(redis: RedisServer) -> None:
    while True:
        await asyncio.sleep(_LIVES_S)
        redis.kill()
        await asyncio.sleep(_DEAD_S)
        await asyncio.to_thread(redis.start)


@contextmanager
def small_disk(folder: Path, size: str = _DISK) -> Iterator[Path]:
    """Mount a disk of its own that is small. Skips the test where that is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    try:
        done = subprocess.run(words, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("mount is not installed")
    if done.returncode:
        pytest.skip("a small disk cannot be mounted here (only root may)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Write a file until the disk is full, and return it."""
    path = disk / "filler"
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    return path


@asynccontextmanager
async def full_disk() -> AsyncIterator[Peer]:
    """Put a store on a disk, and fill the disk up."""
    with tempfile.TemporaryDirectory(prefix="saga-disk-") as folder, small_disk(Path(folder) / "disk") as disk:
        store = fronts.store(disk / "store")
        # What queries read of it is made at its first start, and needs a place of its own.
        async with fronts.embedded(store, updates=True) as url:
            assert (await wire.get(url, {"query": "ASK { ?s ?p ?o }"})).status == 200
        fill(disk)
        yield Peer("", _nothing, table={"store": str(store), "updates": True, "concurrency": 2, "queue": 1000})


def _nothing() -> None:
    """There is nothing to forget."""


async def insert(url: str, number: int) -> Sight:
    """Insert more than fits."""
    return seen(await wire.post(url, {"update": f'INSERT DATA {{ <urn:{number}> <urn:big> "{_BIG}{number}" }}'}))


async def read(url: str, number: int) -> Sight:
    """Ask for what is there."""
    asked = f"SELECT * {{ ?s <http://e.org/p> ?o FILTER(?o != '{number % 256}') }}"
    return seen(await wire.get(url, {"query": asked}, ACCEPT))


SURROUNDINGS = [
    Fault(
        name="redis: dies again and again", peer=dying_redis, visit=ask,
        sees=frozenset({Sight(200)}), outcomes=frozenset({"ok"}),
    ),
    Fault(
        name="disk full: an update", peer=full_disk, visit=insert,
        sees=frozenset({Sight(502, "upstream_failed")}), outcomes=frozenset({"upstream_error"}),
    ),
    Fault(
        name="disk full: a query", peer=full_disk, visit=read, sees=frozenset({Sight(200)}), outcomes=frozenset({"ok"})
    ),
]  # fmt: skip
