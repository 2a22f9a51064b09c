"""Several addresses of one endpoint, through real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from proxy.contract import Query, Reply
from proxy.endpoints.failover import FailoverEndpoint
from proxy.endpoints.http import HttpEndpoint
from proxy.errors import UpstreamBusy, UpstreamFailed, UpstreamTimeout
from proxy.settings import EndpointTable
from tests import stage
from tests.embedded import ask, query
from tests.upstream import TRUE, Answer, Upstream

_UPDATE = "INSERT DATA { <urn:a> <urn:b> <urn:c> }"


class Clock:
    """Time that passes when it is told."""

    def __init__(self) -> None:
        self.now = 5.0

    def __call__(self) -> float:
        return self.now


def dead() -> str:
    """Return an address that refuses connections."""
    return f"http://127.0.0.1:{stage.free_port()}/sparql"


@asynccontextmanager
async def failover(urls: Sequence[str], clock: Clock | None = None) -> AsyncIterator[FailoverEndpoint]:
    tables = [EndpointTable(url=url, connect_s=0.5) for url in urls]
    endpoint = FailoverEndpoint("up", [HttpEndpoint("up", table, {}) for table in tables], clock or Clock())
    async with endpoint.lifespan():
        yield endpoint


async def test_the_first_that_can_be_reached_is_asked_and_the_dead_one_rests() -> None:
    clock = Clock()
    async with (
        Upstream() as second,
        Upstream() as third,
        failover([dead(), second.url, third.url], clock) as endpoint,
    ):
        for _ in range(3):
            assert await ask(endpoint, "ASK {}") == TRUE
        assert (len(second.sent), len(third.sent)) == (3, 0)
        health = await endpoint.health()
        assert health.ok
        assert "address 1: no answer" in health.detail


async def test_an_update_goes_elsewhere_only_where_it_was_never_sent() -> None:
    done = Answer(status=204, type=None, body=b"")
    async with Upstream(done) as second, failover([dead(), second.url]) as endpoint:
        await (await endpoint.run(query(_UPDATE))).aclose()
        assert len(second.sent) == 1
    reset = Answer(raw=b"", end="reset")
    async with Upstream(reset) as first, Upstream() as second, failover([first.url, second.url]) as endpoint:
        with pytest.raises(UpstreamFailed):
            await endpoint.run(query(_UPDATE))
        assert (len(first.sent), len(second.sent)) == (1, 0)


async def test_what_an_address_says_is_the_answer() -> None:
    busy = Answer(status=503)
    async with Upstream(busy) as first, Upstream() as second, failover([first.url, second.url]) as endpoint:
        with pytest.raises(UpstreamBusy):
            await endpoint.run(query("ASK {}"))
        assert len(second.sent) == 0


async def test_an_address_is_tried_again_after_its_rest_and_last_before_that() -> None:
    clock = Clock()
    port = stage.free_port()
    async with Upstream() as second, failover([f"http://127.0.0.1:{port}/sparql", second.url], clock) as endpoint:
        assert await ask(endpoint, "ASK {}") == TRUE
        tries = 0

        async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal tries
            tries += 1
            writer.transport.abort()

        async with await asyncio.start_server(refuse, "127.0.0.1", port):
            assert await ask(endpoint, "ASK {}") == TRUE
            assert tries == 0
            clock.now += 11.0
            with pytest.raises(UpstreamFailed):
                await ask(endpoint, "ASK {}")
            assert tries > 0


async def test_where_none_can_be_reached_the_error_says_so() -> None:
    async with failover([dead(), dead()]) as endpoint:
        for _ in range(2):
            with pytest.raises(UpstreamFailed, match="cannot be reached"):
                await endpoint.run(query("ASK {}"))
        assert not (await endpoint.health()).ok


async def test_the_clients_deadline_holds_for_all_addresses_together() -> None:
    class Slow:
        """Take ten seconds of the clock to refuse."""

        def __init__(self, url: str) -> None:
            self.within = HttpEndpoint("up", EndpointTable(url=url), {})
            self.name = "up"
            self.lifespan = self.within.lifespan
            self.health = self.within.health

        async def run(self, asked: Query) -> Reply:
            clock.now += 10.0
            left.append(asked.timeout_s)
            return await self.within.run(asked)

    clock, left = Clock(), list[float | None]()
    endpoint = FailoverEndpoint("up", [Slow(dead()), Slow(dead())], clock)
    async with endpoint.lifespan():
        with pytest.raises(UpstreamTimeout, match="within 8 s"):
            await endpoint.run(query("ASK {}", timeout_s=8.0))
        with pytest.raises(UpstreamFailed):
            await endpoint.run(query("ASK {}", timeout_s=80.0))
        assert left == [8.0, 80.0, 70.0]
