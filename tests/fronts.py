"""Proxies for tests: in front of an endpoint on loopback, or of a store made of a few quads."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from prometheus_client.parser import text_string_to_metric_families
from pyoxigraph import RdfFormat, Store

from tests import stage, wire
from tests.upstream import Upstream

GRAPHS = """
<http://e.org/s> <http://e.org/p> "default" .
<http://e.org/s> <http://e.org/p> "a" <http://e.org/a> .
<http://e.org/s> <http://e.org/p> "b" <http://e.org/b> .
<http://e.org/s> <http://e.org/q> "only b" <http://e.org/b> .
"""

LARGE = 8_000
"""So many rows are more than the proxy gathers before it sends the first byte."""


@asynccontextmanager
async def front(upstream: Upstream, server: Mapping[str, Any] | None = None, **table: Any) -> AsyncIterator[str]:
    """Put a proxy in front of an upstream, and yield the address of its SPARQL page."""
    tables: dict[str, Any] = {"endpoints": {"up": {"url": upstream.url, **table}}}
    if server:
        tables["server"] = server
    async with stage.proxy(tables) as base:
        yield f"{base}/sparql"


@asynccontextmanager
async def embedded(folder: Path, server: Mapping[str, Any] | None = None, **table: Any) -> AsyncIterator[str]:
    """Put a proxy on a store, and yield the address of its SPARQL page."""
    tables: dict[str, Any] = {"endpoints": {"local": {"store": str(folder), **table}}}
    if server:
        tables["server"] = server
    async with stage.proxy(tables) as base:
        yield f"{base}/sparql"


def store(folder: Path, quads: str = GRAPHS) -> Path:
    """Make a store that holds these N-Quads."""
    made = Store(str(folder))
    made.bulk_load(quads.encode(), RdfFormat.N_QUADS)
    made.flush()
    return folder


async def counted(url: str, name: str, **labels: str) -> float:
    """Return the sum of the samples of a series that have these labels."""
    parts = urlsplit(url)
    page = await wire.get(f"{parts.scheme}://{parts.netloc}/metrics")
    return sum(
        sample.value
        for family in text_string_to_metric_families(page.body.decode())
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )
