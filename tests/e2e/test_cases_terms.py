"""Cases P35 and P38: variants of JSON that engines write, and the terms of SPARQL 1.2."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from proxy.results.formats import Format
from tests import wire
from tests.fronts import front
from tests.profiles import HEAD, TAIL, rows, select
from tests.upstream import Answer, Upstream

SELECT = {"query": "SELECT * {?s ?p ?o}"}
JSON, XML = Format.JSON.media_type, Format.XML.media_type
XSD = "http://www.w3.org/2001/XMLSchema#"
NS = {"s": "http://www.w3.org/2005/sparql-results#"}

TYPED = (
    b'{"head":{"link":[],"vars":["d","s"]},"meta":{"query-time-ms":3},"results":{"distinct":false,"ordered":true,'
    b'"bindings":[{"d":{"type":"typed-literal","datatype":"http://www.w3.org/2001/XMLSchema#date","value":"2020-01-01"},'
    b'"s":{"type":"literal","xml:lang":"de","value":"typed-literal"}}]},"meta2":[1,{"a":null}]}'
)


@pytest.mark.parametrize("engine", ["virtuoso", "qlever", "generic"])
async def test_P35_old_literals_are_read_and_written_as_today(engine: str) -> None:
    async with Upstream(Answer(body=TYPED)) as up, front(up, engine=engine) as url:
        (row,) = (await wire.get(url, SELECT)).json["results"]["bindings"]
        assert row["d"] == {"type": "literal", "datatype": f"{XSD}date", "value": "2020-01-01"}
        assert row["s"] == {"type": "literal", "xml:lang": "de", "value": "typed-literal"}
        got = await wire.get(url, SELECT, {"Accept": XML})
        literal = ET.fromstring(got.body).find(".//s:literal", NS)
        assert literal is not None
        assert (literal.get("datatype"), literal.text) == (f"{XSD}date", "2020-01-01")
        assert (await wire.get(url, SELECT, {"Accept": "text/csv"})).body == b"d,s\r\n2020-01-01,typed-literal\r\n"


async def test_P35_the_datatype_string_makes_no_difference() -> None:
    typed = f'{{"n":{{"type":"literal","datatype":"{XSD}string","value":"x"}}}}'.encode()
    plain = b'{"n":{"type":"literal","value":"x"}}'
    bodies = []
    for row in (typed, plain):
        async with Upstream(Answer(body=HEAD + row + TAIL)) as up, front(up) as url:
            got = [await wire.get(url, SELECT, {"Accept": f"text/{kind}"}) for kind in ("csv", "tab-separated-values")]
            bodies.append([each.body for each in got])
    assert bodies[0] == bodies[1] == [b"n,s\r\nx,\r\n", b'?n\t?s\n"x"\t\n']


async def test_P35_members_that_we_do_not_know_are_no_reason_to_fail() -> None:
    body = HEAD + rows(2) + b'],"extra":{"deep":[[[]]]}},"meta":{"x":"]}"}}'
    async with Upstream(Answer(body=body)) as up, front(up) as url:
        assert [row["n"] for row in (await wire.get(url, SELECT)).values] == ["0", "1"]
        assert (
            await wire.get(url, SELECT, {"Accept": "text/csv"})
        ).body.decode() == "n,s\r\n0,row 0 ü\r\n1,row 1 ü\r\n"


TRIPLE = {
    "type": "triple",
    "value": {
        "subject": {"type": "uri", "value": "http://e.org/s"},
        "predicate": {"type": "uri", "value": "http://e.org/p"},
        "object": {"type": "literal", "value": "x", "xml:lang": "ar", "its:dir": "rtl"},
    },
}
STAR = json.dumps({"head": {"vars": ["n", "s"]}, "results": {"bindings": [{"n": TRIPLE}]}}).encode()
STAR_TYPE = f"{JSON};version=1.2"


@pytest.mark.parametrize("accept", [STAR_TYPE, f'{JSON}; version="1.2"', JSON])
async def test_P38_triple_terms_and_the_version_pass_untouched(accept: str) -> None:
    async with Upstream(Answer(type=STAR_TYPE, body=STAR)) as up, front(up) as url:
        got = await wire.get(url, SELECT, {"Accept": accept})
        assert (got.status, got.body) == (200, STAR)
        assert (got.header("content-type") or "").replace(" ", "") == STAR_TYPE
        assert ("version=" in up.last.headers["accept"]) is ("version" in accept)


async def test_P38_a_version_that_is_not_asked_for_is_not_claimed() -> None:
    async with Upstream(select()) as up, front(up) as url:
        got = await wire.get(url, SELECT, {"Accept": STAR_TYPE})
        assert (got.status, got.header("content-type")) == (200, JSON)


async def test_P38_a_triple_term_in_csv_is_406() -> None:
    async with Upstream(Answer(type=STAR_TYPE, body=STAR)) as up, front(up) as url:
        got = await wire.get(url, SELECT, {"Accept": "text/csv"})
        assert (got.status, got.json["code"]) == (406, "not_acceptable")


async def test_P38_a_triple_term_is_transcoded_where_the_format_has_a_place() -> None:
    async with Upstream(Answer(type=STAR_TYPE, body=STAR)) as up, front(up) as url:
        got = await wire.get(url, SELECT, {"Accept": XML})
        triple = ET.fromstring(got.body).find(".//s:triple", NS)
        assert triple is not None
        assert [child.tag.rpartition("}")[2] for child in triple] == ["subject", "predicate", "object"]
