"""Look-ups: batched, cached, few at a time, never waited for longer than their budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plugins.schema.facts import LOOKUP, Budget, Facts
from plugins.schema.guard import GuardEndpoint, look_ups_at_once
from plugins.schema.vocabulary import vocabulary
from proxy.contract import Dataset, Query, Reply
from proxy.errors import ProxyError, TooMany, UpstreamFailed
from proxy.results.formats import Format
from proxy.settings import EndpointTable
from tests.unit.schema.demo_schema import DIRECT, item

NONE = Dataset()
CITY, BERLIN = item("Q515"), item("Q64")


def row(subject: str, used: str, value: str = "", kind: str = "uri") -> dict[str, Any]:
    place = {BERLIN: "0"}.get(subject, "1")
    found = {"s": {"type": "literal", "value": place}, "p": {"type": "uri", "value": used}}
    return {**found, "c": {"type": kind, "value": value}} if value else found


class Endpoint:
    """Answer as told, and remember what was asked."""

    def __init__(self, *answers: Any, wait_s: float = 0.0) -> None:
        self.answers = list(answers)
        self.asked: list[Query] = []
        self.wait_s = wait_s
        self.at_once = self.most_at_once = 0

    async def run(self, query: Query) -> Reply:
        self.asked.append(query)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.wait_s)
        finally:
            self.at_once -= 1
        body = {"boolean": answer} if isinstance(answer, bool) else answer
        if isinstance(answer, list):
            body = {"head": {"vars": []}, "results": {"bindings": answer}}
        return Reply(format=Format.JSON, chunks=_once(json.dumps({"head": {}, **body}).encode()))


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def facts(endpoint: Endpoint, clock: Callable[[], float] | None = None, **budget: Any) -> Facts:
    made = replace(Budget(types_s=0.2, ask_s=0.2), **budget)
    return Facts(endpoint.run, "demo", vocabulary("wikidata"), made, clock or Clock())


ROWS = [
    row(BERLIN, DIRECT + "P17"),
    row(BERLIN, DIRECT + "P31"),
    row(BERLIN, DIRECT + "P31", CITY),
    row(BERLIN, DIRECT + "P279", item("Q7")),
    row(BERLIN, "http://www.w3.org/2000/01/rdf-schema#label", "Berlin", "literal"),
    row(item("Q1"), DIRECT + "P31", CITY),
    row(BERLIN, DIRECT + "P31", "some value", "bnode"),
]


async def test_one_query_gives_types_superclasses_label_and_properties() -> None:
    endpoint = Endpoint(ROWS)
    found = (await facts(endpoint).about([BERLIN, item("Q2")], NONE, 1.0))[BERLIN]
    assert (found.types, found.superclasses, found.label) == ((CITY,), (item("Q7"),), "Berlin")
    assert found.present == {DIRECT + "P17", DIRECT + "P31"}
    assert found.entity.classes == (CITY, item("Q7"))
    assert len(endpoint.asked) == 1
    assert LOOKUP in endpoint.asked[0].hints
    assert endpoint.asked[0].syntax.checked


async def test_constants_are_asked_in_batches_and_once() -> None:
    endpoint = Endpoint([])
    asking = facts(endpoint)
    many = [item(f"Q{number}") for number in range(40)]
    assert len(await asking.about(many, NONE, 1.0)) == 40
    assert len(endpoint.asked) == 3
    await asking.about(many, NONE, 1.0)
    assert len(endpoint.asked) == 3
    await asking.about(many[:1], Dataset(default=("http://e.org/g",)), 1.0)
    assert len(endpoint.asked) == 4
    assert endpoint.asked[-1].dataset.default == ("http://e.org/g",)


async def test_the_same_question_at_the_same_time_is_asked_once() -> None:
    endpoint = Endpoint(True, wait_s=0.02)
    asking = facts(endpoint)
    answers = await asyncio.gather(*(asking.ask("?s ?p ?o", NONE, 1.0) for _ in range(20)))
    assert answers == [True] * 20
    assert len(endpoint.asked) == 1


async def test_few_run_at_the_same_time() -> None:
    endpoint = Endpoint(False, wait_s=0.01)
    asking = facts(endpoint, concurrency=2)
    answers = await asyncio.gather(*(asking.ask(f"?s <p:{n}> ?o", NONE, 1.0) for n in range(10)))
    assert answers == [False] * 10
    assert endpoint.most_at_once == 2


async def test_what_is_late_is_unknown_and_kept_for_the_next() -> None:
    endpoint = Endpoint(True, wait_s=0.1)
    asking = facts(endpoint)
    started = asyncio.get_running_loop().time()
    assert await asking.ask("?s ?p ?o", NONE, 0.02) is None
    assert asyncio.get_running_loop().time() - started < 0.09
    await asyncio.sleep(0.15)
    assert await asking.ask("?s ?p ?o", NONE, 0.0) is True


async def test_what_hangs_is_ended_and_after_some_the_endpoint_is_left_alone() -> None:
    clock = Clock()
    endpoint = Endpoint(True, wait_s=10.0)
    asking = facts(endpoint, clock, ask_s=0.02)
    for number in range(6):
        assert await asking.ask(f"?s <p:{number}> ?o", NONE, 1.0) is None
    assert len(endpoint.asked) == 3
    assert endpoint.at_once == 0
    clock.now += 11
    await asking.ask("?s ?p ?o", NONE, 1.0)
    assert len(endpoint.asked) == 4


async def test_a_429_pauses_for_as_long_as_it_says() -> None:
    clock = Clock()
    endpoint = Endpoint(TooMany("no", headers={"Retry-After": "30"}), True)
    asking = facts(endpoint, clock)
    assert await asking.ask("?s ?p ?o", NONE, 1.0) is None
    clock.now += 29
    assert await asking.ask("?s ?p ?o", NONE, 1.0) is None
    assert len(endpoint.asked) == 1
    clock.now += 2
    assert await asking.ask("?s ?p ?o", NONE, 1.0) is True


@pytest.mark.parametrize("error", [UpstreamFailed("gone"), ProxyError("odd")])
async def test_a_failure_is_an_answer_that_nobody_has(error: ProxyError) -> None:
    asking = facts(Endpoint(error))
    assert await asking.ask("?s ?p ?o", NONE, 1.0) is None
    assert await asking.about([BERLIN], NONE, 1.0) == {}


async def test_a_fault_of_ours_reaches_the_one_who_waits() -> None:
    asking = facts(Endpoint(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        await asking.ask("?s ?p ?o", NONE, 1.0)


@pytest.mark.parametrize("answer", [{"results": {}}, {"results": {"bindings": [{}]}}, {"boolean": "yes"}])
async def test_an_answer_of_another_shape_says_nothing(answer: dict[str, Any]) -> None:
    asking = facts(Endpoint(answer))
    assert await asking.ask("?s ?p ?o", NONE, 1.0) is None
    assert not (await asking.about([BERLIN], NONE, 1.0))[BERLIN].present


async def test_answers_are_forgotten_in_time_and_on_demand() -> None:
    clock = Clock()
    endpoint = Endpoint(True)
    asking = facts(endpoint, clock, remembered_s=60.0)
    for expected in (1, 1):
        await asking.ask("?s ?p ?o", NONE, 1.0)
        assert len(endpoint.asked) == expected
    clock.now += 61
    await asking.ask("?s ?p ?o", NONE, 1.0)
    assert len(endpoint.asked) == 2
    asking.forget()
    await asking.ask("?s ?p ?o", NONE, 1.0)
    assert len(endpoint.asked) == 3


async def test_what_was_asked_before_an_update_is_not_kept_after_it() -> None:
    endpoint = Endpoint(False, True, wait_s=0.05)
    asking = facts(endpoint)
    early = asyncio.ensure_future(asking.ask("?s ?p ?o", NONE, 1.0))
    await asyncio.sleep(0.01)
    asking.forget()
    assert await early is None
    assert await asking.ask("?s ?p ?o", NONE, 1.0) is True


async def test_memory_is_bounded() -> None:
    rows = [row(item("Q1"), f"{DIRECT}P{number}") for number in range(200)]
    endpoint = Endpoint(rows)
    asking = facts(endpoint, kept_bytes=200_000)
    for number in range(40):
        await asking.about([item("Q2") if number % 2 else item(f"Q{number + 3}"), item("Q1")], NONE, 1.0)
    assert asking._about.currsize <= 100_000
    huge = Endpoint([row(BERLIN, f"{DIRECT}P{number}") for number in range(20_000)])
    assert await facts(huge).about([BERLIN], NONE, 1.0) == {}


async def test_closing_ends_what_runs() -> None:
    endpoint = Endpoint(True, wait_s=10.0)
    asking = facts(endpoint, ask_s=5.0)
    assert await asking.ask("?s ?p ?o", NONE, 0.01) is None
    assert endpoint.at_once == 1
    await asking.aclose()
    assert endpoint.at_once == 0


async def test_a_question_that_runs_while_all_is_forgotten_is_asked_again() -> None:
    endpoint = Endpoint(True, wait_s=0.05)
    known = facts(endpoint)
    first = asyncio.ensure_future(known.ask("?s ?p ?o", NONE, 5.0))
    await asyncio.sleep(0.01)
    known.forget()
    assert await known.ask("?s ?p ?o", NONE, 5.0) is True
    await first
    assert len(endpoint.asked) == 2
    await known.aclose()


@pytest.mark.parametrize(
    ("table", "endpoint", "looked_up"),
    [
        ({}, {"store": "x"}, 1),
        ({}, {"store": "x", "concurrency": 1}, 1),
        ({}, {"store": "x", "concurrency": 4}, 3),
        ({}, {"store": "x", "concurrency": 16}, 4),
        ({}, {"url": "http://e.org/"}, 4),
        ({"concurrency": 1}, {"url": "http://e.org/"}, 1),
    ],
)
def test_look_ups_leave_a_reader_to_clients(table: dict[str, Any], endpoint: dict[str, Any], looked_up: int) -> None:
    given = {**endpoint, "store": Path(endpoint["store"])} if "store" in endpoint else endpoint
    assert look_ups_at_once(GuardEndpoint(**table), EndpointTable(**given)) == looked_up
