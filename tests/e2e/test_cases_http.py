"""Cases P39 to P44: methods, preflight, compression and headers."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import contextlib
import gzip
import resource
import zlib
from collections.abc import Iterator

import pytest
import zstandard

from proxy.results.formats import Format
from tests import stage, wire
from tests.fronts import LARGE, front
from tests.profiles import HEAD, TAIL, results, select
from tests.upstream import Answer, Upstream

ASK = {"query": "ASK {}"}
SELECT = {"query": "SELECT * {?s ?p ?o}"}
ORIGIN = {"Origin": "https://a.example"}
PREFLIGHT = {
    **ORIGIN,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type,queryid,x-odd",
}


@pytest.mark.parametrize("fields", [{}, ASK, SELECT])
async def test_P39_head_is_get_without_running_anything(fields: dict[str, str]) -> None:
    async with Upstream(Answer() if fields is ASK else select()) as up, front(up) as url:
        head = await wire.get(url, fields, method="HEAD")
        assert (head.status, head.body, up.sent) == (200, b"", [])
        whole = await wire.get(url, fields)
        same = ("content-type", "vary", "server", "accept-post")
        assert [head.header(name) for name in same] == [whole.header(name) for name in same]


async def test_P39_head_keeps_the_connection_usable() -> None:
    async with Upstream() as up, front(up) as url, wire.connected(url) as (reader, writer):
        writer.write(wire.request(f"{url}?query=ASK%7B%7D", "HEAD") + wire.request(f"{url}?query=ASK%7B%7D", "GET"))
        assert (await wire.receive(reader, "HEAD")).status == 200
        got = await wire.receive(reader)
        assert (got.status, got.json["boolean"]) == (200, True)


@pytest.mark.parametrize(("fields", "accept", "status"), [({"query": ""}, "*/*", 400), (ASK, "image/png", 406)])
async def test_P39_head_of_a_bad_request_says_so(fields: dict[str, str], accept: str, status: int) -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.get(url, fields, {"Accept": accept}, method="HEAD")
        assert (got.status, got.body) == (status, b"")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"])
async def test_P39_other_methods_are_405_with_allow(method: str) -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.get(url, ASK, method=method)
        assert (got.status, got.json["code"]) == (405, "method_not_allowed")
        allowed = {name.strip() for name in (got.header("allow") or "").split(",")}
        assert allowed == {"GET", "HEAD", "POST", "QUERY", "OPTIONS"}
        assert up.sent == []


@pytest.mark.parametrize("path", ["", "/", "/up", "/up/"])
async def test_P40_preflight_comes_before_keys_and_limits(path: str) -> None:
    keys = {"someone": {"sha256": "0" * 64, "rights": ["query"]}}
    async with Upstream() as up:
        tables = {"server": {"anonymous": []}, "keys": keys, "endpoints": {"up": {"url": up.url}}}
        async with stage.proxy(tables) as base:
            got = await wire.send(f"{base}/sparql{path}", "OPTIONS", PREFLIGHT)
            assert (got.status, got.body) == (204, b"")
            assert got.header("access-control-allow-origin") == "*"
            methods = {name.strip() for name in (got.header("access-control-allow-methods") or "").split(",")}
            assert methods >= {"GET", "POST", "QUERY"}
            asked = {name.strip() for name in (got.header("access-control-allow-headers") or "").lower().split(",")}
            assert asked == {"content-type", "queryid", "x-odd"}
            assert int(got.header("access-control-max-age") or 0) >= 600
            refused = await wire.get(f"{base}/sparql", ASK, ORIGIN)
            assert (refused.status, refused.header("access-control-allow-origin")) == (401, "*")
        assert up.sent == []


async def test_P40_an_echoed_origin_varies() -> None:
    async with Upstream() as up, front(up, {"cors_origins": ["https://a.example"]}) as url:
        for got in (await wire.send(url, "OPTIONS", PREFLIGHT), await wire.get(url, ASK, ORIGIN)):
            assert got.header("access-control-allow-origin") == "https://a.example"
            assert "origin" in (got.header("vary") or "").lower()
        other = {**PREFLIGHT, "Origin": "https://b.example"}
        for got in (await wire.send(url, "OPTIONS", other), await wire.get(url, ASK, {"Origin": "https://b.example"})):
            assert got.header("access-control-allow-origin") is None
            assert "origin" in (got.header("vary") or "").lower()


async def test_P40_answers_errors_and_streams_may_be_read_by_browsers() -> None:
    async with Upstream(select(LARGE)) as up, front(up, {"max_line_bytes": 9000}) as url:
        for target in ("?query=SELECT%20*%7B%7D", "?query=", "/none", f"?query={'x' * 9999}"):
            got = await wire.send(url + target, "GET", ORIGIN)
            assert got.header("access-control-allow-origin") == "*", target
            assert "X-Request-Id" in (got.header("access-control-expose-headers") or ""), target


def _unpacked(got: wire.Received) -> bytes:
    """Undo the encoding that the response declares, once."""
    encoding = got.header("content-encoding")
    if encoding is None:
        return got.body
    if encoding == "zstd":
        return zstandard.ZstdDecompressor().decompressobj().decompress(got.body)
    assert encoding in ("gzip", "deflate")
    return zlib.decompress(got.body, wbits=47)


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
@pytest.mark.parametrize("count", [3, LARGE])
@pytest.mark.parametrize(
    "accepted", [None, "identity", "gzip", "gzip;q=0", "br, gzip;q=0.5", "zstd, gzip", "zstd;q=0", "br", "*"]
)
async def test_P42_no_encoding_is_kept_lost_or_doubled(framing: str, count: int, accepted: str | None) -> None:
    body = results(Format.JSON, count)
    answer = Answer(body=body, gzip=True, framing=framing)  # type: ignore[arg-type] # the parameter's values are its
    async with Upstream(answer) as up, front(up) as url:
        got = await wire.get(url, SELECT, {"Accept-Encoding": accepted} if accepted else {})
        assert (got.status, got.end) == (200, "whole")
        encoding = got.header("content-encoding")
        if encoding is None:
            assert accepted not in ("gzip", "br, gzip;q=0.5", "zstd, gzip") or count != LARGE
        else:
            # Whoever sends only a star hardly means the newest coding.
            assert encoding in {"*": ("gzip",), "zstd, gzip": ("zstd", "gzip")}.get(accepted or "", ("gzip",))
            assert accepted not in (None, "identity", "gzip;q=0", "zstd;q=0", "br")
            assert "accept-encoding" in (got.header("vary") or "").lower()
        assert _unpacked(got) == body
        asked = {part.split(";")[0].strip() for part in up.last.headers["accept-encoding"].split(",")}
        assert asked <= {"gzip", "deflate", "identity"}


async def test_P42_deflate_and_an_encoding_by_name_only_are_read() -> None:
    body = results(Format.JSON, 50)
    for encoding, packed in (("deflate", zlib.compress(body)), ("identity", body), ("GZIP", gzip.compress(body))):
        async with Upstream(Answer(body=packed, headers=[("Content-Encoding", encoding)])) as up, front(up) as url:
            got = await wire.get(url, SELECT)
            assert (got.status, got.end, got.header("content-encoding")) == (200, "whole", None)
            assert got.body == body


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "x-unknown"])
async def test_P42_a_false_encoding_is_no_answer(encoding: str) -> None:
    answer = Answer(body=results(Format.JSON, 50), headers=[("Content-Encoding", encoding)])
    async with Upstream(answer) as up, front(up) as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.type) == (502, "application/problem+json")


def _bomb() -> Iterator[bytes]:
    """Yield 200 MB of blanks inside JSON."""
    yield HEAD
    for _ in range(200):
        yield b" " * 2**20
    yield TAIL


async def test_P42_a_bomb_takes_no_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bomb = Answer(body=_bomb(), gzip=True, framing="chunked")
    async with Upstream(bomb) as up, front(up) as url, wire.connected(url) as (reader, writer):
        writer.write(wire.request(f"{url}?query=SELECT%20*%7B%7D", "GET", {"Connection": "close"}))
        with contextlib.suppress(ConnectionError):
            while await reader.read(2**20):
                pass
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


HOP = [
    ("Connection", "X-Trace"),
    ("Keep-Alive", "timeout=5"),
    ("Proxy-Authenticate", "Basic"),
    ("Proxy-Connection", "keep-alive"),
    ("TE", "trailers"),
    ("Trailer", "X-Sum"),
    ("Upgrade", "h2c"),
    ("X-Trace", "abc"),
    ("Set-Cookie", "session=1"),
    ("Set-Cookie", "other=2"),
    ("WWW-Authenticate", "Basic"),
    ("Server", "Virtuoso/07.20"),
    ("X-Powered-By", "secret"),
    ("Access-Control-Allow-Origin", "https://only.example"),
    ("Strict-Transport-Security", "max-age=1"),
    ("Location", "http://e.org/"),
]


@pytest.mark.parametrize("count", [3, LARGE])
async def test_P44_what_is_between_us_and_the_endpoint_stays_there(count: int) -> None:
    answer = Answer(body=results(Format.JSON, count), headers=HOP, framing="chunked")
    async with Upstream(answer) as up, front(up) as url:
        got = await wire.get(url, SELECT, ORIGIN)
        assert (got.status, got.end, got.body) == (200, "whole", answer.body)
        assert got.every("server") == ["saga"]
        assert got.every("access-control-allow-origin") == ["*"]
        ours = {"server", "access-control-allow-origin", "connection", "keep-alive"}
        for name in {name.lower() for name, _ in HOP} - ours:
            assert got.header(name) is None, name
        assert (got.header("content-length") is None) != (got.header("transfer-encoding") is None)


PRIVATE = {
    "Cookie": "session=1",
    "Authorization": "Bearer client-secret",
    "Proxy-Authorization": "Basic x",
    "X-Secret": "client-secret",
    "X-Forwarded-For": "10.1.2.3",
    "Forwarded": "for=10.1.2.3",
    "Accept-Encoding": "br;q=0.1",
    "Referer": "https://client-secret.example",
    "Origin": "https://client-secret.example",
    "Connection": "close, X-Secret",
    "If-None-Match": '"x"',
    "Range": "bytes=0-1",
    "Host": "client-secret.example",
}


async def test_P44_what_is_between_the_client_and_us_stays_there() -> None:
    async with Upstream(Answer(headers=[("Set-Cookie", "session=1")])) as up, front(up) as url:
        assert (await wire.post(url, ASK, PRIVATE)).status == 200
        assert (await wire.post(url, ASK, PRIVATE)).status == 200
        for sent in up.sent:
            assert set(sent.headers) <= {
                *("host", "accept", "accept-encoding", "content-type", "content-length", "user-agent", "connection"),
            }
            assert "client-secret" not in str(sent.headers)
            assert sent.headers["host"] == up.url.split("/")[2]


async def test_P44_expect_is_answered_here() -> None:
    async with Upstream() as up, front(up) as url, wire.connected(url) as (reader, writer):
        body = b"query=ASK%7B%7D"
        headers = {"Content-Type": wire.FORM, "Content-Length": str(len(body)), "Expect": "100-continue"}
        writer.write(wire.request(url, "POST", headers))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        writer.write(body)
        assert (await wire.receive(reader)).status == 200
        assert "expect" not in up.last.headers
