"""Text that our grammar cannot read is forwarded, and counted."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

from tests import stage, wire
from tests.fronts import counted, front
from tests.upstream import Answer, Upstream


async def test_P27_a_dialect_that_we_do_not_know_is_forwarded_and_counted() -> None:
    text = "SELECT * { ?s ?p ?o GIBBERISH ( ?o ) }"
    async with Upstream(Answer(), Answer()) as up, front(up) as url:
        await wire.get(url, {"query": text})
        await wire.get(url, {"query": "ASK {}"})
        assert up.sent[0].form["query"] == [text]
        assert await counted(url, "saga_unchecked_queries_total") == 1


async def test_of_a_crowd_of_unread_texts_some_are_read_to_be_counted() -> None:
    async with Upstream(Answer()) as up, front(up) as url:
        for n in range(200):
            await wire.get(url, {"query": f"ASK {{ ?s ?p ?o GIBBERISH ( {n} ) }}"})
        assert await counted(url, "saga_queries_total") == 200
        # How many more depends on the time that it took.
        assert 100 <= await counted(url, "saga_unchecked_queries_total") <= 200


async def test_where_a_plugin_reads_the_texts_all_are_counted() -> None:
    async with Upstream(Answer()) as up:
        tables = {"endpoints": {"up": {"url": up.url}}, "plugins": {"enabled": ["plugins.cache"]}}
        async with stage.proxy(tables) as base:
            for n in range(150):
                await wire.get(f"{base}/sparql", {"query": f"ASK {{ ?s ?p ?o GIBBERISH ( {n} ) }}"})
            assert await counted(f"{base}/sparql", "saga_unchecked_queries_total") == 150
