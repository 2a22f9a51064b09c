"""What a proxy shows to who watches it: its samples, and a configuration written down as TOML."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests import wire
from tests.served import Served

Series = tuple[str, tuple[tuple[str, str], ...]]
Samples = dict[Series, float]


def named(name: str, **labels: str) -> Series:
    """Return the name of a series with its labels."""
    return name, tuple(sorted(labels.items()))


async def samples(base: str) -> Samples:
    """Return every sample of ours that a proxy shows, but for the buckets of histograms."""
    page = await wire.get(f"{base}/metrics")
    return {
        named(sample.name, **sample.labels): sample.value
        for family in text_string_to_metric_families(page.body.decode())
        for sample in family.samples
        if sample.name.startswith("saga_") and not sample.name.endswith("_bucket")
    }


def total(found: Samples, name: str, **labels: str) -> float:
    """Return the sum of the samples of a series that have these labels."""
    wanted = labels.items()
    return sum(value for (each, given), value in found.items() if each == name and wanted <= dict(given).items())


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 20.0) -> None:
    """Wait until a condition holds. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 - other processes set no event of ours
            await asyncio.sleep(0.05)


@contextlib.contextmanager
def only(proxy: Served, worker: int) -> Iterator[None]:
    """Let one worker answer alone, while the others stand still."""
    others = [pid for pid in proxy.workers if pid != worker]
    for pid in others:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in others:
            os.kill(pid, signal.SIGCONT)


def toml(tables: Mapping[str, Any]) -> str:
    """Write a configuration; the words of JSON are those of TOML for all that it holds."""
    return "\n".join(_lines("", tables))


def _lines(path: str, table: Mapping[str, Any]) -> Iterator[str]:
    if path:
        yield f"[{path}]"
    for key, value in table.items():
        if not isinstance(value, Mapping):
            yield f"{key} = {json.dumps(value)}"
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _lines(f"{path}.{key}" if path else key, value)
