"""What every plugin can rely on, shown with one from a dotted path and with `audit`."""

from __future__ import annotations

import json
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from proxy.contract import Plugin, Query, Reply, Run, compose
from tests import stage


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def tables(store: Path, **more: Any) -> dict[str, Any]:
    return {"endpoints": {"demo": {"store": str(store), "graph": "wikidata"}}, **more}


async def test_a_plugin_from_a_dotted_path_changes_answers_and_refuses(
    client: aiohttp.ClientSession, demo_store: Path
) -> None:
    config = tables(demo_store, plugins={"enabled": ["tests.contract.recorder"]}, recorder={"greeting": "servus"})
    async with stage.proxy(config) as url:
        async with client.post(url + "/sparql", data={"query": "ASK { ?s ?p ?o }"}) as changed:
            assert changed.headers["X-Greeting"] == "servus"
            assert (await changed.json(content_type=None))["boolean"] is True
        async with client.post(url + "/sparql", data={"query": "ASK { ?s <urn:answer> ?o }"}) as answered:
            assert (await answered.json(content_type=None))["boolean"] is True
            assert "X-Greeting" not in answered.headers
        async with client.post(url + "/sparql", data={"query": "ASK { ?s <urn:refuse> ?o }"}) as refused:
            problem = await refused.json(content_type=None)
            assert (refused.status, problem["code"], problem["detail"]) == (403, "forbidden", "Not this one.")
            assert problem["request_id"] == refused.headers["X-Request-Id"]


async def test_routes_of_a_plugin_are_behind_their_right_and_the_one_shape_of_error(
    client: aiohttp.ClientSession, demo_store: Path
) -> None:
    config = tables(demo_store, plugins={"enabled": ["tests.contract.recorder"]})
    async with stage.proxy(config) as url, client.get(url + "/recorder") as forbidden:
        assert forbidden.status == 403
        async with client.get(url + "/recorder/broken") as broken:
            problem = await broken.json(content_type=None)
            assert (broken.status, problem["code"]) == (500, "internal")
            assert "ZeroDivisionError" not in json.dumps(problem)
    config["server"] = {"anonymous": ["query", "admin"]}
    async with stage.proxy(config) as url, client.get(url + "/recorder") as allowed:
        assert await allowed.json() == ["started"]


async def test_audit_writes_a_line_per_query_for_its_owner_only(
    client: aiohttp.ClientSession, demo_store: Path, tmp_path: Path
) -> None:
    config = tables(demo_store, plugins={"enabled": ["plugins.audit"]}, audit={"file": str(tmp_path / "audit.jsonl")})
    texts = ["ASK { ?s ?p ?o }", "SELECT * { ?s ?p ?o } LIMIT 3", "SELECT * { SERVICE <http://e.org/> { ?s ?p ?o } }"]
    async with stage.proxy(config) as url:
        for text in texts:
            async with client.post(url + "/sparql", data={"query": text}) as reply:
                await reply.read()
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert [line["text"] for line in lines] == texts
    assert [line["ended"] for line in lines] == ["complete", "complete", "forbidden"]
    assert lines[1]["rows"] == 3
    assert stat.S_IMODE((tmp_path / "audit.jsonl").stat().st_mode) == 0o600


async def test_an_audit_that_cannot_write_lets_the_query_pass(client: aiohttp.ClientSession, demo_store: Path) -> None:
    config = tables(demo_store, plugins={"enabled": ["plugins.audit"]}, audit={"file": "/dev/full"})
    async with stage.proxy(config) as url, client.post(url + "/sparql", data={"query": "ASK {}"}) as reply:
        assert reply.status == 200


def test_the_first_in_the_list_is_outermost_and_composed_once() -> None:
    order: list[str] = []

    class Noting(Plugin):
        def __init__(self, name: str) -> None:
            super().__init__(None)
            self.name = name

        async def query(self, query: Query, run: Run) -> Reply:
            order.append(self.name)
            return await run(query)

    async def innermost(query: Query) -> Reply:
        order.append("endpoint")
        raise EOFError

    chain = compose([Noting("outer"), Noting("inner")], innermost)
    for _ in range(2):
        with pytest.raises(EOFError):
            chain(None).send(None)  # type: ignore[arg-type, attr-defined]  # the chain never looks at the query
    assert order == ["outer", "inner", "endpoint"] * 2
