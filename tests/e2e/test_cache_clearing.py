"""What makes the cache forget: updates through the proxy, and an admin."""

from __future__ import annotations

import asyncio

import pytest

from tests import stage, wire
from tests.cached import ask, cached, events, number, numbered, table
from tests.upstream import Answer, Upstream


async def test_an_update_makes_its_endpoint_forget() -> None:
    ok, refused, lost = Answer(status=204, body=b""), Answer(status=400, body=b"no"), Answer(raw=b"")
    count = 0

    def script(sent: object) -> Answer:
        nonlocal count
        count += 1
        return {2: ok, 4: refused, 5: lost}.get(count, Answer(body=table(count)))

    async with Upstream(script) as upstream, cached(upstream) as url:
        update = {"update": "INSERT DATA { <urn:s> <urn:p> 1 }"}
        assert number(await ask(url)) == 1
        assert (await wire.post(url, update)).status == 204
        assert number(await ask(url)) == 3
        assert (await wire.post(url, update)).status == 400
        assert number(await ask(url)) == 3
        assert (await wire.post(url, update)).status == 502
        assert number(await ask(url)) == 6
        assert await events(url, "bypass") == 0


async def test_a_read_that_began_before_an_update_is_not_given_after_it() -> None:
    slow = Answer(body=table(1), before_head_s=0.5)
    answers = [slow, Answer(status=204, body=b""), Answer(body=table(3))]
    async with Upstream(*answers) as upstream, cached(upstream) as url:
        early = asyncio.ensure_future(ask(url))
        await upstream.arrival(1)
        assert (await wire.post(url, {"update": "INSERT DATA { <urn:s> <urn:p> 1 }"})).status == 204
        late = await ask(url)
        assert (number(await early), number(late), number(await ask(url))) == (1, 3, 3)


async def test_an_admin_clears_one_endpoint_or_all() -> None:
    async with Upstream(numbered()) as upstream, cached(upstream) as url:
        admin = url.removesuffix("/sparql") + "/admin/cache"
        assert number(await ask(url)) == 1
        assert (await wire.get(f"{admin}/up", method="DELETE")).json == {"cleared": ["up"]}
        assert number(await ask(url)) == 2
        assert (await wire.get(admin, method="DELETE")).json == {"cleared": ["up"]}
        assert number(await ask(url)) == 3
        missing = await wire.get(f"{admin}/other", method="DELETE")
        assert (missing.status, missing.json["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "headers",
    [{"X-Forwarded-For": "127.0.0.1"}, {"Origin": "https://example.org"}, {"Sec-Fetch-Site": "cross-site"}],
)
async def test_clearing_needs_the_right_unless_this_machine_asks_itself(headers: dict[str, str]) -> None:
    async with Upstream() as upstream:
        tables = {"endpoints": {"up": {"url": upstream.url}}, "plugins": {"enabled": ["plugins.cache"]}}
        async with stage.proxy(tables) as base:
            assert (await wire.get(f"{base}/admin/cache", {}, headers, method="DELETE")).status == 403
            assert (await wire.get(f"{base}/admin/cache", method="DELETE")).status == 200
