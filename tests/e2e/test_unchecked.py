"""Text that our grammar cannot read is forwarded, and counted."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

from tests import wire
from tests.fronts import counted, front
from tests.upstream import Answer, Upstream


async def test_P27_a_dialect_that_we_do_not_know_is_forwarded_and_counted() -> None:
    text = "SELECT * { ?s ?p ?o GIBBERISH ( ?o ) }"
    async with Upstream(Answer(), Answer()) as up, front(up) as url:
        await wire.get(url, {"query": text})
        await wire.get(url, {"query": "ASK {}"})
        assert up.sent[0].form["query"] == [text]
        assert await counted(url, "saga_unchecked_queries_total") == 1
