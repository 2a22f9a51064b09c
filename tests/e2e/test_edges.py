"""What an adversary found at the edges: each was wrong once."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import asyncio
import gzip
import zlib
from typing import Any

import pytest

from proxy.results import Format
from tests import wire
from tests.fronts import LARGE, counted, front
from tests.profiles import results
from tests.upstream import Answer, Upstream

ASK = {"query": "ASK {}"}
SELECT = {"query": "SELECT * {}"}
CONSTRUCT = {"query": "CONSTRUCT WHERE { ?s ?p ?o }"}


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
async def test_P42_a_compressed_body_without_its_end_is_not_whole(coding: str, framing: Any) -> None:
    lines = b"<urn:s> <urn:p> <urn:o> .\n" * 20_000
    compressor = zlib.compressobj(wbits=31 if coding == "gzip" else 15)
    # Flushed at a line's end: only the missing trailer shows that something is missing.
    body = compressor.compress(lines) + compressor.flush(zlib.Z_SYNC_FLUSH)
    answer = Answer(type=Format.NTRIPLES.media_type, body=body, headers=[("Content-Encoding", coding)], framing=framing)
    async with Upstream(answer) as up, front(up) as url:
        got = await wire.get(url, CONSTRUCT, {"Accept": Format.NTRIPLES.media_type})
        assert got.end != "whole" or got.status == 502


async def test_P42_members_of_gzip_may_follow_each_other() -> None:
    body = results(Format.JSON, 3)
    coded = gzip.compress(body[:50]) + gzip.compress(body[50:])
    async with Upstream(Answer(body=coded, headers=[("Content-Encoding", "gzip")])) as up, front(up) as url:
        assert (await wire.get(url, SELECT)).body == body


async def test_P56_a_client_that_does_not_read_holds_nothing_beyond_the_limit() -> None:
    answer = Answer(body=results(Format.JSON, 200_000))
    async with Upstream(answer, Answer()) as up, front(up, total_s=1.0, concurrency=1, queue_s=5.0) as url:
        async with wire.connected(url) as (_, writer):
            writer.write(wire.request(f"{url}?query=SELECT%20*%7B%7D", "GET"))
            await asyncio.sleep(0.3)
            assert (await wire.get(url, ASK)).json["boolean"] is True
        assert await counted(url, "saga_inflight_queries") == 0


@pytest.mark.parametrize("status", [200, 201, 202, 204])
async def test_P65_an_update_that_was_done_says_nothing_else(status: int) -> None:
    page = Answer(status=status, type="text/html", body=b"" if status == 204 else b"<html>done</html>" * 9_000)
    async with Upstream(page) as up, front(up, updates=True) as url:
        got = await wire.direct(url, "CLEAR ALL", wire.UPDATE)
        assert (got.status, got.body) == (204, b"")


@pytest.mark.parametrize("host", ["", "x:abc", "x:99999", 'a"><b', "<>", "\xe9"])
async def test_P15_a_strange_host_never_stands_in_the_description(host: str) -> None:
    async with Upstream() as up, front(up) as url, wire.connected(url) as (reader, writer):
        writer.write(f"GET /sparql HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1"))
        got = await wire.receive(reader)
        assert got.status in (200, 400)
        if got.status == 200:
            assert b"endpoint" in got.body


async def test_P65_a_header_that_is_no_text_is_no_fault_of_ours() -> None:
    async with Upstream() as up, front(up) as url, wire.connected(url) as (reader, writer):
        writer.write(b"GET /sparql?query=ASK%7B%7D HTTP/1.1\r\nHost: x\r\nAccept: \xc3\xa9/\xff\r\n\r\n")
        assert (await wire.receive(reader)).status in (200, 406)


@pytest.mark.parametrize("coding", ["gzip", "br", "foo"])
async def test_P24_a_compressed_request_is_refused_with_what_is_taken(coding: str) -> None:
    async with Upstream() as up, front(up) as url:
        headers = {"Content-Type": wire.QUERY, "Content-Encoding": coding}
        got = await wire.send(url, "POST", headers, b"ASK {}")
        assert got.status in (400, 415)
        assert up.sent == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text/plain", "<!DOCTYPE html><html><pre>java.lang.NullPointerException</pre></html>"),
        ("text/plain", "Parse failed\n\tat org.foo.Bar(Bar.java:12)\n"),
        ("application/json", '{"error": "<html>oops</html>"}'),
        ("application/json", '{"error": {"message": "m", "code": 3}}'),
        ("application/json", '{"exception": "a\\ud800b"}'),
    ],
)
async def test_P65_nothing_of_a_stack_or_a_page_is_shown(kind: str, text: str) -> None:
    async with Upstream(Answer(status=400, type=kind, body=text.encode())) as up, front(up) as url:
        got = await wire.get(url, ASK)
        assert (got.status, got.json["code"]) == (400, "bad_query")
        for foreign in ("<", "java", "\tat ", "Bar.java", "{"):
            assert foreign not in got.json["detail"]


async def test_P51_words_of_the_query_that_is_repeated_decide_nothing() -> None:
    text = 'SELECT * { ?s ?p "timed out" }'
    said = Answer(status=500, type="text/plain", body=b"Internal error while executing " + text.encode())
    async with Upstream(said) as up, front(up, engine="fuseki") as url:
        assert (await wire.get(url, {"query": text})).status == 502


async def test_P65_the_place_of_a_mistake_is_found_on_any_line() -> None:
    said = b'Parse error: \nSELECT x\n\nEncountered " "x" "" at line 1, column 8.\n'
    async with Upstream(Answer(status=400, type="text/plain", body=said)) as up, front(up, engine="fuseki") as url:
        got = await wire.get(url, SELECT)
        assert (got.json["line"], got.json["column"]) == (1, 8)
        assert "Encountered" in got.json["detail"]


@pytest.mark.parametrize("version", ["1.0", "1.1"])
async def test_a_client_that_sends_no_more_still_gets_its_answer(version: str) -> None:
    async with Upstream() as up, front(up) as url, wire.connected(url) as (reader, writer):
        writer.write(f"GET /sparql?query=ASK%7B%7D HTTP/{version}\r\nHost: x\r\n\r\n".encode())
        writer.write_eof()
        assert (await wire.receive(reader)).json["boolean"] is True


@pytest.mark.parametrize("fields", [ASK, SELECT])
async def test_P33_an_answer_of_the_other_kind_is_no_answer(fields: dict[str, str]) -> None:
    wrong = results(Format.JSON, 3) if fields is ASK else b'{"head":{},"boolean":true}'
    async with Upstream(Answer(body=wrong)) as up, front(up) as url:
        got = await wire.get(url, fields)
        assert (got.status, got.json["code"]) == (502, "upstream_failed")


async def test_P44_long_headers_of_an_endpoint_do_no_harm() -> None:
    long = Answer(headers=[("Content-Security-Policy", "x" * 30_000)])
    async with Upstream(long) as up, front(up) as url:
        assert (await wire.get(url, ASK)).status == 200


@pytest.mark.parametrize(("header", "flag"), [("X-SQL-State", "anytime"), ("X-SPARQL-MaxRows", "row_cap")])
async def test_P50_an_unnamed_virtuoso_is_believed_too(header: str, flag: str) -> None:
    value = "S1TAT" if header == "X-SQL-State" else "1000"
    async with Upstream(Answer(body=results(Format.JSON, 3), headers=[(header, value)])) as up, front(up) as url:
        assert (await wire.get(url, SELECT)).header("saga-partial") == flag


async def test_P51_a_retry_after_that_is_a_date_becomes_seconds() -> None:
    busy = Answer(status=503, headers=[("Retry-After", "Fri, 31 Dec 2038 23:59:59 GMT")])
    async with Upstream(busy) as up, front(up) as url:
        assert (await wire.get(url, ASK)).header("retry-after") == "3600"


async def test_P04_a_raw_hash_in_the_address_cuts_nothing_in_silence() -> None:
    async with Upstream() as up, front(up) as url, wire.connected(url) as (reader, writer):
        writer.write(b"GET /sparql?query=SELECT%20*%7B<http://a#b>%7D HTTP/1.1\r\nHost: x\r\n\r\n")
        got = await wire.receive(reader)
        assert got.status == 400
        assert up.sent == []


async def test_P24_an_old_client_is_not_told_to_continue() -> None:
    async with Upstream() as up, front(up) as url, wire.connected(url) as (reader, writer):
        body = b"query=ASK%7B%7D"
        head = f"POST /sparql HTTP/1.0\r\nExpect: 100-continue\r\nContent-Type: {wire.FORM}\r\n"
        writer.write(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert (await wire.receive(reader)).status == 200


async def test_P39_head_refuses_what_get_refuses() -> None:
    async with Upstream() as up, front(up, service=[]) as url:
        text = {"query": "SELECT * { SERVICE <http://a.example/> {} }"}
        assert (await wire.get(url, text)).status == 403
        assert (await wire.get(url, text, method="HEAD")).status == 403
        base = url.removesuffix("/sparql")
        assert (await wire.get(base + "/health/live", method="HEAD")).status == 200


async def test_P21_a_client_that_takes_nothing_is_told() -> None:
    async with Upstream() as up, front(up) as url:
        assert (await wire.get(url, ASK, {"Accept": "*/*;q=0"})).status == 406


async def test_a_request_that_never_comes_holds_no_connection() -> None:
    server = {"head_s": 0.3, "body_s": 0.3}
    async with Upstream() as up, front(up, server) as url:
        async with wire.connected(url) as (reader, writer):
            writer.write(b"POST /sparql HT")
            assert await asyncio.wait_for(reader.read(), 3) == b""
        async with wire.connected(url) as (reader, writer):
            writer.write(wire.request(url, "POST", {"Content-Type": wire.FORM, "Content-Length": "50"}) + b"qu")
            got = await wire.receive(reader)
            assert (got.status, got.json["code"]) == (408, "slow_request")


async def test_a_large_answer_is_whole_for_a_client_that_pauses() -> None:
    body = results(Format.JSON, LARGE * 4)
    async with (
        Upstream(Answer(body=body)) as up,
        front(up, idle_s=0.3, total_s=9) as url,
        wire.connected(url) as (reader, writer),
    ):
        writer.write(wire.request(f"{url}?query=SELECT%20*%7B%7D", "GET"))
        await asyncio.sleep(0.8)
        got = await wire.receive(reader)
        assert (got.body, got.end) == (body, "whole")


async def test_P54_a_client_that_leaves_at_the_end_of_an_update_frees_one_place() -> None:
    # The endpoint is told to end the update, whose success is too long to read, and is slow to take that.
    done = Answer(body=b"x" * 200_000, type="text/plain", framing="chunked", cut=150_000, end="stall")
    told = Answer(before_head_s=1.0)
    slow = Answer(before_head_s=0.4)
    table: dict[str, Any] = {"engine": "blazegraph", "updates": True, "concurrency": 1}
    async with Upstream(done, told, slow, slow) as up, front(up, **table) as url:
        async with wire.connected(url) as (_, writer):
            headers = {"Content-Type": wire.UPDATE, "Content-Length": "9"}
            writer.write(wire.request(url, "POST", headers) + b"CLEAR ALL")
            await up.arrival(2)
        await asyncio.sleep(0.5)
        started = asyncio.get_running_loop().time()
        got = await asyncio.gather(wire.get(url, ASK), wire.get(url, ASK))
        assert [each.status for each in got] == [200, 200]
        # One place: they were asked one after the other.
        assert asyncio.get_running_loop().time() - started > 0.7
