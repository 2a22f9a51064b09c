"""Label queries, the last resort of a search: at an endpoint that hangs, fails, lies, or whose client has left."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests import stage, wire
from tests.upstream import Answer, Sent, Upstream

WD = "http://www.wikidata.org/entity/"
_HANGS = Answer(before_head_s=3600.0)
# Long enough for any machine; a test that waits so long has failed.
_PATIENCE_S = 30.0


def bindings(*found: dict[str, dict[str, str]]) -> Answer:
    """Return an answer with these rows."""
    names = sorted({name for row in found for name in row})
    return Answer(body=json.dumps({"head": {"vars": names}, "results": {"bindings": found}}).encode())


def iri(value: str) -> dict[str, str]:
    return {"type": "uri", "value": value}


def text(value: str) -> dict[str, str]:
    return {"type": "literal", "value": value, "xml:lang": "en"}


@asynccontextmanager
async def searching(url: str, **search: Any) -> AsyncIterator[str]:
    """Serve an endpoint that has no index, and yield the proxy's address."""
    tables = {
        "endpoints": {"demo": {"url": url, "graph": "wikidata"}},
        "plugins": {"enabled": ["plugins.cache", "plugins.search"]},
        "search": search,
    }
    async with stage.proxy(tables) as base:
        yield base


async def searched(base: str, words: str) -> dict[str, Any]:
    answer = await wire.get(f"{base}/search", {"q": words})
    assert answer.status == 200, answer.body
    return dict(answer.json)


async def test_a_query_ends_as_soon_as_nobody_waits_for_it() -> None:
    async with Upstream(_HANGS) as endpoint, searching(endpoint.url, labels_s=3600.0) as base:
        client = asyncio.ensure_future(wire.get(f"{base}/search", {"q": "Berlin"}))
        asked = await endpoint.arrival(seconds=_PATIENCE_S)
        client.cancel()
        await asked.departure(_PATIENCE_S)
        assert len(endpoint.sent) == 1


async def test_a_failure_is_paid_for_once() -> None:
    async with Upstream(_HANGS) as endpoint, searching(endpoint.url, labels_s=0.2) as base:
        first = await searched(base, "Berlin")
        assert [(each["source"], each["state"]) for each in first["sources"]] == [("labels", "failed")]
        assert "within 0.2 s" in first["sources"][0]["detail"]
        await endpoint.last.departure(_PATIENCE_S)
        again = await searched(base, "Paris")
        assert (again["candidates"], again["sources"][0]["state"]) == ([], "failed")
        assert "left alone for a while" in again["sources"][0]["detail"]
        assert len(endpoint.sent) == 1


async def test_an_endpoint_that_asks_for_a_rest_gets_it() -> None:
    busy = Answer(status=503, headers=(("Retry-After", "300"),))
    async with Upstream(busy) as endpoint, searching(endpoint.url) as base:
        found = [await searched(base, words) for words in ("Berlin", "Berlin", "Paris", "柏林")]
        assert {each["sources"][0]["state"] for each in found} == {"failed"}
        assert len(endpoint.sent) == 1


async def test_many_searches_at_once_are_a_few_queries_at_a_time() -> None:
    async with Upstream(_HANGS) as endpoint, searching(endpoint.url, labels_s=3600.0) as base:
        clients = [asyncio.ensure_future(searched(base, f"town {number}")) for number in range(12)]
        await endpoint.arrival(4, _PATIENCE_S)
        # Others that were let through would come within moments of these.
        await asyncio.sleep(0.1)
        assert len(endpoint.sent) == 4
        for client in clients:
            client.cancel()
        await asyncio.wait(clients)


async def test_it_is_asked_again_when_it_has_had_a_rest() -> None:
    def script(sent: Sent) -> Answer:
        if len(endpoint.sent) == 1:
            return Answer(status=503, headers=(("Retry-After", "1"),))
        return bindings(
            {"s": iri(WD + "Q64"), "p": iri("http://www.w3.org/2000/01/rdf-schema#label"), "o": text("Berlin")}
        )

    async with Upstream(script) as endpoint, searching(endpoint.url) as base:
        assert (await searched(base, "Berlin"))["sources"][0]["state"] == "failed"
        async with asyncio.timeout(_PATIENCE_S):
            found: list[dict[str, Any]] = []
            while not found:
                found = (await searched(base, "Berlin"))["candidates"]
                await asyncio.sleep(0.1)
        assert [(hit["id"], hit["label"]) for hit in found] == [("Q64", "Berlin")]


async def test_every_pattern_begins_or_ends_at_a_constant() -> None:
    answer = bindings(
        {"s": iri(WD + "Q64"), "p": iri("http://www.w3.org/2000/01/rdf-schema#label"), "o": text("Berlin")}
    )
    async with Upstream(answer) as endpoint, searching(endpoint.url) as base:
        assert (await searched(base, "Berlin"))["candidates"]
        named, records = (sent.text for sent in endpoint.sent)
        # Oxigraph scans the whole store for a VALUES of literals.
        assert "VALUES" not in named + records
        assert '?s ?p "Berlin"@en' in named
        assert f"<{WD}Q64> ?p ?o" in records


LIES: list[tuple[Answer, str]] = [
    (bindings({"x": iri(WD + "Q64")}), "nothing"),
    (bindings({"s": text("Q64")}), "nothing"),
    (bindings({"s": iri(WD + "Q64> ?p ?o } } DROP ALL #")}), "nothing"),
    (bindings({"s": iri("")}), "nothing"),
    (bindings(*({"s": iri(f"{WD}Q{number}")} for number in range(10_000))), "nothing"),
    (bindings({"s": iri(WD + "Q64"), "p": text("p"), "o": iri(WD + "Q5")}), "nothing"),
    (bindings({"s": iri(WD + "Q64"), "o": text("x" * 5_000_000)}), "failed"),
    (Answer(body=b'{"head":{},"boolean":true}'), "failed"),
    (Answer(body=b"<html>"), "failed"),
    (Answer(body=b'{"head":{"vars":["s"]},"results":{"bindings":['), "failed"),
    (Answer(status=500), "failed"),
    (Answer(raw=b"", end="close"), "failed"),
]


@pytest.mark.parametrize(("answer", "state"), LIES, ids=range(len(LIES)))
async def test_an_endpoint_that_lies_finds_nothing_and_breaks_nothing(answer: Answer, state: str) -> None:
    async with Upstream(answer) as endpoint, searching(endpoint.url, labels_s=_PATIENCE_S) as base:
        found = await searched(base, "Berlin")
        assert (found["candidates"], found["sources"][0]["state"]) == ([], state)
        assert all(len(sent.text) < 20_000 for sent in endpoint.sent)
