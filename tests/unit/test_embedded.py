"""The embedded endpoint with real children on a small store: formats, datasets, errors, limits, lifetimes."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pyoxigraph
import pytest

from proxy.contract import Dataset
from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from proxy.errors import BadQuery, BadRequest, NotAcceptable, UpstreamBusy, UpstreamFailed, UpstreamTimeout
from proxy.results.formats import BINDINGS, GRAPHS, Format
from tests import embedded

RESULTS = {
    Format.JSON: pyoxigraph.QueryResultsFormat.JSON,
    Format.XML: pyoxigraph.QueryResultsFormat.XML,
    Format.CSV: pyoxigraph.QueryResultsFormat.CSV,
    Format.TSV: pyoxigraph.QueryResultsFormat.TSV,
}
RDF = {
    Format.TURTLE: pyoxigraph.RdfFormat.TURTLE,
    Format.NTRIPLES: pyoxigraph.RdfFormat.N_TRIPLES,
    Format.RDFXML: pyoxigraph.RdfFormat.RDF_XML,
    Format.JSONLD: pyoxigraph.RdfFormat.JSON_LD,
}
QUADS = """
<urn:s> <urn:p> "default" .
<urn:s> <urn:p> "one" <urn:g:1> .
<urn:s> <urn:p> "two" <urn:g:2> .
<http://example.org/people.person> <http://example.org/people.person.gender> "dotted" .
"""
VALUES = "SELECT ?o { <urn:s> <urn:p> ?o } ORDER BY ?o"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = embedded.store(tmp_path_factory.mktemp("embedded") / "store", 1000)
    made = pyoxigraph.Store(path)
    made.load(input=QUADS, format=pyoxigraph.RdfFormat.N_QUADS)
    made.flush()
    return path


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "store")


@pytest.fixture
async def endpoint(folder: Path) -> AsyncIterator[EmbeddedEndpoint]:
    made = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, prefixes={"p": "urn:p:"}))
    async with made.lifespan():
        yield made


def values(csv: bytes) -> list[str]:
    return csv.decode().split()[1:]


@pytest.mark.parametrize("fmt", BINDINGS)
async def test_select_equals_oxigraph(endpoint: EmbeddedEndpoint, folder: Path, fmt: Format) -> None:
    text = "SELECT * { ?s <urn:p:3> ?o } ORDER BY ?s"
    direct = pyoxigraph.Store.read_only(str(folder)).query(text)
    assert isinstance(direct, pyoxigraph.QuerySolutions)
    assert await embedded.ask(endpoint, text, fmt) == direct.serialize(format=RESULTS[fmt])


@pytest.mark.parametrize("fmt", GRAPHS)
async def test_construct_equals_oxigraph(endpoint: EmbeddedEndpoint, folder: Path, fmt: Format) -> None:
    text = "CONSTRUCT WHERE { <urn:s:3> ?p ?o }"
    direct = pyoxigraph.Store.read_only(str(folder)).query(text)
    assert isinstance(direct, pyoxigraph.QueryTriples)
    assert await embedded.ask(endpoint, text, fmt) == direct.serialize(format=RDF[fmt])


@pytest.mark.parametrize(("text", "expected"), [("ASK { ?s ?p 1 }", False), ("ASK { ?s ?p ?o }", True)])
async def test_ask(endpoint: EmbeddedEndpoint, text: str, expected: bool) -> None:
    assert json.loads(await embedded.ask(endpoint, text, Format.JSON))["boolean"] is expected
    assert f"<boolean>{str(expected).lower()}".encode() in await embedded.ask(endpoint, text, Format.XML)


async def test_describe(endpoint: EmbeddedEndpoint) -> None:
    assert b'"value 3"' in await embedded.ask(endpoint, "DESCRIBE <urn:s:3>", Format.NTRIPLES)


async def test_the_first_possible_format_is_taken(endpoint: EmbeddedEndpoint) -> None:
    async with await endpoint.run(embedded.query("ASK {}", Format.CSV, Format.XML, Format.JSON)) as reply:
        assert reply.format is Format.XML
    with pytest.raises(NotAcceptable, match=r"sparql-results\+json"):
        await endpoint.run(embedded.query("ASK {}", Format.CSV))


async def test_datasets(endpoint: EmbeddedEndpoint) -> None:
    async def seen(text: str, **graphs: tuple[str, ...]) -> list[str]:
        return values(await embedded.ask(endpoint, text, Format.CSV, dataset=Dataset(**graphs)))

    named = "SELECT ?o { GRAPH ?g { <urn:s> <urn:p> ?o } } ORDER BY ?o"
    assert await seen(VALUES) == ["default"]
    assert await seen(VALUES, default=("urn:g:1",)) == ["one"]
    assert await seen(VALUES, default=("urn:g:1", "urn:g:2")) == ["one", "two"]
    assert await seen(VALUES, named=("urn:g:1",)) == []
    assert await seen(named) == ["one", "two"]
    assert await seen(named, default=("urn:g:1",)) == []
    assert await seen(named, default=("urn:g:1",), named=("urn:g:2",)) == ["two"]
    from_one = VALUES.replace("{", "FROM <urn:g:1> {", 1)
    assert await seen(from_one) == ["one"]
    assert await seen(from_one, default=("urn:g:2",)) == ["two"]
    with pytest.raises(BadRequest, match="malformed"):
        await seen(VALUES, default=("no iri",))


async def test_union_of_all_graphs_where_it_is_switched_on(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, union=True))
    async with endpoint.lifespan():
        assert values(await embedded.ask(endpoint, VALUES, Format.CSV)) == ["default", "one", "two"]


async def test_implied_prefixes_and_dotted_names(endpoint: EmbeddedEndpoint) -> None:
    assert await embedded.number(endpoint, "SELECT (COUNT(*) AS ?c) { ?s p:3 ?o }") == 100
    own = "PREFIX p: <urn:none:> SELECT (COUNT(*) AS ?c) { ?s p:3 ?o }"
    assert await embedded.number(endpoint, own) == 0
    dotted = "PREFIX e: <http://example.org/> SELECT ?o { e:people.person e:people.person.gender ?o}"
    assert values(await embedded.ask(endpoint, dotted, Format.CSV)) == ["dotted"]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("SELECT * {\n  ?s unknown:x ?o }", 2, 6),
        ("SELECT * {\n  ?s ?p ?o . . }", 2, 14),
        ("PREFIX e: <urn:>\nSELECT * { ?s e:a.b.c ?o . ?s unknown:x ?o }", 2, 31),
        ("PREFIX e: <urn:>\nSELECT * { ?s e:a.b.c ?o . ?s e:x <no iri> }", 2, 35),
        ("SELECT ?s (COUNT(*) AS ?c) { ?s ?p ?o }", 1, 40),
    ],
)
async def test_malformed_text_is_answered_with_its_place(
    endpoint: EmbeddedEndpoint, text: str, line: int, column: int
) -> None:
    with pytest.raises(BadQuery) as caught:
        await endpoint.run(embedded.query(text))
    assert (caught.value.line, caught.value.column) == (line, column)
    assert len(caught.value.detail) < 300
    before = endpoint.pids
    await embedded.ask(endpoint, "ASK {}")
    assert set(before) <= set(endpoint.pids)  # the reader lives on


async def test_an_unknown_function_is_the_clients_mistake(endpoint: EmbeddedEndpoint) -> None:
    with pytest.raises(BadQuery, match="urn:f"):
        await endpoint.run(embedded.query("SELECT (<urn:f>(1) AS ?x) {}"))


async def test_an_absent_store_says_what_to_do_and_is_found_once_it_is_there(tmp_path: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=tmp_path / "none"))
    async with endpoint.lifespan():
        for text in ("ASK {}", "INSERT DATA { <urn:a> <urn:b> 1 }"):
            with pytest.raises(UpstreamFailed, match="saga load"):
                await endpoint.run(embedded.query(text))
        health = await endpoint.health()
        assert not health.ok
        assert "saga load" in health.detail
        embedded.store(tmp_path / "none", 10)
        assert await embedded.number(endpoint, "SELECT (COUNT(*) AS ?c) { ?s ?p ?o }") == 10
        assert (await endpoint.health()).ok


@pytest.mark.parametrize("damage", ["CURRENT", "MANIFEST"])
async def test_a_damaged_store_is_an_error_of_the_endpoint(folder: Path, damage: str) -> None:
    _spoil(folder, damage)
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder))
    async with endpoint.lifespan():
        with pytest.raises(UpstreamFailed, match="log says why") as caught:
            await endpoint.run(embedded.query("ASK {}"))
    assert str(folder) not in caught.value.detail


def _spoil(folder: Path, prefix: str) -> None:
    for file in folder.glob(f"{prefix}*"):
        file.write_bytes(b"not this")


async def test_a_full_queue_and_a_slow_queue_are_busy(folder: Path) -> None:
    settings = EmbeddedSettings(store=folder, readers=1, queue=1, queue_s=0.2)
    endpoint = EmbeddedEndpoint("test", settings)
    async with endpoint.lifespan():
        await embedded.eventually(lambda: bool(endpoint.readers))
        async with asyncio.TaskGroup() as group:
            long = group.create_task(_outcome(endpoint, embedded.CROSS, timeout_s=0.6))
            await asyncio.sleep(0.05)
            waits = group.create_task(_outcome(endpoint, "ASK {}"))
            await asyncio.sleep(0.05)
            refused = group.create_task(_outcome(endpoint, "ASK {}"))
        assert isinstance(await long, UpstreamTimeout)
        for task, words in ((waits, "became free"), (refused, "wait for this store already")):
            error = task.result()
            assert isinstance(error, UpstreamBusy)
            assert words in error.detail
            assert error.headers["Retry-After"] == "1"
        await embedded.eventually(lambda: bool(endpoint.readers))
        await embedded.ask(endpoint, "ASK {}")


async def _outcome(endpoint: EmbeddedEndpoint, text: str, **more: object) -> Exception | bytes:
    try:
        return await embedded.ask(endpoint, text, **more)
    except Exception as error:  # noqa: BLE001 - the error is what the test looks at
        return error


async def test_the_time_of_a_query_includes_its_wait(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, readers=1, queue_s=5))
    async with endpoint.lifespan():
        await embedded.ask(endpoint, "ASK {}")
        async with asyncio.TaskGroup() as group:
            group.create_task(_outcome(endpoint, embedded.CROSS, timeout_s=1))
            await asyncio.sleep(0.05)
            with pytest.raises(UpstreamTimeout, match="before a reader was free"):
                await endpoint.run(embedded.query("ASK {}", timeout_s=0.2))


async def test_a_query_may_only_lower_the_limit(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, total_s=0.3))
    async with endpoint.lifespan():
        await embedded.eventually(lambda: bool(endpoint.readers))
        with pytest.raises(UpstreamTimeout, match=r"0\.3 s"):
            await endpoint.run(embedded.query(embedded.CROSS, timeout_s=100))


async def test_the_first_byte_has_its_own_limit(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, first_byte_s=0.3))
    async with endpoint.lifespan():
        with pytest.raises(UpstreamTimeout, match="first byte"):
            await endpoint.run(embedded.query(embedded.CROSS))


async def test_a_reader_keeps_its_place_when_the_answer_was_read(endpoint: EmbeddedEndpoint) -> None:
    await embedded.ask(endpoint, "ASK {}")
    await asyncio.sleep(0.3)
    before = endpoint.pids
    for _ in range(20):
        await embedded.ask(endpoint, "SELECT * { ?s ?p ?o }")
    assert endpoint.pids == before
    assert len(before) == 2
