"""Cases P15, P23, P24: the description from memory, long lines and large bodies."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import time
from urllib.parse import quote

import pyoxigraph as ox
import pytest

from tests import wire
from tests.fronts import front
from tests.profiles import select
from tests.upstream import Answer, Upstream

SD = "http://www.w3.org/ns/sparql-service-description#"
RDF_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
FORMATS = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
    "application/ld+json": ox.RdfFormat.JSON_LD,
}


def _objects(got: wire.Received, name: str) -> set[str]:
    """Return the objects of a property of the service description."""
    quads = ox.parse(got.body, format=FORMATS[got.type], base_iri="http://base.example/")
    return {str(getattr(q.object, "value", q.object)) for q in quads if q.predicate == ox.NamedNode(SD + name)}


@pytest.mark.parametrize("media_type", FORMATS)
async def test_P15_the_description_is_ours_and_negotiated(media_type: str) -> None:
    async with Upstream(Answer(before_head_s=60)) as up, front(up) as url:
        started = time.monotonic()
        got = await wire.get(url, headers={"Accept": media_type})
        assert (got.status, got.type) == (200, media_type)
        assert time.monotonic() - started < 1
        assert len(got.body) < 32 * 1024
        assert _objects(got, "endpoint") == {url}
        assert SD + "SPARQL11Query" in _objects(got, "supportedLanguage")
        assert SD + "SPARQL11Update" not in _objects(got, "supportedLanguage")
        formats = _objects(got, "resultFormat")
        for name in (
            "SPARQL_Results_JSON",
            "SPARQL_Results_XML",
            "SPARQL_Results_CSV",
            "Turtle",
            "N-Triples",
            "RDF_XML",
        ):
            assert f"http://www.w3.org/ns/formats/{name}" in formats
        assert up.sent == []


async def test_P15_the_description_says_who_it_is() -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.get(f"{url}/up", headers={"Accept": "application/n-triples"})
        quads = list(ox.parse(got.body, format=ox.RdfFormat.N_TRIPLES))
        assert [q for q in quads if q.predicate == RDF_TYPE and q.object == ox.NamedNode(f"{SD}Service")]
        assert _objects(got, "endpoint") == {f"{url}/up"}


async def test_P15_the_description_uses_the_public_address() -> None:
    async with Upstream() as up, front(up, {"public_url": "https://kg.example/base/"}) as url:
        got = await wire.get(url, headers={"Host": "evil.example"})
        assert _objects(got, "endpoint") == {"https://kg.example/base/sparql"}
        assert b"evil.example" not in got.body


async def test_P15_the_description_names_updates_where_they_are_on() -> None:
    async with Upstream() as up, front(up, updates=True) as url:
        assert SD + "SPARQL11Update" in _objects(await wire.get(url), "supportedLanguage")


async def test_P15_a_description_in_no_known_format_is_406() -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.get(url, headers={"Accept": "image/png"})
        assert (got.status, got.json["code"]) == (406, "not_acceptable")
        got = await wire.get(url, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
        assert got.status == 200


def _values(size: int) -> str:
    """Return a query of at least so many bytes."""
    values: list[str] = []
    length = 0
    while length < size:
        values.append(f"<http://e.org/{len(values)}>")
        length += len(values[-1]) + 1
    return f"SELECT * {{ VALUES ?s {{ {' '.join(values)} }} ?s ?p ?o }}"


@pytest.mark.parametrize("size", [20_000, 200_000])
async def test_P23_a_long_get_is_answered_and_posted(size: int) -> None:
    text = _values(size)
    async with Upstream(select()) as up, front(up) as url:
        got = await wire.get(url, {"query": text})
        assert (got.status, got.end) == (200, "whole")
        assert (up.last.method, up.last.query_string) == ("POST", "")
        assert up.last.form["query"] == [text]


@pytest.mark.parametrize("size", [40_000, 2_000_000])
async def test_P23_a_line_above_its_limit_is_414_with_a_hint(size: int) -> None:
    limit = {40_000: 32_000}.get(size, 1024 * 1024)
    async with Upstream() as up, front(up, {"max_line_bytes": limit}) as url:
        got = await wire.send(f"{url}?query={quote(_values(size))}", "GET")
        assert (got.status, got.json["code"]) == (414, "line_too_long")
        assert got.type == "application/problem+json"
        assert "POST" in got.json["detail"]
        assert got.header("x-request-id") == got.json["request_id"]
        assert up.sent == []


async def test_P24_a_body_of_3_MB_is_answered() -> None:
    text = _values(3_000_000)
    async with Upstream(select()) as up, front(up) as url:
        got = await wire.post(url, {"query": text})
        assert (got.status, got.end) == (200, "whole")
        assert up.last.form["query"] == [text]
        assert (await wire.direct(url, text)).status == 200


def _chunked(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


@pytest.mark.parametrize("framing", ["length", "chunked"])
async def test_P24_a_body_above_its_limit_is_413_and_names_it(framing: str) -> None:
    body = b"query=" + b"%20" * 40_000
    headers = {"Content-Type": wire.FORM}
    if framing == "chunked":
        body, headers = _chunked(body), {**headers, "Transfer-Encoding": "chunked"}
    async with Upstream() as up, front(up, {"max_body_bytes": 100_000}) as url:
        got = await wire.send(url, "POST", headers, body)
        assert (got.status, got.json["code"]) == (413, "too_large")
        assert got.type == "application/problem+json"
        assert "100,000" in got.json["detail"] or "100000" in got.json["detail"]
        assert up.sent == []


async def test_P24_a_body_that_is_announced_too_large_is_not_waited_for() -> None:
    async with Upstream() as up, front(up, {"max_body_bytes": 100_000}) as url, wire.connected(url) as (reader, writer):
        headers = {"Content-Type": wire.FORM, "Content-Length": "1000000000", "Expect": "100-continue"}
        writer.write(wire.request(url, "POST", headers))
        started = time.monotonic()
        got = await wire.receive(reader)
        assert got.status == 413
        assert time.monotonic() - started < 1


async def test_P24_a_query_above_its_limit_is_413_and_names_it() -> None:
    async with Upstream() as up, front(up, {"max_query_bytes": 50_000}) as url:
        for got in (await wire.post(url, {"query": _values(60_000)}), await wire.direct(url, _values(60_000))):
            assert (got.status, got.json["code"]) == (413, "too_large")
            assert "50,000" in got.json["detail"] or "50000" in got.json["detail"]
        assert up.sent == []
