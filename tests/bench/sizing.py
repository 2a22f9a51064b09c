"""What one proxy holds: memory and file descriptors of each process, and of each client that only stays connected.

`python -m tests.bench.sizing [--store DIR] [--queries N] [--clients N]`: without a store, the demo. Memory is PSS: what
processes share counts once, each has its part. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import stage, wire
from tests.bench.machine import headline
from tests.observed import toml
from tests.served import Served, children, served

_WORKERS = 2
_AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What one process holds."""

    kind: str
    pss_mib: float
    descriptors: int


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of what is held at rest, after queries, and with clients connected."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.sizing", description=__doc__)
    parser.add_argument("--store", type=Path, help="an embedded store")
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=200)
    options = parser.parse_args(arguments)
    print(headline(f"sizing: {_WORKERS} workers on a store"))
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or stage.demo_store(Path(folder) / "store")
        asyncio.run(_measure(store.resolve(), Path(folder), options.queries, options.clients))
        print(f"\nthe store: {_on_disk(store):.1f} MiB on disk")


async def _measure(store: Path, folder: Path, queries: int, clients: int) -> None:
    # A writer is there, but nothing is written: the store is somebody's.
    config = {"endpoints": {"demo": {"store": str(store), "graph": "wikidata", "updates": True}}}
    print(f"{'':24} {'process':8} {'count':>5} {'PSS MiB each':>13} {'descriptors each':>17}")
    async with served(folder, toml(config), "--workers", str(_WORKERS)) as proxy:
        await proxy.logged("worker.ready", _WORKERS)
        await _ask(proxy, 20)
        _show("at rest", proxy)
        await _ask(proxy, queries)
        _show(f"after {queries:,} queries", proxy)
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(clients):
                await stack.enter_async_context(_connected(proxy))
            _show(f"{clients:,} idle connections", proxy)


@contextlib.asynccontextmanager
async def _connected(proxy: Served) -> AsyncIterator[None]:
    """Hold a connection on which one query was answered."""
    async with wire.connected(proxy.sparql) as (reader, writer):
        writer.write(wire.request(f"{proxy.sparql}?query=ASK%7B%7D", "GET"))
        await wire.receive(reader)
        yield


async def _ask(proxy: Served, count: int) -> None:
    for start in range(0, count, _AT_ONCE):
        texts = (f"SELECT * {{ ?s ?p ?o }} LIMIT {start + n}" for n in range(_AT_ONCE))
        await asyncio.gather(*(wire.get(proxy.sparql, {"query": text}) for text in texts))


def _show(when: str, proxy: Served) -> None:
    kinds: dict[str, list[Held]] = {}
    for held in map(_held, _family(proxy.child.pid)):
        kinds.setdefault(held.kind, []).append(held)
    for kind, each in kinds.items():
        memory = sum(held.pss_mib for held in each) / len(each)
        descriptors = sum(held.descriptors for held in each) / len(each)
        print(f"{when:24} {kind:8} {len(each):5} {memory:13.1f} {descriptors:17.0f}")
        when = ""


def _on_disk(folder: Path) -> float:
    """Return the MiB of a folder; a file under two names, as snapshots have them, counts once."""
    files = (each.stat() for each in folder.rglob("*") if each.is_file())
    return sum({each.st_ino: each.st_blocks for each in files}.values()) * 512 / 2**20


def _family(pid: int) -> list[int]:
    return [pid, *(each for child in children(pid) for each in _family(child))]


def _held(pid: int) -> Held:
    proc = Path(f"/proc/{pid}")
    words = (proc / "cmdline").read_bytes()
    parts = {b"serve": "parent", b"proxy.worker": "worker", b"proxy.endpoints.writer": "writer"}
    kind = next((kind for word, kind in parts.items() if word in words), "reader")
    pss = re.search(r"^Pss:\s+(\d+)", (proc / "smaps_rollup").read_text(), re.MULTILINE)
    assert pss is not None
    return Held(kind=kind, pss_mib=int(pss[1]) / 1024, descriptors=len(list((proc / "fd").iterdir())))


if __name__ == "__main__":
    main()
