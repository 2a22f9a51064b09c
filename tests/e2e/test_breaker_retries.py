"""The pause that an endpoint asks for, and queries that are sent twice, through real sockets."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import asyncio
import time

from tests import fronts, stage, wire
from tests.e2e.test_breaker import ask, front, is_open
from tests.profiles import select
from tests.upstream import Answer, Upstream

_QUIET = {"retry_share": 0.0}
_RESET = Answer(end="reset", raw=b"")
_UPDATE = {"update": "INSERT DATA { <urn:a> <urn:b> <urn:c> }"}


def busy(status: int, seconds: int) -> Answer:
    """Ask for a pause."""
    return Answer(status=status, headers=[("Retry-After", str(seconds))], type="text/plain", body=b"slow down")


async def retries(url: str, reason: str) -> float:
    return await fronts.counted(url, "saga_retries_total", endpoint="up", reason=reason)


async def test_P51_after_a_429_everybody_is_told_how_long_and_nobody_asks() -> None:
    async with Upstream(busy(429, 60), Answer()) as upstream, front(upstream.url, _QUIET) as url:
        first = await ask(url)
        assert (first.status, first.header("retry-after"), first.json["code"]) == (503, "60", "upstream_busy")
        for answer in await asyncio.gather(*(ask(url) for _ in range(20))):
            assert (answer.status, answer.header("cache-control")) == (503, "no-store")
            assert 55 <= int(answer.header("retry-after") or "") <= 60
        assert len(upstream.sent) == 1
        assert not await is_open(url)


async def test_P51_a_short_pause_is_waited_for_by_everybody_who_has_the_time() -> None:
    async with Upstream(busy(429, 1), Answer()) as upstream, front(upstream.url, _QUIET) as url:
        assert (await ask(url)).status == 503
        paused = time.monotonic()
        answers = await asyncio.gather(*(ask(url) for _ in range(10)), ask(url, timeout="0.3"))
        assert [answer.status for answer in answers] == [200] * 10 + [503]
        assert all(sent.arrived - paused > 0.8 for sent in upstream.sent[1:])
        assert len(upstream.sent) == 11


async def test_a_read_is_sent_again_after_a_short_503_and_the_client_sees_nothing() -> None:
    async with Upstream(busy(503, 1), Answer()) as upstream, front(upstream.url, {}) as url:
        assert (await ask(url)).status == 200
        assert upstream.sent[1].arrived - upstream.sent[0].arrived > 0.9
        assert await retries(url, "busy") == 1


async def test_a_read_is_sent_again_after_a_reset_before_the_first_byte() -> None:
    async with Upstream(_RESET, Answer()) as upstream, front(upstream.url, {}) as url:
        assert (await ask(url)).status == 200
        assert await retries(url, "reset") == 1
        assert [sent.text for sent in upstream.sent] == ["ASK {}"] * 2


async def test_a_read_is_sent_again_after_a_refused_connection_while_the_budget_lasts() -> None:
    port = stage.free_port()
    async with front(f"http://127.0.0.1:{port}/sparql", {"failures": 50}) as url:
        for _ in range(4):
            assert (await ask(url)).status == 502
            assert await retries(url, "connect") == 1


async def test_an_update_is_never_sent_again() -> None:
    for script in (busy(503, 0), _RESET):
        async with Upstream(script, Answer()) as upstream, front(upstream.url, {}, updates=True) as url:
            assert (await wire.post(url, _UPDATE)).status in (502, 503)
            await asyncio.sleep(0.3)
            assert len(upstream.sent) == 1


async def test_an_answer_that_has_begun_is_never_sent_again() -> None:
    whole = select(fronts.LARGE)
    broken = Answer(type=whole.type, body=whole.body, framing="chunked", cut=500_000, end="reset")
    async with Upstream(broken, Answer()) as upstream, front(upstream.url, {}) as url:
        answer = await ask(url, "SELECT * { ?s ?p ?o }")
        assert (answer.status, answer.end, len(upstream.sent)) == (200, "reset", 1)


async def test_at_most_one_in_ten_is_sent_again() -> None:
    async with Upstream(_RESET) as upstream, front(upstream.url, {"failures": 1000}) as url:
        for _ in range(30):
            assert (await ask(url)).status == 502
        assert await retries(url, "reset") == 4
        assert len(upstream.sent) == 34


async def test_the_deadline_of_the_client_holds_for_all_attempts_together() -> None:
    async with Upstream(busy(503, 1), Answer(before_head_s=30)) as upstream, front(upstream.url, {}) as url:
        started = time.monotonic()
        assert (await ask(url, timeout="0.5")).status == 503
        assert await retries(url, "busy") == 0
        assert time.monotonic() - started < 0.9
    async with Upstream(busy(503, 1), Answer(before_head_s=30)) as upstream, front(upstream.url, {}) as url:
        started = time.monotonic()
        assert (await ask(url, timeout="2")).status == 504
        assert 1.7 < time.monotonic() - started < 3
        assert len(upstream.sent) == 2


async def test_what_failed_late_is_not_sent_again() -> None:
    late = Answer(before_head_s=0.3, raw=b"", end="reset")
    async with Upstream(late, Answer()) as upstream, front(upstream.url, {"retry_within_s": 0.2}) as url:
        assert ((await ask(url)).status, len(upstream.sent)) == (502, 1)
