"""What is remembered from question to question, by all workers of one machine: conversations, seconds, money.

The workers are real; which of them answers is decided by stopping all others for that long.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests import scripted, wire
from tests.asking import CHILDREN, EVENTS, bearer, dispatched, key, post
from tests.faults.surroundings import fill, small_disk
from tests.served import Served, served
from tests.spending import SPENDS

_ANN, _BOB, _CAT = bearer("ann"), bearer("bob"), bearer("cat")


def config(store: Path, nl: str = "") -> str:
    """Return a file with three keys, of which one has not much money, and all scripted strategies."""
    places = {**scripted.STRATEGIES, "spends": SPENDS}
    strategies = "\n".join(f'{name} = "{place}"' for name, place in places.items())
    return f"""
[endpoints.demo]
store = "{store}"
graph = "wikidata"
[plugins]
enabled = ["plugins.search", "plugins.nl"]
[keys.ann]
sha256 = "{key("ann")["sha256"]}"
rights = ["query", "nl"]
[keys.bob]
sha256 = "{key("bob")["sha256"]}"
rights = ["query", "nl"]
[keys.cat]
sha256 = "{key("cat")["sha256"]}"
rights = ["query", "nl"]
[nl]
strategy = "silent"
{nl}
[nl.strategies]
{strategies}
[nl.keys.cat]
money_per_day = 1.4
"""


@asynccontextmanager
async def two_workers(folder: Path, config: str, **environment: str) -> AsyncIterator[Served]:
    async with served(folder, config, "--workers", "2", environment=environment) as proxy:
        await proxy.logged("worker.ready", 2)
        yield proxy


@contextlib.contextmanager
def only(proxy: Served, worker: int) -> Iterator[str]:
    """Let one worker alone take questions, and yield their address."""
    others = [pid for pid in proxy.workers if pid != worker]
    for pid in others:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield f"{proxy.base}/nl"
    finally:
        for pid in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


async def ask(proxy: Served, worker: int, headers: wire.Headers = _ANN, **fields: Any) -> wire.Received:
    """Ask one of the workers."""
    with only(proxy, worker) as url:
        return await post(url, headers, **fields)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """Serve with two workers and little room for conversations, for all tests that this is enough for."""
    few = config(demo_store, "conversations = 3\nseconds_per_minute = 0")
    async with two_workers(tmp_path_factory.mktemp("served"), few) as proxy:
        yield proxy


async def test_a_conversation_goes_on_in_another_worker_in_json_and_in_events(proxy: Served) -> None:
    one, other = proxy.workers
    first = await ask(proxy, one, question=CHILDREN, language="en", strategy="runs")
    again = {"question": "and his wife?", "strategy": "follows", "conversation": first.json["conversation"]}
    later = await ask(proxy, other, **again)
    assert (later.status, later.json["status"]) == (200, "answered")
    assert later.json["conversation"] == first.json["conversation"]
    assert "Irène Joliot-Curie" in later.json["steps"][0]["text"]
    assert "wdt:P40" in later.json["steps"][0]["text"]
    events = dispatched((await ask(proxy, one, {**_ANN, **EVENTS}, **again)).body)
    assert "before: and his wife?" in events[0][2]["text"]
    assert events[-1][2]["conversation"] == first.json["conversation"]


async def test_it_is_its_callers_and_one_that_nobody_began_is_404_in_every_worker(proxy: Served) -> None:
    for worker, other in (proxy.workers, reversed(proxy.workers)):
        begun = (await ask(proxy, worker, question="who")).json["conversation"]
        for headers, identifier, status in (
            (_ANN, begun, 200),
            (_BOB, begun, 404),
            (wire.NO_HEADERS, begun, 404),
            (_ANN, "made-up", 404),
            (_ANN, begun[:-1], 404),
        ):
            received = await ask(proxy, other, headers, question="who", conversation=identifier)
            assert received.status == status
            assert status == 200 or received.json["code"] == "not_found"


async def test_questions_at_once_lose_no_turn(proxy: Served) -> None:
    begun = (await post(f"{proxy.base}/nl", _ANN, question="who")).json["conversation"]
    asked = [post(f"{proxy.base}/nl", _ANN, question=f"q{n}", conversation=begun) for n in range(4)]
    assert {each.status for each in await asyncio.gather(*asked)} == {200}
    turns = []
    for worker in itertools.islice(itertools.cycle(proxy.workers), 5):
        fields = {"question": "all", "strategy": "spends", "conversation": begun}
        turns.append((await ask(proxy, worker, **fields)).json["steps"][0]["text"].split())
    assert sorted(turns[0]) == ["q0", "q1", "q2", "q3", "who"]
    assert turns[1:] == [[*turns[0][n:], *["all"] * n] for n in range(1, 5)]


async def test_conversations_outlive_a_worker_and_a_reload(proxy: Served) -> None:
    first, ready = proxy.workers[0], len(proxy.log("worker.ready"))
    again: dict[str, Any] = (await ask(proxy, first, question="who")).json
    again = {name: again[name] for name in ("question", "conversation")}
    os.kill(first, signal.SIGKILL)
    await proxy.logged("worker.ready", ready + 1)
    await proxy.until(lambda: len(proxy.workers) == 2, "a new worker")
    for worker in proxy.workers:
        assert (await ask(proxy, worker, **again)).status == 200
    await proxy.reload()
    await proxy.until(lambda: len(proxy.workers) == 2, "the end of the old workers")
    for worker in proxy.workers:
        assert (await ask(proxy, worker, **again)).status == 200


async def test_the_bound_holds_over_all_workers(proxy: Served) -> None:
    one, other = proxy.workers
    begun = [(await ask(proxy, each, question="who")).json["conversation"] for each in (one, other, one, other)]
    found = [(await ask(proxy, other, question="who", conversation=each)).status for each in begun]
    assert found == [404, 200, 200, 200]


async def test_seconds_are_those_of_all_workers(demo_store: Path, tmp_path: Path) -> None:
    async with two_workers(tmp_path, config(demo_store, "seconds_per_minute = 0.2")) as proxy:
        one, other = proxy.workers
        assert (await ask(proxy, one, question="why", strategy="thinks", seconds=1)).status == 200
        for worker in (other, one):
            refused = await ask(proxy, worker, question="why")
            assert (refused.status, refused.json["code"]) == (429, "too_many")
            assert int(refused.header("retry-after") or 0) > 60
        assert (await ask(proxy, other, _BOB, question="why")).status == 200


async def test_the_money_of_a_key_is_that_of_all_workers_and_a_reload_gives_none_back(proxy: Served) -> None:
    one, other = proxy.workers
    for worker in (one, other, one):
        assert (await ask(proxy, worker, _CAT, question="why", strategy="spends")).status == 200
    for reloaded in (False, True):
        if reloaded:
            await proxy.reload()
            await proxy.until(lambda: len(proxy.workers) == 2, "the end of the old workers")
        for worker in proxy.workers:
            refused = await ask(proxy, worker, _CAT, question="why", strategy="spends")
            assert (refused.status, refused.json["code"]) == (429, "too_many")
            assert "money" in refused.json["detail"]
            assert int(refused.header("retry-after") or 0) >= 1
            assert (await ask(proxy, worker, _BOB, question="why", strategy="spends")).status == 200


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "16m") as mounted:
        yield mounted


async def test_on_a_full_disk_each_worker_goes_on_alone_and_says_so_once(
    demo_store: Path, tmp_path: Path, disk: Path
) -> None:
    async with two_workers(tmp_path, config(demo_store), TMPDIR=str(disk)) as proxy:
        one, other = proxy.workers
        begun = (await ask(proxy, one, question="first", strategy="spends")).json["conversation"]
        filler = fill(disk)
        long = "x" * 1900
        for number in range(5):
            received = await ask(proxy, one, _BOB, question=f"{number}{long}")
            assert received.status == 200
            again = {"question": f"{number}{long}", "conversation": received.json["conversation"]}
            assert (await ask(proxy, one, _BOB, **again, strategy="follows")).status == 200
        # What could be written before is still known to all.
        assert (await ask(proxy, other, question="who", conversation=begun)).status == 200
        said = [(each["what"], each["reason"]) for each in proxy.log("nl.not_shared")]
        assert said
        assert len(said) == len(set(said)) <= 4
        filler.unlink()
        later = (await ask(proxy, one, _BOB, question="third")).json["conversation"]
        assert (await ask(proxy, other, _BOB, question="who", conversation=later)).status == 200
        # What was said meanwhile is told to the others, too.
        assert (await ask(proxy, other, _BOB, **again)).status == 200


async def test_a_folder_that_is_lost_costs_no_question_and_a_good_one_is_its_owners(
    demo_store: Path, tmp_path: Path
) -> None:
    async with two_workers(tmp_path, config(demo_store), TMPDIR=str(tmp_path)) as proxy:
        one, other = proxy.workers
        begun = (await ask(proxy, one, question="who")).json["conversation"]
        folder = lose_records(tmp_path)
        for worker in (other, one):
            again = await ask(proxy, worker, question="who", conversation=begun)
            assert again.status == 200
        assert len(proxy.log("nl.not_shared")) <= 4
        assert await proxy.stopped() == 0
        assert not folder.exists()


def lose_records(parent: Path) -> Path:
    """Remove the file that the workers share, and return its folder."""
    (records,) = parent.rglob("nl.records")
    assert records.parent.stat().st_mode & 0o777 == 0o700
    for each in records.parent.glob("nl.records*"):
        each.unlink()
    return records.parent
