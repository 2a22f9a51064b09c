"""Running queries, seen and killed, through real sockets: at a remote endpoint, at a store, and among many workers."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import fronts, stage, wire
from tests.bench.memory.bodies import cross_store
from tests.profiles import select
from tests.served import served
from tests.upstream import Answer, Upstream

_RUNAWAY = "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }"
_ENDLESS = "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }"
_SLOW = Answer(before_head_s=60)
# A kill takes some hundredths of a second; `python -m tests.bench.soak` measures it. This holds on any machine.
_BOUND_S = 5.0
_PLUGINS = {"enabled": ["plugins.limits", "plugins.admin", "plugins.breaker", "plugins.limits.turns"]}


@asynccontextmanager
async def front(table: dict[str, Any], **more: Any) -> AsyncIterator[str]:
    """Serve one endpoint, with its queries in sight."""
    tables: dict[str, Any] = {"endpoints": {"up": table}, "plugins": _PLUGINS, **more}
    async with stage.proxy(tables) as base:
        yield base


def started(base: str, text: str, id: str = "", **headers: str) -> asyncio.Future[wire.Received]:
    """Send a query with an id of the client's own, and do not wait for its answer."""
    given = {"X-Request-Id": id, **headers} if id else headers
    return asyncio.ensure_future(wire.post(f"{base}/sparql", {"query": text}, given))


async def listed(base: str) -> list[dict[str, Any]]:
    page = await wire.get(f"{base}/admin/queries")
    assert (page.status, page.header("cache-control")) == (200, "no-store")
    found: list[dict[str, Any]] = page.json["queries"]
    return found


async def until_listed(base: str, count: int) -> list[dict[str, Any]]:
    for _ in range(100):
        if len(found := await listed(base)) == count:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError(found)


async def kill(base: str, id: str) -> wire.Received:
    return await wire.send(f"{base}/admin/queries/{id}", "DELETE")


async def test_a_query_is_seen_while_it_runs_and_never_its_text() -> None:
    async with Upstream(_SLOW) as upstream, front({"url": upstream.url}) as base:
        assert await listed(base) == []
        query = started(base, "SELECT * { ?secret ?p ?o }", "mine")
        await upstream.arrival()
        await asyncio.sleep(0.05)
        page = await wire.get(f"{base}/admin/queries")
        assert b"secret" not in page.body
        (shown,) = page.json["queries"]
        assert shown.pop("worker") > 1
        assert 0.05 <= shown.pop("seconds") < 2
        assert shown == {
            "id": "mine", "endpoint": "up", "form": "select", "source": "client",
            "client": "127.0.0.1", "rows": 0, "bytes": 0,
        }  # fmt: skip
        query.cancel()
        await until_listed(base, 0)


async def test_a_query_killed_before_its_first_byte_is_told_so_and_leaves_the_endpoint() -> None:
    async with Upstream(_SLOW) as upstream, front({"url": upstream.url}) as base:
        query = started(base, "ASK {}", "mine")
        await upstream.arrival()
        killed = await kill(base, "mine")
        assert (killed.status, killed.json) == (200, {"killed": 1})
        answer = await query
        assert (answer.status, answer.json["code"], answer.json["request_id"]) == (504, "timeout", "mine")
        assert "operator" in answer.json["detail"]
        await upstream.last.departure(_BOUND_S)
        assert await listed(base) == []
        assert await fronts.counted(base, "saga_inflight_queries") == 0
        assert (await kill(base, "mine")).status == 404


async def test_an_answer_killed_in_the_middle_is_cut_and_never_ends_cleanly() -> None:
    whole = select(fronts.LARGE)
    assert isinstance(whole.body, bytes)
    pieces = [whole.body[n : n + 40_000] for n in range(0, len(whole.body), 40_000)]
    drip = Answer(type=whole.type, body=pieces, framing="chunked", between_s=0.2)
    async with Upstream(drip) as upstream, front({"url": upstream.url}) as base:
        query = started(base, "SELECT * { ?s ?p ?o }", "mine")
        await asyncio.sleep(0.7)
        (shown,) = await listed(base)
        assert shown["rows"] > 0
        assert shown["bytes"] > 10_000
        await kill(base, "mine")
        answer = await query
        assert (answer.status, answer.end) == (200, "reset")
        await upstream.last.departure(_BOUND_S)
        assert await listed(base) == []


async def test_a_client_that_does_not_read_loses_its_endpoint_with_the_kill() -> None:
    rows = itertools.repeat(b'{"s":{"type":"literal","value":"x"}},' * 400)
    endless = itertools.chain([b'{"head":{"vars":["s"]},"results":{"bindings":['], rows)
    answer = Answer(body=endless, framing="chunked")
    async with (
        Upstream(answer) as upstream,
        front({"url": upstream.url}) as base,
        wire.connected(f"{base}/sparql") as (reader, writer),
    ):
        head = {"X-Request-Id": "mine", "Content-Type": wire.QUERY}
        writer.write(wire.request(f"{base}/sparql", "POST", head, b"SELECT * { ?s ?p ?o }"))
        await upstream.arrival()
        await asyncio.sleep(1)
        assert not upstream.last.gone.is_set()
        assert (await kill(base, "mine")).json == {"killed": 1}
        await upstream.last.departure(_BOUND_S)
        await until_listed(base, 0)
        assert await fronts.counted(base, "saga_inflight_queries") == 0
        # Should it read on, it finds that this was not all.
        assert (await wire.receive(reader, "POST")).end == "reset"


async def test_a_query_that_waits_for_its_turn_is_seen_and_killed_too() -> None:
    async with Upstream(_SLOW) as upstream, front({"url": upstream.url, "concurrency": 1}) as base:
        first = started(base, "ASK {}", "first")
        await upstream.arrival()
        second = started(base, "ASK {}", "second")
        assert {each["id"] for each in await until_listed(base, 2)} == {"first", "second"}
        await kill(base, "second")
        assert (await second).status == 504
        assert len(upstream.sent) == 1
        first.cancel()


async def test_a_kill_is_no_failure_of_the_endpoint() -> None:
    async with Upstream(_SLOW) as upstream, front({"url": upstream.url}, breaker={"failures": 1}) as base:
        query = started(base, "ASK {}", "mine")
        await upstream.arrival()
        await kill(base, "mine")
        await query
        assert await fronts.counted(base, "saga_breaker_open") == 0


@pytest.fixture(scope="module")
def cross(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store whose cross product never ends."""
    return cross_store(tmp_path_factory.mktemp("cross") / "store")


@pytest.mark.parametrize(("text", "status"), [(_RUNAWAY, 504), (_ENDLESS, 200)], ids=["silent", "streaming"])
async def test_a_query_on_a_store_is_killed_with_its_reader(cross: Path, text: str, status: int) -> None:
    async with front({"store": str(cross), "concurrency": 1}) as base:
        assert (await started(base, "ASK {}")).status == 200
        query = started(base, text, "mine")
        await until_listed(base, 1)
        await asyncio.sleep(0.3)
        began = time.monotonic()
        await kill(base, "mine")
        answer = await query
        assert (answer.status, answer.end) == (status, "whole" if status == 504 else "reset")
        assert time.monotonic() - began < _BOUND_S
        # The one reader is another one now, and answers.
        assert (await started(base, "ASK {}")).status == 200


async def test_who_may_look_is_an_admin_or_this_machine_asked_directly() -> None:
    keys = {
        "root": {"sha256": hashlib.sha256(b"root").hexdigest(), "rights": ["admin"]},
        "bot": {"sha256": hashlib.sha256(b"bot").hexdigest()},
    }
    server = {"trusted_proxies": ["127.0.0.1"]}
    async with Upstream() as upstream, front({"url": upstream.url}, keys=keys, server=server) as base:
        port = base.rpartition(":")[2]
        away = {"X-Forwarded-For": "192.0.2.1"}
        cases: list[tuple[dict[str, str], int]] = [
            ({}, 200),
            ({"Host": f"localhost:{port}"}, 200),
            ({"Authorization": "Bearer root", **away}, 200),
            ({"Authorization": "Bearer bot"}, 403),
            (away, 401),
            # A program on this machine that speaks for others, also where nobody told us to trust it.
            ({"X-Forwarded-For": "127.0.0.1"}, 401),
            ({"Via": "1.1 proxy"}, 401),
            # A page in a browser on this machine, also one whose name was made to mean this machine.
            ({"Origin": "https://evil.example"}, 401),
            ({"Origin": "null"}, 401),
            ({"Origin": "http://127.0.0.1:1"}, 401),
            ({"Origin": base}, 200),
            ({"Origin": "http://evil.example", "Host": "evil.example"}, 401),
            ({"Host": f"evil.example:{port}"}, 401),
            ({"Host": "localhost:x"}, 401),
            ({"Host": "127.0.0.1:99999"}, 401),
            ({"Host": "::::"}, 401),
            ({"Host": "\xff"}, 401),
            ({"Host": ""}, 401),
        ]
        for headers, status in cases:
            assert (await wire.get(f"{base}/admin/queries", headers=headers)).status == status, headers
            page = await wire.send(f"{base}/admin/queries/none", "DELETE", headers)
            assert page.status == (404 if status == 200 else status), headers
            assert page.type == "application/problem+json"


def _drip() -> Answer:
    """Return an answer that flows for a minute."""
    rows = select(3_000)
    assert isinstance(rows.body, bytes)
    pieces = [rows.body[n : n + 1_000] for n in range(0, len(rows.body), 1_000)]
    return Answer(type=rows.type, body=pieces, framing="chunked", between_s=60 / len(pieces))


@pytest.mark.parametrize("streams", [False, True], ids=["hangs", "streams"])
async def test_every_worker_shows_and_ends_the_queries_of_all(tmp_path: Path, *, streams: bool) -> None:
    enabled = json.dumps(_PLUGINS["enabled"])
    async with Upstream(lambda sent: _drip() if streams else _SLOW) as upstream:
        config = f'[endpoints.up]\nurl = "{upstream.url}"\n[plugins]\nenabled = {enabled}\n'
        async with served(tmp_path, config, "--workers", "2") as proxy:
            page = (await wire.get(f"{proxy.base}/admin/queries")).json
            assert (page["workers"], page["silent_workers"]) == (2, 0)
            queries: list[asyncio.Future[wire.Received]] = []
            # Until both workers have one, however the kernel hands out the connections.
            while len({each["worker"] for each in await listed(proxy.base)}) < 2 or len(queries) < 4:
                assert len(queries) < 20
                queries.append(started(proxy.base, "SELECT * { ?s ?p ?o }", f"query-{len(queries)}"))
                await until_listed(proxy.base, len(queries))
            await upstream.arrival(len(queries), 30)
            if streams:
                await _until_all_flow(proxy.base)
            began = time.monotonic()
            killed = await asyncio.gather(*(kill(proxy.base, f"query-{n}") for n in range(len(queries))))
            assert [each.json for each in killed] == [{"killed": 1}] * len(queries)
            for answer in await asyncio.gather(*queries):
                assert (answer.status, answer.end) == ((200, "reset") if streams else (504, "whole"))
            for sent in upstream.sent:
                await sent.departure(_BOUND_S)
            assert time.monotonic() - began < _BOUND_S
            await until_listed(proxy.base, 0)
            assert await fronts.counted(proxy.base, "saga_inflight_queries") == 0


async def _until_all_flow(base: str) -> None:
    """Wait until all have so many rows that some were sent: the last piece is kept back until the next one comes."""
    for _ in range(400):
        if all(each["rows"] >= 50 for each in await listed(base)):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(await listed(base))


async def test_a_kill_that_a_stuck_worker_has_not_heard_is_no_not_found_and_is_done_once_it_can(tmp_path: Path) -> None:
    async with Upstream(_SLOW) as upstream:
        config = f'[endpoints.up]\nurl = "{upstream.url}"\n[plugins]\nenabled = ["plugins.admin"]\n'
        async with served(tmp_path, config, "--workers", "2") as proxy:
            query = started(proxy.base, "ASK {}", "mine")
            await upstream.arrival(1, 30)
            (shown,) = await listed(proxy.base)
            os.kill(shown["worker"], signal.SIGSTOP)
            try:
                told = await kill(proxy.base, "mine")
                assert (told.status, told.header("retry-after")) == (503, "1")
                assert (await wire.get(f"{proxy.base}/admin/queries")).json["silent_workers"] == 1
            finally:
                os.kill(shown["worker"], signal.SIGCONT)
            assert (await query).status == 504
            await until_listed(proxy.base, 0)
            assert (await kill(proxy.base, "mine")).status == 404


async def test_a_query_of_workers_that_were_replaced_is_still_seen_and_killed(tmp_path: Path) -> None:
    async with Upstream(_SLOW) as upstream:
        config = f'[endpoints.up]\nurl = "{upstream.url}"\n[plugins]\nenabled = ["plugins.admin"]\n'
        async with served(tmp_path, config) as proxy:
            query = started(proxy.base, "ASK {}", "mine")
            await upstream.arrival(1, 30)
            await proxy.reload()
            (shown,) = await listed(proxy.base)
            assert shown["id"] == "mine"
            assert (await kill(proxy.base, "mine")).json == {"killed": 1}
            assert (await query).status == 504
            await until_listed(proxy.base, 0)
