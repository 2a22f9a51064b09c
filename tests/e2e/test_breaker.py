"""The breaker, through real sockets: when it opens, what clients see then, and how it closes."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

from tests import fronts, stage, wire
from tests.profiles import html_failure, qlever_cancelled
from tests.upstream import Answer, Sent, Upstream, _Connection

_QUIET = {"retry_share": 0.0}


@asynccontextmanager
async def front(url: str, breaker: dict[str, Any], **table: Any) -> AsyncIterator[str]:
    """Put a proxy with a breaker in front of an address, and yield its SPARQL page."""
    tables = {
        "endpoints": {"up": {"url": url, **table}},
        "plugins": {"enabled": ["plugins.breaker"]},
        "breaker": breaker,
    }
    async with stage.proxy(tables) as base:
        yield f"{base}/sparql"


async def ask(url: str, text: str = "ASK {}", **more: str) -> wire.Received:
    return await wire.post(url, {"query": text, **more})


async def is_open(url: str) -> bool:
    return bool(await fronts.counted(url, "saga_breaker_open", endpoint="up"))


async def is_up(url: str) -> bool:
    return bool(await fronts.counted(url, "saga_endpoint_up", endpoint="up"))


class _Late(Upstream):
    """An endpoint that comes up on a port which refused until then."""

    def __init__(self, port: int, *script: Any) -> None:
        super().__init__(*script)
        self._port = port

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", self._port)
        return self


async def test_P64_refused_connections_open_it_and_one_probe_closes_it() -> None:
    port = stage.free_port()
    breaker = {"failures": 3, "cool_off_s": 1.5, "liveness_s": 60.0, **_QUIET}
    async with front(f"http://127.0.0.1:{port}/sparql", breaker) as url:
        assert (await is_open(url), await is_up(url)) == (False, True)
        for _ in range(3):
            failed = await ask(url)
            assert (failed.status, failed.json["code"]) == (502, "upstream_failed")
        shut = await ask(url)
        assert (shut.status, shut.type) == (503, "application/problem+json")
        left, cached = shut.header("retry-after"), shut.header("cache-control")
        assert left in ("1", "2")
        assert cached == "no-store"
        assert (shut.json["code"], f"{left} s" in shut.json["detail"]) == ("upstream_busy", True)
        assert (await is_open(url), await is_up(url)) == (True, False)
        await asyncio.sleep(0.8)
        assert (await ask(url)).header("retry-after") == "1"
        async with _Late(port, Answer(before_head_s=0.3), Answer()) as upstream:
            assert (await ask(url)).status == 503
            await asyncio.sleep(0.8)
            probe = asyncio.ensure_future(ask(url))
            await upstream.arrival()
            others = await asyncio.gather(*(ask(url) for _ in range(5)))
            assert [(each.status, each.header("retry-after")) for each in others] == [(503, "1")] * 5
            assert (await probe).status == 200
            assert len(upstream.sent) == 1
            assert (await is_open(url), await is_up(url)) == (False, True)
            assert [each.status for each in await asyncio.gather(*(ask(url) for _ in range(5)))] == [200] * 5


async def test_P64_a_sign_of_life_ends_the_cool_off_early() -> None:
    port = stage.free_port()
    breaker = {"failures": 1, "cool_off_s": 60.0, "liveness_s": 0.05, **_QUIET}
    async with front(f"http://127.0.0.1:{port}/sparql", breaker) as url:
        assert (await ask(url)).status == 502
        assert (await ask(url)).header("retry-after") == "60"
        async with _Late(port) as upstream:
            await upstream.arrival()
            assert upstream.last.text == "ASK {}"
            await asyncio.sleep(0.05)
            assert (await ask(url, "ASK { ?s ?p ?o }")).status == 200
            assert not await is_open(url)
            asked = len(upstream.sent)
            await asyncio.sleep(0.2)
            # Closed, nobody asks but clients; one question may have been on its way.
            assert len(upstream.sent) <= asked + 1


async def test_P64_a_slow_probe_does_not_keep_everybody_out_of_an_endpoint_that_lives() -> None:
    port = stage.free_port()
    breaker = {"failures": 1, "cool_off_s": 0.1, "liveness_s": 0.1, **_QUIET}
    slow = Answer(before_head_s=30)

    def heavy(sent: Sent) -> Answer:
        return slow if "heavy" in sent.text else Answer()

    async with front(f"http://127.0.0.1:{port}/sparql", breaker) as url:
        assert (await ask(url)).status == 502
        async with _Late(port, heavy) as upstream:
            await asyncio.sleep(0.15)
            probe = asyncio.ensure_future(ask(url, "ASK { ?s ?p 'heavy' }"))
            await asyncio.sleep(0.5)
            assert any("heavy" in sent.text for sent in upstream.sent)
            assert ((await ask(url)).status, probe.done(), await is_open(url)) == (200, False, False)
            probe.cancel()


async def test_P64_it_closes_also_where_nobody_asks() -> None:
    port = stage.free_port()
    breaker = {"failures": 1, "cool_off_s": 60.0, "liveness_s": 0.05, **_QUIET}
    async with front(f"http://127.0.0.1:{port}/sparql", breaker) as url:
        assert (await ask(url)).status == 502
        async with _Late(port) as upstream:
            await upstream.arrival(2)
            await asyncio.sleep(0.2)
            assert (await is_open(url), await is_up(url), len(upstream.sent)) == (False, True, 2)


async def test_P64_what_is_the_clients_or_the_querys_own_fault_never_counts() -> None:
    breaker = {"failures": 1, "cool_off_s": 60.0, **_QUIET}
    malformed = Answer(status=400, type="text/plain", body=b"Parse error: line 1")
    refusals = [malformed] * 5 + [Answer(status=403), Answer(status=406), Answer(status=413)]
    rest = (qlever_cancelled, Answer(before_head_s=30), Answer())
    async with Upstream(*refusals, *rest) as upstream, front(upstream.url, breaker, engine="qlever") as url:
        statuses = [(await ask(url)).status for _ in range(9)]
        assert statuses == [400] * 5 + [403, 406, 413, 504]
        assert (await ask(url, "no query at all")).status == 400
        leaver = asyncio.ensure_future(ask(url))
        await upstream.arrival(10)
        leaver.cancel()
        await upstream.last.departure()
        assert not await is_open(url)
        assert (await ask(url)).status == 200
        assert len(upstream.sent) == 11


async def test_P64_a_probe_that_is_left_or_malformed_lets_the_next_one_try() -> None:
    port = stage.free_port()
    breaker = {"failures": 1, "cool_off_s": 0.2, "liveness_s": 60.0, **_QUIET}
    malformed = Answer(status=400, type="text/plain", body=b"Parse error: line 1")
    async with front(f"http://127.0.0.1:{port}/sparql", breaker) as url:
        assert (await ask(url)).status == 502
        async with _Late(port, Answer(before_head_s=30), malformed, Answer()) as upstream:
            await asyncio.sleep(0.25)
            leaver = asyncio.ensure_future(ask(url))
            await upstream.arrival()
            leaver.cancel()
            await upstream.last.departure()
            await asyncio.sleep(0.02)
            assert (await ask(url)).status == 400
            assert await is_open(url)
            assert (await ask(url)).status == 200
            assert not await is_open(url)


def _broken(sent: Sent) -> Answer:
    """Fail with 500 on one query and answer all others."""
    return html_failure() if "broken" in sent.text else Answer()


async def test_P64_a_query_that_breaks_the_endpoint_does_not_shut_it_for_others() -> None:
    breaker = {"failures": 2, "cool_off_s": 60.0, **_QUIET}
    async with Upstream(_broken) as upstream, front(upstream.url, breaker) as url:
        for _ in range(6):
            assert (await ask(url, "ASK { ?s ?p 'broken' }")).status == 502
            await asyncio.sleep(0.02)
        assert not await is_open(url)
        assert (await ask(url)).status == 200
        # The doubts were put to the endpoint, and not once per query.
        asked = sum(sent.text == "ASK {}" for sent in upstream.sent) - 1
        assert 1 <= asked <= 3


async def test_P64_an_endpoint_that_fails_whatever_it_is_asked_is_shut() -> None:
    breaker = {"failures": 2, "cool_off_s": 60.0, "liveness_s": 60.0, **_QUIET}
    async with Upstream(html_failure()) as upstream, front(upstream.url, breaker) as url:
        assert [(await ask(url, "ASK { ?s ?p 1 }")).status for _ in range(2)] == [502, 502]
        await upstream.arrival(3)
        await asyncio.sleep(0.05)
        assert ((await ask(url)).status, await is_open(url), await is_up(url)) == (503, True, False)


async def test_P56_silence_is_put_to_the_test_and_shuts_a_dead_endpoint_but_not_a_busy_one() -> None:
    breaker = {"failures": 2, "cool_off_s": 60.0, "liveness_s": 60.0, **_QUIET}
    silent = Answer(before_head_s=30)

    def heavy(sent: Sent) -> Answer:
        return Answer() if sent.text == "ASK {}" else silent

    for script, status in ((heavy, 504), (silent, 503)):
        limits = {"first_byte_s": 0.1, "connect_s": 0.1}
        async with Upstream(script) as upstream, front(upstream.url, breaker, **limits) as url:
            for _ in range(2):
                assert (await ask(url, "ASK { ?s ?p ?o }")).status == 504
            await asyncio.sleep(0.2)
            assert (await ask(url, "ASK { ?s ?p ?o }")).status == status
            assert await is_open(url) is (status == 503)


async def test_one_endpoint_that_is_shut_leaves_the_others_open() -> None:
    dead = f"http://127.0.0.1:{stage.free_port()}/sparql"
    async with Upstream() as upstream:
        tables = {
            "endpoints": {"dead": {"url": dead}, "alive": {"url": upstream.url}},
            "plugins": {"enabled": ["plugins.breaker"]},
            "breaker": {"failures": 1, **_QUIET},
        }
        async with stage.proxy(tables) as base:
            statuses = [(await ask(f"{base}/sparql/{name}")).status for name in ("dead", "dead", "alive", "alive")]
            assert statuses == [502, 503, 200, 200]
