"""Equal queries at the same time: one question to the endpoint, and nobody suffers from anybody else."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import asyncio
import time

import pytest

from tests import wire
from tests.cached import JSON, ask, cached, events, number, numbered, table
from tests.upstream import Answer, Upstream
from tests.wire import Received

TEXT = "SELECT ?x { ?s ?p ?x }"


async def crowd(url: str, count: int, text: str = TEXT) -> list[Received]:
    return list(await asyncio.gather(*(ask(url, text) for _ in range(count))))


async def test_100_equal_cold_queries_are_one_question() -> None:
    async with Upstream(numbered(rows=100, before_head_s=0.3)) as upstream, cached(upstream) as url:
        answers = await crowd(url, 100)
        assert len(upstream.sent) == 1
        assert {number(each) for each in answers} == {1}
        assert len({each.body for each in answers}) == 1
        assert [await events(url, each) for each in ("miss", "coalesced", "store")] == [1, 99, 1]
        collapsed = [each for each in answers if "collapsed" in (each.header("cache-status") or "")]
        assert len(collapsed) == 99


async def test_distinct_queries_do_not_wait_for_each_other() -> None:
    async with Upstream(numbered(before_head_s=0.3)) as upstream, cached(upstream) as url:
        texts = [f"{TEXT} LIMIT {n}" for n in range(20)]
        began = time.monotonic()
        answers = await asyncio.gather(*(ask(url, text) for text in texts))
        assert time.monotonic() - began < 2
        assert len({number(each) for each in answers}) == 20
        assert len(upstream.sent) == 20


async def leaving(url: str) -> asyncio.StreamWriter:
    """Send a query and return the connection, to be dropped."""
    host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(wire.request(f"{url}?query=SELECT+?x+%7B+?s+?p+?x+%7D", "GET", JSON))
    return writer


async def test_P54_a_leader_that_leaves_hurts_no_follower() -> None:
    async with Upstream(numbered(before_head_s=0.6)) as upstream, cached(upstream) as url:
        leader = await leaving(url)
        await upstream.arrival(1)
        followers = asyncio.ensure_future(crowd(url, 10))
        await asyncio.sleep(0.2)
        leader.transport.abort()
        assert {number(each) for each in await followers} == {1}
        assert len(upstream.sent) == 1
        assert await events(url, "store") == 1


async def test_P54_a_leader_that_leaves_in_the_middle_of_the_answer_hurts_no_follower() -> None:
    answer = Answer(body=table(1, 6_000, 30), framing="chunked", between_s=0.03)
    async with Upstream(answer) as upstream, cached(upstream) as url:
        leader = await leaving(url)
        await upstream.arrival(1)
        followers = asyncio.ensure_future(crowd(url, 5))
        await asyncio.sleep(0.45)
        leader.transport.abort()
        assert {each.body for each in await followers} == {table(1, 6_000, 30)}
        assert len(upstream.sent) == 1


async def test_P54_a_follower_that_leaves_hurts_nobody() -> None:
    async with Upstream(numbered(before_head_s=0.6)) as upstream, cached(upstream) as url:
        leader = asyncio.ensure_future(ask(url))
        await upstream.arrival(1)
        follower = await leaving(url)
        await asyncio.sleep(0.2)
        follower.transport.abort()
        assert number(await leader) == 1


async def test_P54_when_the_last_one_leaves_the_endpoint_is_free() -> None:
    async with Upstream(Answer(before_head_s=30), numbered()) as upstream, cached(upstream) as url:
        leader = await leaving(url)
        sent = await upstream.arrival(1)
        follower = await leaving(url)
        await asyncio.sleep(0.2)
        leader.transport.abort()
        await asyncio.sleep(0.2)
        assert sent.left is None
        follower.transport.abort()
        await sent.departure()
        # A question that was given up is nobody's answer.
        assert number(await ask(url)) == 1
        assert len(upstream.sent) == 2


async def test_P54_who_leaves_a_large_answer_frees_the_endpoint() -> None:
    body = table(1, 400_000, 40)
    async with (
        Upstream(Answer(body=body, framing="chunked")) as upstream,
        cached(upstream, max_entry_bytes=200_000) as url,
    ):
        leader = await leaving(url)
        sent = await upstream.arrival(1)
        await asyncio.sleep(0.3)
        leader.transport.abort()
        await sent.departure()


async def test_a_leader_that_reads_nothing_holds_up_nobody() -> None:
    body = table(1, 30_000, 40)
    async with Upstream(Answer(body=body, before_head_s=0.3)) as upstream, cached(upstream) as url:
        host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
        _reader, leader = await asyncio.open_connection(host, int(port), limit=1024)
        leader.transport.pause_reading()  # type: ignore[attr-defined]  # every transport of a socket has it
        leader.write(wire.request(f"{url}?query=SELECT+?x+%7B+?s+?p+?x+%7D", "GET", JSON))
        await upstream.arrival(1)
        assert (await ask(url)).body == body
        assert len(upstream.sent) == 1
        leader.transport.abort()


async def test_followers_of_an_answer_that_is_too_large_go_themselves() -> None:
    body = table(1, 10_000, 40)
    async with (
        Upstream(Answer(body=body, before_head_s=0.3)) as upstream,
        cached(upstream, max_entry_bytes=100_000) as url,
    ):
        answers = await crowd(url, 5)
        assert {(each.body, each.end) for each in answers} == {(body, "whole")}
        assert len(upstream.sent) == 5


async def test_followers_are_patient_for_so_long_only() -> None:
    async with Upstream(numbered(before_head_s=0.8)) as upstream, cached(upstream, wait_s=0.2) as url:
        answers = await crowd(url, 2)
        assert sorted(number(each) for each in answers) == [1, 2]


async def test_an_exchange_that_failed_for_the_leader_is_tried_once_more_for_all_others() -> None:
    bad = Answer(status=500, body=b"no", before_head_s=0.3)
    good = Answer(body=table(2), before_head_s=0.3)
    async with Upstream(bad, good) as upstream, cached(upstream) as url:
        answers = await crowd(url, 20)
        assert sorted(each.status for each in answers) == [200] * 19 + [502]
        assert len(upstream.sent) == 2


async def test_an_answer_that_broke_for_the_leader_is_tried_once_more_for_all_others() -> None:
    bad = Answer(body=table(1, 5), cut=100, end="close", before_head_s=0.3)
    async with Upstream(bad, Answer(body=table(2), before_head_s=0.3)) as upstream, cached(upstream) as url:
        answers = await crowd(url, 20)
        assert sorted(each.status for each in answers) == [200] * 19 + [502]
        assert len(upstream.sent) == 2


async def test_an_endpoint_that_stays_down_is_asked_twice_and_not_a_hundred_times() -> None:
    async with Upstream(Answer(status=500, body=b"no", before_head_s=0.3)) as upstream, cached(upstream) as url:
        answers = await crowd(url, 50)
        assert {each.status for each in answers} == {502}
        assert len(upstream.sent) == 2


@pytest.mark.parametrize(
    ("bad", "status", "code"),
    [
        (Answer(status=400, body=b"parse error", before_head_s=0.3), 400, "bad_query"),
        (Answer(status=503, headers=[("Retry-After", "7")], before_head_s=0.3), 503, "upstream_busy"),
    ],
    ids=["bad query", "busy"],
)
async def test_what_would_be_met_again_is_told_to_all_and_asked_once(bad: Answer, status: int, code: str) -> None:
    async with Upstream(bad) as upstream, cached(upstream) as url:
        answers = await crowd(url, 20)
        assert {(each.status, each.json["code"]) for each in answers} == {(status, code)}
        assert len({each.json["request_id"] for each in answers}) == 20
        assert len(upstream.sent) == 1


async def test_P50_a_partial_answer_is_shared_as_partial_and_not_kept() -> None:
    async with Upstream(numbered(status=206, before_head_s=0.3)) as upstream, cached(upstream) as url:
        answers = await crowd(url, 10)
        assert {(number(each), each.header("saga-partial")) for each in answers} == {(1, "anytime")}
        assert len(upstream.sent) == 1
        assert await events(url, "store") == 0
        assert number(await ask(url)) == 2


async def test_nothing_is_left_behind() -> None:
    before = len(asyncio.all_tasks())
    async with Upstream(numbered(before_head_s=0.05)) as upstream, cached(upstream) as url:
        idle = len(asyncio.all_tasks())
        for _ in range(10):
            writers = [await leaving(url) for _ in range(10)]
            await asyncio.sleep(0.02)
            for writer in writers:
                writer.transport.abort()
        await asyncio.sleep(0.3)
        # The last departures may still be on their way through the event loop; connections of the upstream stay.
        assert len(asyncio.all_tasks()) <= idle + upstream.connections
    await asyncio.sleep(0.1)
    assert len(asyncio.all_tasks()) <= before
