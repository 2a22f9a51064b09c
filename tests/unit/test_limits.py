# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from plugins.limits import Limits
from plugins.limits.account import Accounts, Allowance
from plugins.limits.bucket import Bucket
from plugins.limits.client import client_of
from plugins.limits.waiting import note_wait
from proxy.config import read_table
from proxy.contract import Caller, Context, Query, Reply
from proxy.errors import BadQuery, ConfigError, ProxyError, TooMany, UpstreamFailed
from proxy.loader import check
from tests.embedded import query


class Clock:
    """Time that passes when it is told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def _rows() -> AsyncIterator[bytes]:
    yield b"{}"


class Endpoint:
    """Answer after so many seconds of the clock, or fail; replies are released by the test."""

    def __init__(self, clock: Clock, takes_s: float = 0.0, fails: BaseException | None = None) -> None:
        self.clock = clock
        self.takes_s = takes_s
        self.fails = fails
        self.queue_s = 0.0
        self.asked = 0
        self.freed = 0

    async def run(self, query: Query) -> Reply:
        self.asked += 1
        self.clock.now += self.queue_s
        note_wait(self.queue_s)
        self.clock.now += self.takes_s
        if self.fails:
            raise self.fails

        async def release() -> None:
            self.freed += 1

        return Reply(format=None, chunks=_rows(), release=release, queue_s=self.queue_s)


def limits(**table: Any) -> Limits:
    return Limits(read_table(Limits.Options, table, "limits", Path()))


class Stage:
    """One plugin in front of one endpoint, and a clock."""

    def __init__(self, plugin: Limits) -> None:
        self.clock = Clock()
        self.endpoint = Endpoint(self.clock)
        self.plugin = plugin

    async def ask(self, address: str = "192.0.2.1", key: str | None = None) -> Reply:
        asked = replace(query("ASK {}"), caller=Caller(address=address, key=key))
        return await self.plugin.query(asked, self.endpoint.run)

    async def whole(self, address: str = "192.0.2.1", key: str | None = None) -> None:
        await (await self.ask(address, key)).aclose()


@pytest.fixture
async def started(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    made = Stage(limits(**getattr(request, "param", {})))
    nothing = cast(Any, None)
    context = Context(run=made.endpoint.run, endpoints={}, tables={}, prefixes={}, metrics=nothing, clock=made.clock)
    async with made.plugin.lifespan(context):
        yield made


@contextmanager
def refused(retry_after: str) -> Iterator[None]:
    with pytest.raises(TooMany) as caught:
        yield
    assert caught.value.headers == {"Retry-After": retry_after}
    assert f"Try again in {retry_after} s." in caught.value.detail


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("192.0.2.7", "address 192.0.2.7"),
        ("::ffff:192.0.2.7", "address 192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "address 2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "address 2001:db8:1:2::/64"),
        ("fe80::1%eth0", "address fe80::/64"),
        ("unknown", "address unknown"),
        ("x" * 10_000, "address " + "x" * 64),
    ],
)
def test_a_client_is_an_ipv4_address_or_a_64_of_ipv6(address: str, name: str) -> None:
    assert client_of(Caller(address=address)) == name


def test_a_key_is_one_client_from_anywhere_and_never_an_address() -> None:
    assert client_of(Caller(address="192.0.2.7", key="bot")) == client_of(Caller(address="::1", key="bot")) == "key bot"


def test_a_bucket_fills_evenly_never_above_a_minute_and_from_below_zero() -> None:
    bucket = Bucket(60, 0.0)
    bucket.take(60, 0.0)
    assert (bucket.wait_s(1, 0.0), bucket.wait_s(1, 0.5), bucket.wait_s(1, 1.0)) == (1.0, 0.5, 0.0)
    bucket.take(100, 1000.0)
    assert bucket.wait_s(1, 1000.0) == pytest.approx(41.0)
    assert bucket.wait_s(1, 1041.0) == pytest.approx(0.0)
    # Less than one per minute still lets one through at a time.
    assert Bucket(0.5, 0.0).wait_s(1, 0.0) == 0.0


@pytest.mark.parametrize("started", [{"requests_per_minute": 3}], indirect=True)
async def test_P51_the_request_above_the_limit_is_429_with_the_seconds_to_wait(started: Stage) -> None:
    for _ in range(3):
        await started.whole()
    with refused("20"):
        await started.ask()
    assert started.endpoint.asked == 3
    await started.whole("192.0.2.2")
    started.clock.now += 19.0
    with refused("1"):
        await started.ask()
    started.clock.now += 1.0
    await started.whole()


@pytest.mark.parametrize("started", [{"concurrent": 2}], indirect=True)
async def test_so_many_run_at_once_and_the_end_of_one_makes_room(started: Stage) -> None:
    first, _ = await started.ask(), await started.ask()
    with refused("2"):
        await started.ask()
    await first.aclose()
    await first.aclose()
    await started.ask()
    with refused("2"):
        await started.ask()


@pytest.mark.parametrize("started", [{"upstream_s_per_minute": 60}], indirect=True)
async def test_seconds_of_the_endpoint_are_counted_to_the_release_without_the_queue(started: Stage) -> None:
    started.endpoint.queue_s, started.endpoint.takes_s = 500.0, 10.0
    reply = await started.ask()
    started.clock.now += 90.0
    await reply.aclose()
    # 100 s of the 60 s: forty below zero.
    started.endpoint.queue_s, started.endpoint.takes_s = 0.0, 0.0
    with refused("41"):
        await started.ask()
    started.clock.now += 41.0
    # Whatever is left is enough to start with.
    await started.whole()


@pytest.mark.parametrize("started", [{"upstream_s_per_minute": 60}], indirect=True)
@pytest.mark.parametrize(
    ("error", "costs"),
    [(UpstreamFailed("no"), True), (asyncio.CancelledError(), True), (BadQuery("no"), False)],
    ids=["failed", "left", "malformed"],
)
async def test_a_failure_costs_its_time_and_a_refusal_nothing(
    started: Stage, error: BaseException, costs: bool
) -> None:
    started.endpoint.takes_s, started.endpoint.fails = 300.0, error
    with pytest.raises((ProxyError, asyncio.CancelledError)):
        await started.ask()
    started.endpoint.fails = None
    if not costs:
        await started.whole()
        return
    with refused("241"):
        await started.ask()


@pytest.mark.parametrize("started", [{"upstream_s_per_minute": 60}], indirect=True)
async def test_who_left_while_it_waited_for_its_turn_pays_nothing(started: Stage) -> None:
    started.endpoint.queue_s, started.endpoint.fails = 300.0, asyncio.CancelledError()
    with pytest.raises(asyncio.CancelledError):
        await started.ask()
    started.endpoint.fails = None
    await started.whole()


@pytest.mark.parametrize("started", [{"concurrent": 1}], indirect=True)
@pytest.mark.parametrize("error", [UpstreamFailed("no"), asyncio.CancelledError(), ZeroDivisionError()], ids=repr)
async def test_whatever_goes_wrong_gives_the_place_back(started: Stage, error: BaseException) -> None:
    started.endpoint.fails = error
    with pytest.raises(type(error)):
        await started.ask()
    started.endpoint.fails = None
    await started.whole()


_KEYS = {"requests_per_minute": 1, "keys": {"bot": {"requests_per_minute": 3}, "root": {"requests_per_minute": 0}}}


@pytest.mark.parametrize("started", [_KEYS], indirect=True)
async def test_a_key_has_limits_of_its_own_and_the_rest_as_everybody(started: Stage) -> None:
    for _ in range(3):
        await started.whole(key="bot")
    with refused("20"):
        await started.ask(key="bot")
    for _ in range(100):
        await started.whole(key="root")
    await started.whole(key="other")
    with refused("60"):
        await started.ask(key="other")
    # 20 at once are everybody's, also a key's that has no limit of requests.
    for _ in range(20):
        await started.ask(key="root")
    with refused("2"):
        await started.ask(key="root")


_EXEMPT = {"requests_per_minute": 1, "exempt": ["127.0.0.0/8", "2001:db8::/32"]}


@pytest.mark.parametrize("started", [_EXEMPT], indirect=True)
async def test_exempt_networks_have_no_limits_and_others_do(started: Stage) -> None:
    for address in ("127.0.0.1", "::ffff:127.0.0.9", "2001:db8:5::1"):
        for _ in range(50):
            await started.whole(address)
    for address in ("::1", "unknown"):
        await started.whole(address)
        with refused("60"):
            await started.ask(address)


@pytest.mark.parametrize("started", [{"requests_per_minute": 1, "upstream_s_per_minute": 30}], indirect=True)
async def test_queries_of_a_question_are_no_requests_and_take_time_all_the_same(started: Stage) -> None:
    asked = replace(query("ASK {}"), source="nl", caller=Caller(address="192.0.2.1"))
    started.endpoint.takes_s = 10.0
    for _ in range(5):
        await (await started.plugin.query(asked, started.endpoint.run)).aclose()
    with refused("1"):
        await started.plugin.query(asked, started.endpoint.run)
    assert started.endpoint.asked == 5


@pytest.mark.parametrize("started", [{"requests_per_minute": 0, "concurrent": 0}], indirect=True)
async def test_zero_is_without_a_limit(started: Stage) -> None:
    for _ in range(1000):
        await started.ask()


def test_a_wrong_network_stops_the_start_with_its_place() -> None:
    with pytest.raises(ConfigError, match=r"limits\.exempt\[1\]: .*10\.0\.0\.1/8"):
        limits(exempt=["::1", "10.0.0.1/8"])


def test_clients_are_forgotten_oldest_first_but_never_one_that_runs() -> None:
    clock = Clock()
    accounts = Accounts(3, clock)
    allowed = Allowance(requests_per_minute=1, concurrent=0, upstream_s_per_minute=0)
    accounts.of("busy", allowed).enter(1)
    for n in range(1000):
        accounts.of(f"client {n}", allowed).enter(1)
        accounts.of(f"client {n}", allowed).leave(0)
        assert len(accounts) <= 3
    assert accounts.of("busy", allowed).running == 1
    # The newest ones are still known: their one query per minute is spent.
    with refused("60"):
        accounts.of("client 999", allowed).enter(1)
    accounts.of("client 5", allowed).enter(1)


def test_who_was_seen_lately_is_remembered_longer() -> None:
    accounts = Accounts(2, Clock())
    allowed = Allowance(requests_per_minute=1, concurrent=0, upstream_s_per_minute=0)
    first, second = accounts.of("first", allowed), accounts.of("second", allowed)
    assert accounts.of("first", allowed) is first
    accounts.of("third", allowed)
    assert accounts.of("first", allowed) is first
    assert accounts.of("second", allowed) is not second


def test_limits_of_a_key_that_does_not_exist_stop_the_start_with_the_nearest_one() -> None:
    tables = {
        "endpoints": {"up": {"url": "http://127.0.0.1:9/"}},
        "keys": {"robot": {"sha256": "a" * 64}},
        "plugins": {"enabled": ["plugins.limits"]},
        "limits": {"keys": {"robto": {"concurrent": 1}}},
    }
    with pytest.raises(ConfigError, match=r"limits\.keys\.robto: unknown key; did you mean `robot`\?"):
        check(tables, Path())
    tables["limits"] = {"keys": {"robot": {"concurrent": 1}}}
    check(tables, Path())
    del tables["keys"]
    with pytest.raises(ConfigError, match=r"limits\.keys\.robot: there is no table \[keys\.robot\]"):
        check(tables, Path())
