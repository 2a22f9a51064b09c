"""What is counted of a query, and when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from proxy.contract import Caller, Query, Reply
from proxy.observe import QueryMetrics
from proxy.results import Format
from proxy.series import PrometheusMetrics
from proxy.syntax import read


async def test_an_answer_that_is_out_is_counted_before_its_endpoint_is_free() -> None:
    """A worker may be killed at any moment: what its client has by then must have been counted."""
    metrics = PrometheusMetrics()
    free = asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield b'{"head": {"vars": []}, "results": {"bindings": []}}'

    async def run(_: Query) -> Reply:
        async def release() -> None:
            await free.wait()

        return Reply(format=Format.JSON, chunks=body(), release=release)

    def seen(name: str, **labels: str) -> float | None:
        return metrics.registry.get_sample_value(name, {"endpoint": "here", **labels})

    query = Query(
        id="1", endpoint="here", syntax=read("SELECT * {}"), formats=(Format.JSON,), caller=Caller(address="127.0.0.1")
    )
    reply = await QueryMetrics(metrics).measured(run)(query)
    assert [chunk async for chunk in reply.chunks]
    closing = asyncio.ensure_future(reply.aclose())
    await asyncio.sleep(0)
    assert seen("saga_queries_total", form="select", outcome="empty") == 1
    assert seen("saga_inflight_queries") == 1
    free.set()
    await closing
    assert seen("saga_queries_total", form="select", outcome="empty") == 1
    assert seen("saga_inflight_queries") == 0
