"""All of them together, while clients leave at any moment: no place, turn, count or socket is lost."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from tests import fronts, stage, wire
from tests.bench.departures.traces import kept_connections, traces
from tests.profiles import html_failure, select
from tests.upstream import Answer, Sent, Upstream

_PLACES = 4
_PLUGINS = ["plugins.limits", "plugins.admin", "plugins.breaker", "plugins.limits.turns"]
_SMALL, _LARGE = select(3), select(fronts.LARGE)
_BEHAVIOURS = (
    _SMALL,
    _LARGE,
    Answer(type=_SMALL.type, body=_SMALL.body, before_head_s=0.05),
    Answer(type=_LARGE.type, body=_LARGE.body, framing="chunked", cut=300_000, end="reset"),
    Answer(raw=b"", end="reset"),
    Answer(status=400, type="text/plain", body=b"malformed"),
    html_failure(),
)
_TEXT = "SELECT * {{ ?s ?p {} }}"


def _behave(sent: Sent) -> Answer:
    """Do what the query says; whatever else is asked, such as whether one lives, is answered."""
    number = next((n for n in range(len(_BEHAVIOURS)) if sent.text == _TEXT.format(n)), None)
    return Answer() if number is None else _BEHAVIOURS[number]


async def test_300_visits_and_departures_leave_everything_as_it_was() -> None:
    chance = random.Random(5)
    tables: dict[str, Any] = {
        "server": {"trusted_proxies": ["127.0.0.1"]},
        "endpoints": {"up": {"concurrency": _PLACES, "queue": 8, "queue_s": 0.5}},
        "plugins": {"enabled": _PLUGINS},
        "limits": {"requests_per_minute": 0, "concurrent": 6, "upstream_s_per_minute": 0},
        "breaker": {"failures": 10_000},
    }

    async def visit(base: str) -> None:
        headers = {"X-Forwarded-For": f"192.0.2.{chance.randrange(4)}", "X-Request-Id": f"id-{chance.randrange(6)}"}
        text = _TEXT.format(chance.randrange(len(_BEHAVIOURS)))
        asked = asyncio.ensure_future(wire.post(f"{base}/sparql", {"query": text}, headers))
        if chance.random() < 0.4:
            await asyncio.sleep(chance.random() * 0.1)
            asked.cancel()
        elif chance.random() < 0.3:
            await asyncio.sleep(chance.random() * 0.1)
            await wire.send(f"{base}/admin/queries/{headers['X-Request-Id']}", "DELETE")
        await asyncio.gather(asked, return_exceptions=True)

    async def settled(base: str) -> None:
        for _ in range(100):
            if not await fronts.counted(base, "saga_inflight_queries"):
                break
            await asyncio.sleep(0.02)
        # A departure counts as one after a quarter of a second: until then the client may only have stopped to send.
        await asyncio.sleep(0.4)
        assert (await wire.get(f"{base}/admin/queries")).json["queries"] == []

    async with Upstream(_behave) as upstream:
        tables["endpoints"]["up"]["url"] = upstream.url
        async with stage.proxy(tables) as base:
            await asyncio.gather(*(visit(base) for _ in range(12)))
            await settled(base)
            before = traces(kept_connections(upstream.url))
            for _ in range(25):
                await asyncio.gather(*(visit(base) for _ in range(12)))
            await settled(base)
            for _ in range(60):
                now = traces(kept_connections(upstream.url))
                if (now.tasks, now.descriptors) == (before.tasks, before.descriptors):
                    break
                await asyncio.sleep(0.05)
            assert (now.tasks, now.descriptors) == (before.tasks, before.descriptors)
            await _all_places_are_free(base)


async def _all_places_are_free(base: str) -> None:
    """Fill every turn and the whole line with slow queries of clients who each may have six."""
    slow = _TEXT.format(2)
    asked = [
        wire.post(f"{base}/sparql", {"query": slow}, {"X-Forwarded-For": f"192.0.2.{n % 4}"}) for n in range(4 + 8)
    ]
    assert [answer.status for answer in await asyncio.gather(*asked)] == [200] * 12
