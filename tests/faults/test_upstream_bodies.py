"""Case P47 and its kin: a body that is cut, joined or has foreign text in it never ends as if it were whole."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.results.formats import Format
from tests import wire
from tests.fronts import LARGE, counted, front
from tests.profiles import FAILURE_TRACE, TIMEOUT_TRACE, blazegraph_tail, results
from tests.upstream import Answer, Upstream

SELECT = {"query": "SELECT * {?s ?p ?o}"}
CONSTRUCT = {"query": "CONSTRUCT WHERE {?s ?p ?o}"}
SMALL = 5
MIDDLE = 250


def _fields(fmt: Format) -> dict[str, str]:
    return CONSTRUCT if fmt.is_graph else SELECT


async def _ask(url: str, fmt: Format, version: str = "1.1") -> wire.Received:
    """Ask for the upstream's own format, so that nothing is transcoded."""
    target = f"{url}?query={'CONSTRUCT%20WHERE' if fmt.is_graph else 'SELECT%20*'}%20%7B%3Fs%20%3Fp%20%3Fo%7D"
    return await wire.send(target, "GET", {"Accept": fmt.media_type}, version=version)


def assert_noticed(got: wire.Received, *codes: str) -> None:
    """Check that no client can take the response for a whole answer."""
    if got.status != 200:
        assert got.json["code"] in codes
        assert got.status == {"timeout": 504}.get(got.json["code"], 502)
        assert (got.type, got.end) == ("application/problem+json", "whole")
        for foreign in (b"java.", b"SPARQL-QUERY", b"bigdata"):
            assert foreign not in got.body
    else:
        # Not "closed": an HTTP/1.0 client, or one that is lenient, takes that for the end.
        assert got.end == "reset"


@pytest.mark.parametrize("engine", ["blazegraph", "generic"])
@pytest.mark.parametrize("fmt", Format)
@pytest.mark.parametrize("count", [0, SMALL, MIDDLE, LARGE])
async def test_P47_a_stack_trace_after_rows_is_noticed(fmt: Format, count: int, engine: str) -> None:
    async with Upstream(blazegraph_tail(fmt, count)) as up, front(up, engine=engine) as url:
        got = await _ask(url, fmt)
        assert_noticed(got, "timeout")
        # A large one whose rows are short may still have been held back whole.
        assert got.status == 504 or count == LARGE
        assert await counted(url, "saga_queries_total", outcome="ok") == 0
        outcome = "timeout" if got.status == 504 else "truncated"
        assert await counted(url, "saga_queries_total", outcome=outcome) == 1
        if got.status == 200:
            assert b"java." not in got.body
            assert b"SPARQL-QUERY" not in got.body


@pytest.mark.parametrize("count", [SMALL, LARGE])
@pytest.mark.parametrize("fmt", [Format.JSON, Format.XML, Format.CSV, Format.NTRIPLES])
async def test_P47_a_trace_that_is_no_timeout_is_502(fmt: Format, count: int) -> None:
    async with Upstream(blazegraph_tail(fmt, count, FAILURE_TRACE)) as up, front(up, engine="blazegraph") as url:
        got = await _ask(url, fmt)
        assert_noticed(got, "truncated")
        assert await counted(url, "saga_queries_total", outcome="truncated") == 1


@pytest.mark.parametrize("fmt", [Format.JSON, Format.CSV])
async def test_P47_a_marker_that_is_split_between_pieces_is_found(fmt: Format) -> None:
    whole = blazegraph_tail(fmt, 0).body
    assert isinstance(whole, bytes)
    pieces = [whole[n : n + 1] for n in range(len(whole))]
    answer = replace(blazegraph_tail(fmt, 0), body=pieces)
    async with Upstream(answer) as up, front(up, engine="blazegraph") as url:
        assert_noticed(await _ask(url, fmt), "timeout")


async def test_P47_a_slow_answer_that_then_fails_is_broken() -> None:
    body = [results(Format.JSON, SMALL)[:-3], b",", TIMEOUT_TRACE]
    answer = Answer(body=body, framing="chunked", between_s=0.2)
    async with Upstream(answer) as up, front(up, engine="blazegraph") as url:
        assert_noticed(await _ask(url, Format.JSON), "timeout")


@pytest.mark.parametrize(
    "text", ["SPARQL-QUERY: queryStr=x", "java.util.concurrent.TimeoutException", "Virtuoso S1TAT Error SR171"]
)
@pytest.mark.parametrize("fmt", [Format.JSON, Format.XML, Format.CSV, Format.TSV, Format.TURTLE, Format.NTRIPLES])
@pytest.mark.parametrize("count", [1, LARGE])
async def test_P47_the_same_words_inside_a_literal_are_data(text: str, fmt: Format, count: int) -> None:
    body = results(fmt, count).replace(b"row 0 ", f"row 0 {text}".encode())
    async with Upstream(Answer(type=fmt.media_type, body=body)) as up, front(up, engine="blazegraph") as url:
        got = await _ask(url, fmt)
        assert (got.status, got.end, got.body) == (200, "whole", body)


CUTS = ["close", "reset", "clean end", "short length", "long length", "bad chunk"]


def _cut(fmt: Format, count: int, how: str) -> Answer:
    """Return an answer of which the last bytes, in the middle of a row, do not come."""
    body = results(fmt, count)
    kept = body[: len(body) - 9] if fmt not in (Format.CSV, Format.TSV) else body[: body.rindex(b"row") - 1]
    whole = Answer(type=fmt.media_type, body=body)
    return {
        "close": replace(whole, framing="chunked", cut=len(kept), end="close"),
        "reset": replace(whole, cut=len(kept), end="reset"),
        "clean end": replace(whole, framing="chunked", body=kept),
        "short length": replace(whole, length=len(kept), end="close"),
        "long length": replace(whole, length=len(body) + 10, end="close"),
        "bad chunk": replace(whole, raw=whole_head(fmt) + b"%x\r\n%b\r\nzz\r\n" % (len(kept), kept), end="close"),
    }[how]


def whole_head(fmt: Format) -> bytes:
    """Return the head of a chunked answer."""
    return f"HTTP/1.1 200 OK\r\nContent-Type: {fmt.media_type}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()


@pytest.mark.parametrize("how", CUTS)
@pytest.mark.parametrize("fmt", Format)
@pytest.mark.parametrize("count", [SMALL, LARGE])
async def test_P47_a_cut_body_is_noticed(fmt: Format, how: str, count: int) -> None:
    async with Upstream(_cut(fmt, count, how)) as up, front(up) as url:
        got = await _ask(url, fmt)
        # Where HTTP itself was broken before we sent anything, it is the endpoint that failed.
        assert_noticed(got, "truncated", "upstream_failed")
        outcome = "upstream_error" if got.status != 200 and got.json["code"] == "upstream_failed" else "truncated"
        assert await counted(url, "saga_queries_total", outcome=outcome) == 1


@pytest.mark.parametrize("fmt", Format)
@pytest.mark.parametrize("tail", [b"", b"\n", b"  \r\n"])
async def test_P47_a_whole_body_is_whole(fmt: Format, tail: bytes) -> None:
    body = results(fmt, SMALL) + (tail if fmt not in (Format.CSV, Format.TSV) else b"")
    async with Upstream(Answer(type=fmt.media_type, body=body, framing="close")) as up, front(up) as url:
        got = await _ask(url, fmt)
        assert (got.status, got.end, got.body) == (200, "whole", body)


@pytest.mark.parametrize("fmt", [Format.JSON, Format.XML, Format.RDFXML, Format.JSONLD])
@pytest.mark.parametrize("count", [SMALL, LARGE])
async def test_P47_two_joined_bodies_are_noticed(fmt: Format, count: int) -> None:
    body = results(fmt, count) * 2
    async with Upstream(Answer(type=fmt.media_type, body=body)) as up, front(up) as url:
        assert_noticed(await _ask(url, fmt), "truncated")


@pytest.mark.parametrize("fmt", [Format.CSV, Format.JSON, Format.TSV, Format.NTRIPLES])
async def test_P47_the_error_text_of_oxigraph_in_a_200_is_noticed(fmt: Format) -> None:
    body = results(fmt, SMALL)
    body = body[:-3] if fmt is Format.JSON else body
    answer = Answer(type=fmt.media_type, body=body + b"The SPARQL operation has been cancelled", framing="chunked")
    async with Upstream(answer) as up, front(up, engine="oxigraph") as url:
        got = await _ask(url, fmt)
        assert got.status in (502, 504)
        assert got.json["code"] in ("truncated", "timeout")


@pytest.mark.parametrize("accept", ["text/csv", "application/sparql-results+xml"])
@pytest.mark.parametrize("how", ["close", "reset", "clean end"])
@pytest.mark.parametrize("count", [SMALL, LARGE])
async def test_P47_a_cut_body_is_noticed_through_transcoding(accept: str, how: str, count: int) -> None:
    async with Upstream(_cut(Format.JSON, count, how)) as up, front(up) as url:
        got = await wire.get(url, SELECT, {"Accept": accept})
        assert_noticed(got, "truncated")


@pytest.mark.parametrize("wanted", [Format.JSONLD, Format.RDFXML])
async def test_P47_a_cut_graph_is_noticed_through_transcoding(wanted: Format) -> None:
    async with Upstream(_cut(Format.NTRIPLES, LARGE, "clean end")) as up, front(up) as url:
        got = await wire.get(url, CONSTRUCT, {"Accept": wanted.media_type})
        assert_noticed(got, "truncated")


@pytest.mark.parametrize("count", [SMALL, LARGE])
async def test_P47_cut_compression_is_noticed(count: int) -> None:
    whole = Answer(body=results(Format.JSON, count), gzip=True)
    size = sum(map(len, whole.pieces()))
    for answer in (
        replace(whole, framing="chunked", body=whole.body, cut=size - 20),
        replace(whole, cut=size - 20, end="reset"),
    ):
        async with Upstream(answer) as up, front(up) as url:
            got = await wire.get(url, SELECT)
            assert (got.status, got.end) in ((502, "whole"), (200, "reset"))


@pytest.mark.parametrize("count", [SMALL, LARGE])
@pytest.mark.parametrize("how", ["close", "clean end"])
async def test_P47_an_old_client_notices_too(count: int, how: str) -> None:
    async with Upstream(_cut(Format.JSON, count, how)) as up, front(up) as url:
        got = await _ask(url, Format.JSON, version="1.0")
        # Such a client reads until the end of the connection: only a reset tells it.
        assert (got.status == 502) or (got.status, got.end) == (200, "reset")


@pytest.mark.parametrize(
    "raw", [b"", b"\x00\xff" * 50, b"HTTP/1.1 banana\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 200 OK\r\n"]
)
async def test_P47_what_is_no_http_is_502(raw: bytes) -> None:
    async with Upstream(Answer(raw=raw)) as up, front(up) as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.type) == (502, "application/problem+json")


@pytest.mark.parametrize(
    "header", ["X-Long: " + "x" * 200_000, "Content-Length: 5\r\nContent-Length: 6", "Content-Length: -1"]
)
async def test_P47_hostile_headers_are_502(header: str) -> None:
    raw = f"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n{header}\r\n\r\n".encode()
    async with Upstream(Answer(raw=raw + results(Format.JSON, 1))) as up, front(up) as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.type) == (502, "application/problem+json")


async def test_P47_an_old_server_is_whole_by_its_own_end() -> None:
    for count in (SMALL, LARGE):
        answer = Answer(body=results(Format.JSON, count), version="1.0", framing="close")
        async with Upstream(answer) as up, front(up) as url:
            got = await _ask(url, Format.JSON)
            assert (got.status, got.end, got.body) == (200, "whole", answer.body)
