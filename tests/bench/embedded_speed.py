"""What the child processes cost over Oxigraph in process: `python -m tests.bench.embedded_speed STORE`.

Prints the start of a reader, the median and 99th percentile of small queries, what is of a class (on Wikidata), bytes
per second by format, the time in which a reader opens a new snapshot, and updates per second. STORE is copied for the
updates (hard links would do for Oxigraph, but not for a bench that is stopped).
"""

from __future__ import annotations

import asyncio
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pyoxigraph

from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from proxy.endpoints.folder import Folder
from proxy.results.formats import Format
from tests import embedded
from tests.bench.machine import headline

FORMATS = {
    Format.JSON: pyoxigraph.QueryResultsFormat.JSON,
    Format.XML: pyoxigraph.QueryResultsFormat.XML,
    Format.CSV: pyoxigraph.QueryResultsFormat.CSV,
    Format.TSV: pyoxigraph.QueryResultsFormat.TSV,
}
SMALL = {
    "ASK": "ASK { ?s ?p ?o }",
    "50 rows": "SELECT * { ?s ?p ?o } LIMIT 50",
    "1,000 rows": "SELECT * { ?s ?p ?o } LIMIT 1000",
}
# What is of a class or of one below it, as most queries to Wikidata ask.
CLASS = """PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT (COUNT(*) AS ?n) { ?x wdt:P31/wdt:P279* wd:Q3918 ; wdt:P571 ?t }"""
BIG = "SELECT * { ?s ?p ?o } LIMIT 300000"
ROUNDS = 1000


class Sink:
    """Count what is written."""

    def __init__(self) -> None:
        self.size = 0

    def write(self, data: bytes) -> int:
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing."""


def in_process(store: pyoxigraph.Store, text: str, fmt: Format) -> int:
    """Answer without a child; return the bytes."""
    sink = Sink()
    results = store.query(text)
    assert isinstance(results, pyoxigraph.QuerySolutions | pyoxigraph.QueryBoolean)
    results.serialize(output=sink, format=FORMATS[fmt])  # type: ignore[arg-type]  # `write` and `flush` are enough
    return sink.size


async def timed(work: Callable[[], Awaitable[object]], rounds: int) -> tuple[float, float]:
    """Return median and 99th percentile, in milliseconds."""
    took = []
    for _ in range(rounds):
        started = time.perf_counter()
        await work()
        took.append((time.perf_counter() - started) * 1e3)
    return statistics.median(took), sorted(took)[int(len(took) * 0.99)]


async def main(folder: Path) -> None:
    """Measure and print."""
    print(headline("embedded store: child processes against Oxigraph in process"))
    settings = EmbeddedSettings(store=folder, readers=1)
    snapshot = Folder(folder).open(10)
    started = time.perf_counter()
    endpoint = EmbeddedEndpoint("bench", settings)
    async with endpoint.lifespan():
        await embedded.ask(endpoint, "ASK {}")
        print(f"start of a reader and first answer: {(time.perf_counter() - started) * 1e3:.0f} ms")
        for name, text in SMALL.items():
            await _small(endpoint, snapshot.store, name, text)
        await _small(endpoint, snapshot.store, "class", CLASS, 1)
        for fmt in FORMATS:
            await _big(endpoint, snapshot.store, fmt)
    snapshot.close()
    with tempfile.TemporaryDirectory() as home:
        await _updates(EmbeddedSettings(store=shutil.copytree(folder, Path(home) / "store"), readers=1))
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


async def _small(
    endpoint: EmbeddedEndpoint, store: pyoxigraph.Store, name: str, text: str, rounds: int = ROUNDS
) -> None:
    async def direct() -> None:
        in_process(store, text, Format.JSON)

    child = await timed(lambda: embedded.ask(endpoint, text, Format.JSON), rounds)
    alone = await timed(direct, rounds)
    print(f"{name:12} child {child[0]:.3f} / {child[1]:.3f} ms, in process {alone[0]:.3f} / {alone[1]:.3f} ms")


async def _big(endpoint: EmbeddedEndpoint, store: pyoxigraph.Store, fmt: Format) -> None:
    started, size = time.perf_counter(), 0
    async with await endpoint.run(embedded.query(BIG, fmt)) as reply:
        async for chunk in reply.chunks:
            size += len(chunk)
    child = size / 1e6 / (time.perf_counter() - started)
    started = time.perf_counter()
    alone = in_process(store, BIG, fmt) / 1e6 / (time.perf_counter() - started)
    print(f"{fmt.short_name:12} child {child:.1f} MB/s, in process {alone:.1f} MB/s, of {size / 1e6:.0f} MB")


async def _updates(settings: EmbeddedSettings) -> None:
    writer, reader = EmbeddedEndpoint("writer", settings), EmbeddedEndpoint("reader", settings)
    async with writer.lifespan(), reader.lifespan():
        await embedded.ask(writer, "INSERT DATA { <urn:bench> <urn:is> 0 }")
        await embedded.ask(reader, "ASK {}")
        numbers = iter(range(1, 1000))
        update = await timed(lambda: embedded.ask(writer, f"INSERT DATA {{ <urn:b> <urn:is> {next(numbers)} }}"), 50)
        reopen = []
        for _ in range(20):
            await embedded.ask(writer, f"INSERT DATA {{ <urn:b> <urn:is> {next(numbers)} }}")
            reopen.append((await timed(lambda: embedded.ask(reader, "ASK {}"), 1))[0])
    print(f"update until all idle readers of its worker show it: {update[0]:.1f} / {update[1]:.1f} ms")
    print(f"first query of another worker after an update: {statistics.median(reopen):.1f} ms")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
