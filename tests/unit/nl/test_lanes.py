"""Questions give way to clients: how many of their queries run, and that no place is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from plugins.nl.lanes import Clients, Lanes
from proxy.contract import Caller, Query, Reply
from proxy.errors import UpstreamFailed
from proxy.results import Format
from proxy.settings import EndpointTable
from proxy.syntax import read

QUERY = Query(
    id="1", endpoint="demo", syntax=read("ASK {}"), formats=(Format.JSON,), caller=Caller(address="127.0.0.1")
)


class Endpoint:
    """Answer nothing until told to; count who is there."""

    def __init__(self) -> None:
        self.here = 0
        self.most = 0
        self.done = 0
        self.going_on = asyncio.Event()

    async def run(self, query: Query) -> Reply:
        self.here += 1
        self.most = max(self.most, self.here)
        try:
            await self.going_on.wait()
        except asyncio.CancelledError:
            self.here -= 1
            raise

        async def release() -> None:
            self.here -= 1
            self.done += 1

        return Reply(format=Format.JSON, chunks=_nothing(), release=release)


async def _nothing() -> AsyncIterator[bytes]:
    for piece in (b"",):
        yield piece


async def asked(lanes: Lanes) -> None:
    async with await lanes.run(QUERY):
        pass


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("places", "client", "most"), [(2, False, 2), (2, True, 1), (8, True, 4), (1, True, 1)])
async def test_half_of_the_places_is_for_clients_where_there_are_any(places: int, client: bool, most: int) -> None:
    endpoint, clients = Endpoint(), Clients()
    lanes = Lanes(endpoint.run, {"demo": EndpointTable(concurrency=places)}, clients)
    if client:
        clients.note("demo")
    tasks = [asyncio.ensure_future(asked(lanes)) for _ in range(20)]
    await settled()
    assert endpoint.here == most
    endpoint.going_on.set()
    await asyncio.gather(*tasks)
    assert endpoint.done == 20
    assert endpoint.here == 0


async def test_clients_of_another_endpoint_are_no_reason() -> None:
    endpoint, clients = Endpoint(), Clients()
    table = EndpointTable(concurrency=4)
    lanes = Lanes(endpoint.run, {"demo": table, "other": table}, clients)
    clients.note("other")
    tasks = [asyncio.ensure_future(asked(lanes)) for _ in range(8)]
    await settled()
    assert endpoint.here == 4
    endpoint.going_on.set()
    await asyncio.gather(*tasks)


async def test_whoever_leaves_takes_no_place_along() -> None:
    endpoint = Endpoint()
    lanes = Lanes(endpoint.run, {"demo": EndpointTable(concurrency=2)}, Clients())
    tasks = [asyncio.ensure_future(asked(lanes)) for _ in range(12)]
    await settled()
    # Two that run, two that wait, and two that have just been let in.
    for each in tasks[:4]:
        each.cancel()
    await asyncio.sleep(0)
    for each in tasks[4:6]:
        each.cancel()
    endpoint.going_on.set()
    await asyncio.wait(tasks)
    assert sum(not each.cancelled() for each in tasks) == 6
    endpoint.going_on.clear()
    again = [asyncio.ensure_future(asked(lanes)) for _ in range(2)]
    await settled()
    assert endpoint.here == 2
    endpoint.going_on.set()
    await asyncio.gather(*again)


async def test_a_query_that_fails_frees_its_place() -> None:
    async def run(query: Query) -> Reply:
        raise UpstreamFailed("gone")

    lanes = Lanes(run, {"demo": EndpointTable(concurrency=1)}, Clients())
    for _ in range(3):
        async with asyncio.timeout(20):
            with pytest.raises(UpstreamFailed):
                await lanes.run(QUERY)
