"""How old an answer may be: what clients ask for, what they have already, and when a stale one will do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cached import ask, cached, events, number, numbered, table
from tests.upstream import Answer, Upstream


async def test_a_client_that_has_the_answer_gets_304() -> None:
    async with Upstream(numbered()) as upstream, cached(upstream) as url:
        first = await ask(url)
        etag = first.header("etag") or ""
        assert etag.startswith('W/"json-')
        for named in (etag, etag.removeprefix("W/"), f'"x", {etag}', "*"):
            unchanged = await ask(url, If_None_Match=named)
            assert (unchanged.status, unchanged.body, unchanged.header("etag")) == (304, b"", etag)
            assert unchanged.header("age") == "0"
        for named in ('"x"', etag[:-2] + '"'):
            assert (await ask(url, If_None_Match=named)).status == 200
        assert len(upstream.sent) == 1


async def test_a_client_may_want_a_new_answer_or_none_kept() -> None:
    async with Upstream(numbered()) as upstream, cached(upstream) as url:
        for control, expected in (
            ("", 1), ("max-age=60", 1), ("no-cache", 2), ("", 2), ("max-age=0", 3), ("no-store", 4), ("", 3),
            ("max-age=nonsense", 5), ("private=x, NO-CACHE", 6),
        ):  # fmt: skip
            assert number(await ask(url, Cache_Control=control)) == expected, control
    async with Upstream(numbered()) as upstream, cached(upstream, obey_clients=False) as url:
        for control in ("", "no-cache", "no-store"):
            assert number(await ask(url, Cache_Control=control)) == 1


async def test_an_answer_ends_with_its_time_and_an_endpoint_may_have_its_own() -> None:
    async with Upstream(numbered()) as upstream, cached(upstream, ttl_s=0.2, jitter=0.0) as url:
        assert [number(await ask(url)), number(await ask(url))] == [1, 1]
        await asyncio.sleep(0.25)
        assert number(await ask(url)) == 2
    async with Upstream(numbered()) as upstream, cached(upstream, endpoints={"up": {"ttl_s": 0.0}}) as url:
        assert [number(await ask(url)), number(await ask(url))] == [1, 2]


async def test_a_stale_answer_is_given_while_a_new_one_is_fetched() -> None:
    options: dict[str, Any] = {"ttl_s": 0.2, "jitter": 0.0, "stale_while_revalidate_s": 30.0}
    async with Upstream(numbered()) as upstream, cached(upstream, **options) as url:
        assert number(await ask(url)) == 1
        await asyncio.sleep(0.3)
        stale = await ask(url)
        assert number(stale) == 1
        assert stale.header("cache-status") in ("saga; hit; ttl=0", "saga; hit; ttl=-1")
        await upstream.arrival(2)
        await asyncio.sleep(0.05)
        assert number(await ask(url)) == 2
        await asyncio.sleep(0.3)
        assert number(await ask(url, Cache_Control="max-age=60")) == 3
        assert await events(url, "stale") == 1


@pytest.mark.parametrize(
    "bad",
    [Answer(status=503, body=b"busy"), Answer(raw=b""), Answer(body=table(2), cut=40, end="close")],
    ids=["busy", "gone", "cut"],
)
async def test_a_stale_answer_stands_in_where_the_endpoint_fails(bad: Answer) -> None:
    options: dict[str, Any] = {"ttl_s": 0.2, "jitter": 0.0, "stale_if_error_s": 30.0}
    async with Upstream(Answer(body=table(1)), bad) as upstream, cached(upstream, **options) as url:
        assert number(await ask(url)) == 1
        await asyncio.sleep(0.3)
        stale = await ask(url)
        assert number(stale) == 1
        assert (stale.header("cache-status") or "").startswith("saga; fwd=stale; fwd-status=50")
        assert (await ask(url, Cache_Control="no-cache")).status in (502, 503)
        assert await events(url, "stale") == 1
