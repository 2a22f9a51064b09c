"""The remote search against a fake of Wikidata's API: what it finds, and every way in which it may fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from plugins.search.hit import Kind
from plugins.search.remote import Remote
from proxy.errors import UpstreamBusy, UpstreamFailed, UpstreamTimeout
from tests import stage
from tests.unit.search.fake_api import FakeApi, fake_api, result

KNOWN = {
    "item": [
        result("Q64", "Berlin", "capital of Germany"),
        result("Q821244", "Berlin"),
        result("Q5086", "Berlin Wall"),
    ],
    "property": [result("P1", "berlin number")],
}


@dataclass
class Clock:
    """A clock that a test moves."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(headers={"User-Agent": "Saga (me@example.org)"}) as made:
        yield made


def remote(session: aiohttp.ClientSession, fake: FakeApi, clock: Clock | None = None, seconds: float = 20.0) -> Remote:
    return Remote(session, fake.template, seconds, 2, clock or Clock())


async def test_hits_come_in_the_order_of_the_api_and_say_where_from(session: aiohttp.ClientSession) -> None:
    async with fake_api(known=KNOWN) as fake:
        hits = await remote(session, fake).find("Berlin", "entity", "de", 10)
        assert [(hit.id, hit.match, hit.source, hit.kind) for hit in hits] == [
            (name, "remote", "remote", "entity") for name in ("Q64", "Q821244", "Q5086")
        ]
        assert (hits[0].iri, hits[0].label, hits[0].text) == ("http://www.wikidata.org/entity/Q64", "Berlin", "Berlin")
        assert (hits[0].description, hits[0].language) == ("capital of Germany", "en")
        assert fake.asked[0]["language"] == "de"
        assert fake.agents == ["Saga (me@example.org)"]


@pytest.mark.parametrize(
    ("kind", "types"), [("entity", ["item"]), ("property", ["property"]), (None, ["item", "property"])]
)
async def test_each_kind_is_asked_for(session: aiohttp.ClientSession, kind: Kind | None, types: list[str]) -> None:
    async with fake_api(known=KNOWN) as fake:
        hits = await remote(session, fake).find("Berlin", kind, "", 3)
        assert [asked["type"] for asked in fake.asked] == types
        assert len(hits) <= 3
        assert {hit.kind for hit in hits} == ({kind} if kind else {"entity", "property"})


@pytest.mark.parametrize("text", ["a&type=property&limit=50", "ü 柏林 {text}", "\0", "\ud800", "x" * 1_000_000, "#?%"])
async def test_any_text_is_one_parameter(session: aiohttp.ClientSession, text: str) -> None:
    async with fake_api(known=KNOWN) as fake:
        await remote(session, fake).find(text, "entity", "en&x=y", 5)
        (asked,) = fake.asked
        assert asked["search"] == text.encode("utf-8", "replace").decode()[:250]
        assert (asked["type"], asked["limit"], asked["language"]) == ("item", "5", "en&x=y")


async def test_no_more_is_asked_for_than_the_api_gives(session: aiohttp.ClientSession) -> None:
    async with fake_api(known=KNOWN) as fake:
        await remote(session, fake).find("Berlin", "entity", "", 100)
        assert fake.asked[0]["limit"] == "50"


BROKEN: list[dict[str, Any]] = [
    {"status": 500},
    {"status": 404},
    {"status": 403},
    {"status": 204},
    {"body": b""},
    {"body": b"<html>"},
    {"body": b"[]"},
    {"body": b"null"},
    {"body": b'{"search": 5}'},
    {"body": b'{"search": {"id": "Q1"}}'},
    {"body": b'{"error": {"code": "missingparam", "info": "x"}}'},
    {"body": b"\xff\xfe"},
    {"body": b"[" * 200_000},
    {"body": b'{"search": [' + b"1," * 600_000 + b"1]}"},
    {"status": 302, "headers": {"Location": "http://127.0.0.1:1/"}},
    {"body": b"x", "headers": {"Content-Encoding": "gzip"}},
    {"body": b'{"search": ['},
]


@pytest.mark.parametrize("told", BROKEN, ids=range(len(BROKEN)))
async def test_what_it_cannot_use_is_a_failure(session: aiohttp.ClientSession, told: dict[str, Any]) -> None:
    async with fake_api(**told) as fake:
        with pytest.raises(UpstreamFailed):
            await remote(session, fake).find("Berlin", "entity", "", 5)


GARBAGE: list[object] = [
    5,
    None,
    [],
    {},
    {"id": "Q1"},
    {"id": 5, "concepturi": "http://e.org/"},
    {"id": "Q1", "concepturi": "javascript:x"},
    {"id": "Q1", "concepturi": "http://e.org/> } DROP ALL"},
    {"id": "Q 1", "concepturi": "http://e.org/"},
    {"id": "Q1", "concepturi": "http://e.org/" + "x" * 5000},
]


async def test_results_that_say_not_what_they_are_are_left_out(session: aiohttp.ClientSession) -> None:
    odd = {"id": "Q2", "concepturi": "http://e.org/Q2", "label": ["x"], "match": 5, "description": {"a": 1}}
    async with fake_api(known={"item": []}) as fake:
        fake.body = json.dumps({"search": [*GARBAGE, odd, result("Q64", "Berlin")]}).encode()
        hits = await remote(session, fake).find("Berlin", "entity", "", 50)
        assert [(hit.id, hit.label) for hit in hits] == [("Q2", ""), ("Q64", "Berlin")]


async def test_nothing_found_is_no_failure(session: aiohttp.ClientSession) -> None:
    async with fake_api(known=KNOWN) as fake:
        asking = remote(session, fake)
        assert await asking.find("nobody", None, "", 5) == []
        assert len(await asking.find("Berlin", "entity", "", 5)) == 3


@pytest.mark.parametrize(
    ("status", "retry", "wait_s"), [(429, "7", 7), (503, "", 5), (429, "99999", 300), (429, "soon", 5)]
)
async def test_it_waits_as_long_as_it_is_asked_to(
    session: aiohttp.ClientSession, status: int, retry: str, wait_s: int
) -> None:
    clock = Clock()
    async with fake_api(known=KNOWN, status=status, headers={"Retry-After": retry} if retry else {}) as fake:
        asking = remote(session, fake, clock)
        with pytest.raises(UpstreamBusy) as refused:
            await asking.find("Berlin", "entity", "", 5)
        assert refused.value.headers["Retry-After"] == str(wait_s)
        fake.status = 200
        clock.now = wait_s - 0.1
        with pytest.raises(UpstreamBusy):
            await asking.find("Berlin", "entity", "", 5)
        assert len(fake.asked) == 1
        clock.now = wait_s + 0.1
        assert len(await asking.find("Berlin", "entity", "", 5)) == 3


async def test_a_slow_one_is_left_after_its_time(session: aiohttp.ClientSession) -> None:
    async with fake_api(known=KNOWN, hold=asyncio.Event()) as fake:
        asking = remote(session, fake, seconds=0.2)
        with pytest.raises(UpstreamTimeout):
            await asking.find("Berlin", "entity", "", 5)
        with pytest.raises(UpstreamBusy):
            await asking.find("Berlin", "entity", "", 5)
        assert len(fake.asked) <= 1


async def test_a_dead_one_is_a_failure_and_is_left_alone_for_a_while(session: aiohttp.ClientSession) -> None:
    asking = Remote(session, f"http://127.0.0.1:{stage.free_port()}/?q={{text}}", 20.0, 2, Clock())
    with pytest.raises(UpstreamFailed):
        await asking.find("Berlin", None, "", 5)
    with pytest.raises(UpstreamBusy):
        await asking.find("Berlin", None, "", 5)


async def test_so_many_are_asked_at_once_and_no_more(session: aiohttp.ClientSession) -> None:
    async with fake_api(known=KNOWN, hold=asyncio.Event()) as fake:
        assert fake.hold is not None
        asking = remote(session, fake)
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(asking.find("Berlin", "entity", "", 5)) for _ in range(6)]
            await fake.arrival(2)
            # Others that were let through would come within moments of these.
            await asyncio.sleep(0.05)
            assert len(fake.asked) == 2
            fake.hold.set()
        assert all(len(task.result()) == 3 for task in running)
        assert len(fake.asked) == 6
