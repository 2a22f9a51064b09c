"""rdflib behind HTTP as the endpoint: another implementation, with another server."""

from __future__ import annotations

from collections.abc import Iterator

import aiohttp
import pytest

from tests import stage

DATA = """
@prefix e: <http://e.org/> .
e:a e:name "Zoë", "日本"@ja ; e:knows e:b .
e:b e:age 7 .
"""


@pytest.fixture(scope="module")
def rdflib(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    data = tmp_path_factory.mktemp("rdflib") / "data.ttl"
    data.write_text(DATA, encoding="utf-8")
    with stage.rdflib_endpoint(data) as url:
        yield url


async def ask(rdflib: str, text: str, accept: str) -> tuple[int, str, str]:
    async with (
        stage.proxy({"endpoints": {"r": {"url": rdflib}}}) as url,
        aiohttp.ClientSession(headers={"Accept": accept}) as session,
        session.post(url + "/sparql", data={"query": text}) as reply,
    ):
        return reply.status, reply.content_type, await reply.text()


@pytest.mark.parametrize(
    "accept",
    ["application/sparql-results+json", "application/sparql-results+xml", "text/csv", "text/tab-separated-values"],
)
async def test_rows_in_every_format(rdflib: str, accept: str) -> None:
    status, kind, body = await ask(rdflib, "SELECT ?n { ?s <http://e.org/name> ?n } ORDER BY ?n", accept)
    assert (status, kind) == (200, accept)
    assert "Zoë" in body
    assert "日本" in body


@pytest.mark.parametrize(
    "accept", ["text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json"]
)
async def test_graphs_in_every_format(rdflib: str, accept: str) -> None:
    status, kind, body = await ask(rdflib, "CONSTRUCT WHERE { ?s <http://e.org/age> ?o }", accept)
    assert (status, kind) == (200, accept)
    assert "age" in body
    assert "7" in body


async def test_booleans_and_mistakes(rdflib: str) -> None:
    status, _, body = await ask(rdflib, "ASK { ?s <http://e.org/age> 7 }", "application/sparql-results+json")
    assert (status, '"boolean": true' in body or '"boolean":true' in body) == (200, True)
    status, kind, _ = await ask(rdflib, "SELECT * { ?s ?p }", "application/sparql-results+json")
    assert (status, kind) == (400, "application/problem+json")
