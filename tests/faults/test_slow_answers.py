"""An answer that comes slowly: a client sees its first rows as soon as they are there, and a failure before them."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import zstandard

from proxy.results.formats import Format
from tests import stage, wire
from tests.faults.fault import CHAIN
from tests.fronts import front
from tests.unit.schema.demo_schema import demo_draft
from tests.upstream import Answer, Upstream

_NEVER_S = 600.0
_ROW = "http://e.org/the-first-row"
_RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/"'
_HEADS = {
    Format.JSON: '{"head":{"vars":["s"]},"results":{"bindings":[',
    Format.XML: '<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="s"/></head><results>',
    Format.CSV: "s\r\n",
    Format.TSV: "?s\n",
    Format.NTRIPLES: "",
    Format.TURTLE: "@prefix e: <http://e.org/> .\n",
    Format.RDFXML: f"<rdf:RDF {_RDF}>",
    Format.JSONLD: "[",
}
_ROWS = {
    Format.JSON: f'{{"s":{{"type":"uri","value":"{_ROW}"}}}}',
    Format.XML: f'<result><binding name="s"><uri>{_ROW}</uri></binding></result>',
    Format.CSV: f"{_ROW}\r\n",
    Format.TSV: f"<{_ROW}>\n",
    Format.NTRIPLES: f'<{_ROW}> <http://e.org/p> "x" .\n',
    Format.TURTLE: f'<{_ROW}> e:p "x" .\n',
    Format.RDFXML: f'<rdf:Description rdf:about="{_ROW}"><e:p>x</e:p></rdf:Description>',
    Format.JSONLD: f'{{"@id":"{_ROW}","http://e.org/p":[{{"@value":"x"}}]}}',
}
_CHAINS = {"bare": (), "whole": CHAIN, "guarded": ("schema.guard",)}


def _text(fmt: Format) -> str:
    return "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }" if fmt.is_graph else "SELECT ?s { ?s ?p ?o }"


def _request(url: str, fmt: Format, coding: str = "identity") -> bytes:
    headers = {"Accept": fmt.media_type, "Accept-Encoding": coding}
    return wire.request(f"{url}?query={quote(_text(fmt))}", "GET", headers)


def _slow(fmt: Format, *pieces: str) -> Answer:
    """Answer with pieces that come so far apart that nobody sees a second one."""
    return Answer(type=fmt.media_type, body=_each(*pieces), framing="chunked", between_s=_NEVER_S)


def _each(*pieces: str) -> Iterator[bytes]:
    yield from (piece.encode() for piece in pieces)


def _tables(upstream: Upstream, chain: Sequence[str], index: Path) -> dict[str, Any]:
    return {
        "endpoints": {"up": {"url": upstream.url, "graph": "wikidata", "schema": str(index)}},
        "plugins": {"enabled": [f"plugins.{name}" for name in chain]},
    }


@asynccontextmanager
async def _asking(url: str, fmt: Format, coding: str = "identity") -> AsyncIterator[asyncio.StreamReader]:
    """Send a query, and yield what comes; whoever waits too long for it fails."""
    async with wire.connected(url) as (reader, writer), asyncio.timeout(20):
        writer.write(_request(url, fmt, coding))
        yield reader


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "demo.saga"
    demo_draft().write(path)
    return path


@pytest.mark.parametrize("chain", _CHAINS.values(), ids=_CHAINS.keys())
@pytest.mark.parametrize("fmt", list(Format))
async def test_the_first_row_does_not_wait_for_the_second(fmt: Format, chain: Sequence[str], index: Path) -> None:
    async with (
        Upstream(_slow(fmt, _HEADS[fmt] + _ROWS[fmt], _ROWS[fmt])) as upstream,
        stage.proxy(_tables(upstream, chain, index)) as base,
        _asking(f"{base}/sparql", fmt) as reader,
    ):
        seen = await reader.readuntil(_ROWS[fmt].strip().encode())
        assert seen.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (Format.JSON, Format.CSV),
        (Format.XML, Format.JSON),
        (Format.TSV, Format.XML),
        (Format.TURTLE, Format.NTRIPLES),
        (Format.NTRIPLES, Format.TURTLE),
        (Format.RDFXML, Format.TURTLE),
    ],
)
async def test_the_first_row_does_not_wait_where_it_is_turned_into_another_format(given: Format, taken: Format) -> None:
    slow = _slow(given, _HEADS[given] + _ROWS[given])
    async with Upstream(slow) as upstream, front(upstream) as url, _asking(url, taken) as reader:
        await reader.readuntil(_ROW.encode())


async def test_the_end_of_a_short_row_is_no_old_word_that_waits_for_more() -> None:
    fmt, row = Format.JSON, '{"s":{"type":"literal","value":"x"}}'
    slow = _slow(fmt, _HEADS[fmt] + row)
    async with Upstream(slow) as upstream, front(upstream) as url, _asking(url, fmt) as reader:
        await reader.readuntil(row.encode())


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
async def test_the_first_row_can_be_read_where_it_is_compressed(coding: str) -> None:
    fmt = Format.CSV
    unpack = zlib.decompressobj(31) if coding == "gzip" else zstandard.ZstdDecompressor().decompressobj()
    slow = _slow(fmt, _HEADS[fmt] + _ROWS[fmt])
    async with Upstream(slow) as upstream, front(upstream) as url, _asking(url, fmt, coding) as reader:
        head = await reader.readuntil(b"\r\n\r\n")
        assert f"content-encoding: {coding}".encode() in head.lower()
        size = int(await reader.readuntil(b"\r\n"), 16)
        assert _ROW.encode() in unpack.decompress(await reader.readexactly(size))


@pytest.mark.parametrize("fmt", [Format.JSON, Format.XML, Format.CSV, Format.TSV])
async def test_a_head_without_a_row_can_still_become_an_error(fmt: Format) -> None:
    async with Upstream(_slow(fmt, _HEADS[fmt])) as upstream, front(upstream, total_s=1.0) as url:
        async with wire.connected(url) as (reader, writer):
            writer.write(_request(url, fmt))
            got = await wire.receive(reader)
        assert (got.status, got.json["code"]) == (504, "timeout")


async def test_a_row_that_was_seen_is_cut_off_where_no_other_comes() -> None:
    fmt = Format.JSON
    async with Upstream(_slow(fmt, _HEADS[fmt] + _ROWS[fmt])) as upstream, front(upstream, total_s=1.0) as url:
        async with wire.connected(url) as (reader, writer):
            writer.write(_request(url, fmt))
            got = await wire.receive(reader)
        assert (got.status, got.end) == (200, "reset")
        assert _ROW.encode() in got.body
