"""Cases P30 to P34: which format a client gets, and what becomes of one that the endpoint chose itself."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pyoxigraph as ox
import pytest

from proxy.results.formats import Format
from tests import wire
from tests.fronts import front
from tests.profiles import results
from tests.upstream import TRUE, Answer, Sent, Upstream

SELECT = {"query": "SELECT * {?s ?p ?o}"}
CONSTRUCT = {"query": "CONSTRUCT WHERE {?s ?p ?o}"}
ASK = {"query": "ASK {?s ?p ?o}"}
JSON, XML = Format.JSON.media_type, Format.XML.media_type
TURTLE, NTRIPLES, RDFXML = Format.TURTLE.media_type, Format.NTRIPLES.media_type, Format.RDFXML.media_type
RDF = {fmt.media_type: ox.RdfFormat.from_media_type(fmt.media_type) for fmt in Format if fmt.is_graph}
XSD = "http://www.w3.org/2001/XMLSchema#"
NS = {"s": "http://www.w3.org/2005/sparql-results#"}

# What rdflib's SPARQLStore sends for every form of query, and what a client of results sends.
RDFLIB = f"{XML}, {RDFXML}"
RESULTS = f"{XML}, {JSON};q=0.9"
NOTEBOOK = f"{JSON},{TURTLE}"


def negotiating(*offered: Format, count: int = 3) -> Callable[[Sent], Answer]:
    """Return an endpoint that can do these formats and answers 406 where none is asked for."""

    def script(sent: Sent) -> Answer:
        quality = _qualities(sent.headers["accept"])
        taken = [fmt for fmt in offered if fmt.media_type in quality]
        if not taken:
            return Answer(status=406, type="text/plain", body=b"Unsupported media type")
        chosen = max(taken, key=lambda fmt: quality[fmt.media_type])
        if sent.text.startswith("ASK"):
            return Answer(type=JSON)
        return Answer(type=chosen.media_type, body=results(chosen, count), framing="chunked")

    return script


def _qualities(accept: str) -> dict[str, float]:
    parts = (part.replace(" ", "").partition(";q=") for part in accept.split(","))
    return {name: float(q or 1) for name, _, q in parts}


def _triples(got: wire.Received) -> set[tuple[str, str]]:
    """Return subject and literal of each triple."""
    fmt = RDF[got.type]
    assert fmt is not None
    return {(str(q.subject), str(q.object)) for q in ox.parse(got.body, format=fmt)}


def _expected(count: int) -> set[tuple[str, str]]:
    return {(f"<http://e.org/s{n}>", f'"row {n} ü"') for n in range(count)}


ACCEPTED = [
    (SELECT, "text/turtle;q=0.9, application/sparql-results+json;q=0.5", JSON),
    (SELECT, "text/turtle, application/sparql-results+xml;q=0.2", XML),
    (SELECT, "text/csv;q=0.3, application/sparql-results+json;q=0.2", "text/csv"),
    (SELECT, "application/sparql-results+json;q=0, */*", XML),
    (SELECT, "text/*", "text/csv"),
    (SELECT, RDFLIB, XML),
    (ASK, "text/csv, application/sparql-results+xml;q=0.1", XML),
    (CONSTRUCT, "application/sparql-results+json, text/turtle;q=0.1", TURTLE),
    (CONSTRUCT, "application/sparql-results+xml, application/rdf+xml;q=0.1", RDFXML),
    (CONSTRUCT, "application/sparql-results+json, */*;q=0.1", TURTLE),
    (CONSTRUCT, "application/n-triples;q=0.5, application/rdf+xml", RDFXML),
    (CONSTRUCT, RDFLIB, RDFXML),
    (CONSTRUCT, RESULTS, TURTLE),
    (CONSTRUCT, JSON, TURTLE),
]


@pytest.mark.parametrize(("fields", "accept", "media_type"), ACCEPTED)
async def test_P30_the_form_comes_first_and_the_preference_inside_it(
    fields: dict[str, str], accept: str, media_type: str
) -> None:
    async with Upstream(negotiating(*Format)) as up, front(up) as url:
        got = await wire.get(url, fields, {"Accept": accept})
        assert (got.status, got.type, got.end) == (200, media_type, "whole")
        if media_type in RDF:
            assert _triples(got) == _expected(3)
        elif media_type == XML:
            assert ET.fromstring(got.body).tag == f"{{{NS['s']}}}sparql"


@pytest.mark.parametrize("accept", [JSON, RESULTS])
async def test_P30_strict_accept_makes_it_406(accept: str) -> None:
    async with Upstream(negotiating(*Format)) as up, front(up, {"strict_accept": True}) as url:
        got = await wire.get(url, CONSTRUCT, {"Accept": accept})
        assert (got.status, got.json["code"]) == (406, "not_acceptable")
        assert up.sent == []
        assert (await wire.get(url, CONSTRUCT, {"Accept": f"{accept}, */*;q=0.1"})).status == 200


@pytest.mark.parametrize("accept", ["image/png", "text/csv", "text/tab-separated-values"])
async def test_P30_what_no_format_can_hold_is_406_and_says_what_can(accept: str) -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.get(url, ASK, {"Accept": accept})
        assert (got.status, got.json["code"]) == (406, "not_acceptable")
        assert JSON in got.json["detail"]
        assert up.sent == []


@pytest.mark.parametrize(("fields", "media_type"), [(SELECT, JSON), (ASK, JSON), (CONSTRUCT, TURTLE)])
async def test_P32_a_combined_list_is_read_by_form(fields: dict[str, str], media_type: str) -> None:
    async with Upstream(negotiating(*Format)) as up, front(up) as url:
        for accept in (NOTEBOOK, ",".join(NOTEBOOK.split(",")[::-1])):
            got = await wire.get(url, fields, {"Accept": accept})
            assert (got.status, got.type) == (200, media_type)


UNLABELLED = [
    (SELECT, None, Format.JSON, JSON),
    (SELECT, "application/octet-stream", Format.JSON, JSON),
    (SELECT, "text/plain", Format.XML, XML),
    (SELECT, "application/json", Format.JSON, JSON),
    (SELECT, None, Format.XML, XML),
    (CONSTRUCT, None, Format.TURTLE, TURTLE),
    (CONSTRUCT, None, Format.RDFXML, RDFXML),
    (CONSTRUCT, "text/plain", Format.NTRIPLES, NTRIPLES),
    (CONSTRUCT, "application/xml", Format.RDFXML, RDFXML),
]


@pytest.mark.parametrize(("fields", "declared", "fmt", "media_type"), UNLABELLED)
async def test_P33_an_answer_without_a_type_is_looked_at(
    fields: dict[str, str], declared: str | None, fmt: Format, media_type: str
) -> None:
    async with Upstream(Answer(type=declared, body=results(fmt, 3))) as up, front(up) as url:
        got = await wire.get(url, fields, {"Accept": media_type})
        assert (got.status, got.type, got.end) == (200, media_type, "whole")
        if fmt.is_graph:
            assert _triples(got) == _expected(3)
        else:
            assert got.body == results(fmt, 3)


async def test_P33_the_declared_type_is_trusted_over_the_asked_one() -> None:
    turtle = b"@prefix e: <http://e.org/> . e:s e:p 1, true, 2.5 ; e:q [ e:r 'x' ] ."
    async with Upstream(Answer(type=TURTLE, body=turtle)) as up, front(up) as url:
        got = await wire.get(url, CONSTRUCT, {"Accept": NTRIPLES})
        assert (got.status, got.type) == (200, NTRIPLES)
        lines = sorted(got.body.decode().splitlines())
        assert len(lines) == 5
        assert f'<http://e.org/s> <http://e.org/p> "1"^^<{XSD}integer> .' in lines
        assert len(list(ox.parse(got.body, format=ox.RdfFormat.N_TRIPLES))) == 5


@pytest.mark.parametrize(
    "answer",
    [
        Answer(type="text/html", body=b"<html><body>Log in</body></html>"),
        Answer(type=None, body=b"<!doctype html><p>Log in"),
        Answer(type=JSON, body=results(Format.XML, 3)),
        Answer(type=XML, body=results(Format.JSON, 3)),
        Answer(type=TURTLE, body=results(Format.TURTLE, 3)),
        Answer(type=None, body=b""),
        Answer(type=JSON, body=b""),
        Answer(type=JSON, body=b'{"error": "no"}'),
        Answer(type=JSON, body=b"[]"),
        Answer(type=None, body=bytes(range(256))),
    ],
    ids=lambda answer: f"{answer.type}-{answer.body[:12]!r}",
)
async def test_P33_what_is_no_answer_to_a_select_is_502(answer: Answer) -> None:
    async with Upstream(answer) as up, front(up) as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.type) == (502, "application/problem+json")
        assert got.json["code"] in ("upstream_failed", "truncated")


@pytest.mark.parametrize("count", [3, 20_000])
@pytest.mark.parametrize("wanted", ["application/ld+json", RDFXML, NTRIPLES, TURTLE])
async def test_P34_a_graph_is_transcoded_as_a_stream(wanted: str, count: int) -> None:
    script = negotiating(Format.TURTLE, Format.NTRIPLES, count=count)
    async with Upstream(script) as up, front(up, engine="qlever") as url:
        got = await wire.get(url, CONSTRUCT, {"Accept": wanted})
        assert (got.status, got.type, got.end) == (200, wanted, "whole")
        assert _triples(got) == _expected(count)


@pytest.mark.parametrize("native", [Format.JSON, Format.XML])
@pytest.mark.parametrize("wanted", ["text/csv", "text/tab-separated-values", XML, JSON])
@pytest.mark.parametrize("count", [0, 3, 10_000])
async def test_P34_rows_are_transcoded_as_a_stream(native: Format, wanted: str, count: int) -> None:
    async with Upstream(negotiating(native, count=count)) as up, front(up) as url:
        got = await wire.get(url, SELECT, {"Accept": wanted})
        assert (got.status, got.type, got.end) == (200, wanted, "whole")
        text = got.body.decode()
        if wanted == "text/csv":
            table = list(csv.DictReader(io.StringIO(text, newline="")))
            assert [(row["n"], row["s"]) for row in table] == [(str(n), f"row {n} ü") for n in range(count)]
            assert text.startswith("n,s\r\n")
        elif wanted == XML:
            assert len(ET.fromstring(got.body).findall(".//s:result", NS)) == count
        elif wanted == JSON:
            assert [int(row["n"]) for row in got.values] == list(range(count))
        else:
            assert text.splitlines()[0] == "?n\t?s"
            assert len(text.splitlines()) == count + 1


@pytest.mark.parametrize("native", [Format.JSON, Format.XML])
@pytest.mark.parametrize("wanted", [JSON, XML])
async def test_P34_a_boolean_is_transcoded(native: Format, wanted: str) -> None:
    xml = b'<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/><boolean>true</boolean></sparql>'
    async with (
        Upstream(Answer(type=native.media_type, body=TRUE if native is Format.JSON else xml)) as up,
        front(up) as url,
    ):
        got = await wire.get(url, ASK, {"Accept": wanted})
        assert (got.status, got.type) == (200, wanted)
        assert got.json["boolean"] is True if wanted == JSON else b"<boolean>true</boolean>" in got.body
