"""What the protocol has besides the cases: QUERY, HTTP/1.0, addresses, keys and rights, request ids, many requests."""

from __future__ import annotations

import asyncio
import hashlib
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from proxy.results.formats import Format
from tests import stage, wire
from tests.fronts import LARGE, embedded, front, store
from tests.profiles import results, select
from tests.upstream import Answer, Upstream

ASK = {"query": "ASK {}"}
SELECT = {"query": "SELECT * {?s ?p ?o}"}
DONE = Answer(status=204, type=None, body=b"", framing="close")


async def test_query_is_a_post_that_only_reads() -> None:
    async with Upstream() as up, front(up, updates=True) as url:
        assert (await wire.direct(url, "ASK {}", method="QUERY")).json["boolean"] is True
        got = await wire.send(url, "QUERY", {"Content-Type": wire.FORM}, b"query=ASK%20%7B%7D")
        assert got.json["boolean"] is True
        got = await wire.direct(url, "CLEAR ALL", wire.UPDATE, method="QUERY")
        assert got.status in (400, 405, 415)
        got = await wire.send(url, "QUERY", {"Content-Type": wire.FORM}, b"update=CLEAR%20ALL")
        assert got.status in (400, 405)
        assert [sent.method for sent in up.sent] == ["POST", "POST"]


@pytest.mark.parametrize("count", [3, LARGE])
@pytest.mark.parametrize("keep", [True, False])
async def test_an_old_client_gets_a_whole_body(count: int, keep: bool) -> None:
    async with Upstream(select(count)) as up, front(up) as url:
        headers = {"Connection": "keep-alive"} if keep else {}
        got = await wire.send(f"{url}?query=SELECT%20*%20%7B%7D", "GET", headers, version="1.0")
        assert got.status == 200
        assert got.header("transfer-encoding") is None
        assert got.body == results(Format.JSON, count)
        assert got.end == ("whole" if got.header("content-length") else "closed")


async def test_an_old_client_without_host_is_answered() -> None:
    async with Upstream() as up, front(up) as url, wire.connected(url) as (reader, writer):
        writer.write(b"GET /sparql?query=ASK%7B%7D HTTP/1.0\r\n\r\n")
        assert (await wire.receive(reader)).json["boolean"] is True


async def test_requests_follow_each_other_on_one_connection() -> None:
    async with Upstream(select(LARGE), Answer(), select(3), Answer()) as up, front(up) as url:
        async with wire.connected(url) as (reader, writer):
            for fields in ("SELECT%20*%7B%7D", "ASK%7B%7D", "SELECT%20*%7B%7D", "SELEKT", "ASK%7B%7D"):
                writer.write(wire.request(f"{url}?query={fields}", "GET"))
                got = await wire.receive(reader)
                assert (got.status, got.end) == (400 if fields == "SELEKT" else 200, "whole")
        assert up.connections == 1


async def test_many_requests_at_once_do_not_mix() -> None:
    def echo(sent: Any) -> Answer:
        number = int(sent.text.rpartition("#")[2])
        return Answer(body=results(Format.JSON, number), before_head_s=(number % 7) / 100, framing="chunked")

    async with Upstream(echo) as up, front(up) as url:
        counts = [n * 17 % 300 for n in range(100)]
        gots = await asyncio.gather(*(wire.get(url, {"query": f"SELECT * {{}} #{n}"}) for n in counts))
        assert [len(got.values) for got in gots] == counts
        assert len({got.header("x-request-id") for got in gots}) == 100


PATHS = [
    "/sparql",
    "/sparql/",
    "/sparql/up",
    "/sparql/up/",
    "/bigdata/namespace/wdq/sparql",
    "/bigdata/namespace/wdq/sparql/",
]


@pytest.mark.parametrize("path", PATHS)
async def test_every_spelling_of_an_address_is_the_endpoint(path: str) -> None:
    async with Upstream() as up, front(up, aliases=["/bigdata/namespace/wdq/sparql"]) as url:
        base = url.removesuffix("/sparql")
        for got in (
            await wire.get(base + path, ASK),
            await wire.post(base + path, ASK),
            await wire.direct(base + path, "ASK {}"),
            await wire.direct(base + path, "ASK {}", method="QUERY"),
        ):
            assert (got.status, got.json["boolean"]) == (200, True)
        assert (await wire.get(base + path)).type == "text/turtle"


async def test_each_endpoint_has_its_address_and_the_first_is_the_default() -> None:
    async with Upstream(Answer(body=b'{"head":{},"boolean":false}')) as no, Upstream() as yes:
        tables = {"endpoints": {"no": {"url": no.url}, "yes": {"url": yes.url}}}
        async with stage.proxy(tables) as base:
            for path, answer in (("", False), ("/no", False), ("/yes", True)):
                assert (await wire.get(f"{base}/sparql{path}", ASK)).json["boolean"] is answer
            assert (await wire.get(f"{base}/sparql/other", ASK)).status == 404


KEYS = {
    name: {"sha256": hashlib.sha256(f"{name}-key".encode()).hexdigest(), "rights": rights}
    for name, rights in {"reader": ["query"], "writer": ["query", "update"], "only": ["update"]}.items()
}


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _basic(key: str) -> dict[str, str]:
    return {"Authorization": "Basic " + b64encode(f"anyone:{key}".encode()).decode()}


RIGHTS: list[tuple[dict[str, str], int, int]] = [
    ({}, 401, 401),
    (_bearer("reader-key"), 200, 403),
    (_basic("reader-key"), 200, 403),
    (_bearer("writer-key"), 200, 204),
    (_basic("writer-key"), 200, 204),
    (_bearer("only-key"), 403, 204),
    (_bearer("wrong"), 401, 401),
    (_bearer(""), 401, 401),
    (_basic(""), 401, 401),
    ({"Authorization": "Basic !!!"}, 401, 401),
    ({"Authorization": "writer-key"}, 401, 401),
    ({"Authorization": "Digest x"}, 401, 401),
]


@pytest.mark.parametrize(("headers", "query", "update"), RIGHTS, ids=range(len(RIGHTS)))
async def test_keys_carry_rights(headers: dict[str, str], query: int, update: int) -> None:
    async with Upstream(lambda sent: DONE if "update" in sent.form else Answer()) as up:
        tables = {
            "server": {"anonymous": []},
            "keys": KEYS,
            "endpoints": {"up": {"url": up.url, "updates": True}, "closed": {"url": up.url}},
        }
        async with stage.proxy(tables) as base:
            url = f"{base}/sparql"
            got = await wire.post(url, ASK, headers)
            assert got.status == query
            if got.status == 401:
                assert "Bearer" in (got.header("www-authenticate") or "")
            assert (await wire.post(url, {"update": "CLEAR ALL"}, headers)).status == update
            assert (await wire.post(f"{url}/closed", {"update": "CLEAR ALL"}, headers)).status in (401, 403)
        assert not any("authorization" in sent.headers for sent in up.sent)
        assert len(up.sent) == (query == 200) + (update == 204)


async def test_with_keys_everybody_may_still_query_unless_told_otherwise() -> None:
    async with (
        Upstream() as up,
        stage.proxy({"keys": KEYS, "endpoints": {"up": {"url": up.url, "updates": True}}}) as base,
    ):
        assert (await wire.get(f"{base}/sparql", ASK)).status == 200
        assert (await wire.post(f"{base}/sparql", {"update": "CLEAR ALL"})).status == 401


async def test_an_update_is_seen_by_the_next_query(tmp_path: Path) -> None:
    async with embedded(store(tmp_path / "store"), updates=True) as url:
        for n in range(5):
            text = f"INSERT DATA {{ <http://e.org/new{n}> <http://e.org/p> {n} }}"
            got = await wire.direct(url, text, wire.UPDATE)
            assert (got.status in (200, 204), got.body) == (True, b"")
            assert (await wire.get(url, {"query": f"ASK {{ <http://e.org/new{n}> ?p {n} }}"})).json["boolean"] is True


@pytest.mark.parametrize("offered", ["my-id", "a" * 64, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"])
async def test_a_safe_request_id_is_kept(offered: str) -> None:
    async with Upstream() as up, front(up) as url:
        assert (await wire.get(url, ASK, {"X-Request-Id": offered})).header("x-request-id") == offered


@pytest.mark.parametrize("offered", ["a b", "a" * 65, "x\ty", "<script>", "ü", "{}"])
async def test_an_unsafe_request_id_is_replaced(offered: str) -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.get(url, ASK, {"X-Request-Id": offered})
        assert got.header("x-request-id") not in (None, offered)


FORMATS = [fmt for fmt in Format if not fmt.is_graph]


@pytest.mark.parametrize("fmt", FORMATS)
async def test_a_store_answers_in_every_format(fmt: Format, tmp_path: Path) -> None:
    quads = "".join(f'<http://e.org/s{n}> <http://e.org/p> "row {n} ü" .\n' for n in range(2_000))
    async with embedded(store(tmp_path / "store", quads)) as url:
        got = await wire.get(url, SELECT, {"Accept": fmt.media_type})
        assert (got.status, got.type, got.end) == (200, fmt.media_type, "whole")
        assert got.body.decode().count("row ") == 2_000
        if fmt is Format.JSON:
            assert len(json.loads(got.body)["results"]["bindings"]) == 2_000


HOSTILE = [
    b"POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    b"POST /sparql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    b"GET /sparql HTTP/1.1\r\nHost: x\r\nX : y\r\n\r\n",
    b"GET /sparql HTTP/1.1\r\nHost: x\r\nX: \x00y\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello TLS\r\n\r\n",
    b"nonsense\r\n\r\n",
]


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
async def test_what_is_no_http_is_400_in_our_shape(raw: bytes) -> None:
    async with Upstream() as up, front(up) as url, wire.connected(url) as (reader, writer):
        writer.write(raw)
        got = await wire.receive(reader)
        assert (got.status, got.type) == (400, "application/problem+json")
        assert (await wire.get(url, ASK)).status == 200
        assert len(up.sent) == 1
