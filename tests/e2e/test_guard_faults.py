"""The guard in front of endpoints that are slow, silent, busy or hostile: its client notices nothing."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from plugins.schema.absence import Absence
from plugins.schema.facts import LOOKUP
from proxy.results.formats import Format
from proxy.web import _HINTS
from tests import wire
from tests.e2e.test_guard import guarded
from tests.fronts import counted
from tests.profiles import results, select
from tests.unit.schema.demo_schema import DIRECT, demo_draft, item
from tests.upstream import Answer, Sent, Upstream

BIRTH = {"query": "SELECT ?d { wd:Q142 wdt:P569 ?d }"}
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
EMPTY = b'{"head":{"vars":["d"]},"results":{"bindings":[]}}'


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "demo.saga"
    demo_draft().write(path)
    return path


def lookup(sent: Sent) -> bool:
    return "AS ?s)" in sent.text or "?v0" in sent.text


def split(client: Answer, guard: Answer) -> Callable[[Sent], Answer]:
    """Answer the client's queries in one way, and the guard's own in another."""
    return lambda sent: guard if lookup(sent) else client


def told(label: str) -> Answer:
    """Say that everything is a country of this name, and has nothing else."""

    def row(used: str, value: dict[str, str] | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {"s": {"type": "literal", "value": "0"}, "p": {"type": "uri", "value": used}}
        return {**found, "c": value} if value else found

    rows = [
        row(DIRECT + "P31"),
        row(DIRECT + "P31", {"type": "uri", "value": item("Q3624078")}),
        row(LABEL, {"type": "literal", "value": label}),
    ]
    return Answer(body=json.dumps({"head": {"vars": ["s", "p", "c"]}, "results": {"bindings": rows}}).encode())


HANGS = Answer(end="stall", cut=0)


async def test_rows_never_wait_for_look_ups_that_hang(index: Path) -> None:
    async with Upstream(split(select(3), HANGS)) as up, guarded(up.url, index) as base:
        started = time.perf_counter()
        for _ in range(20):
            got = await wire.get(f"{base}/sparql", BIRTH)
            assert got.body == results(Format.JSON, 3)
        assert time.perf_counter() - started < 0.5


async def test_an_empty_answer_waits_no_longer_than_the_budget_and_soon_not_at_all(index: Path) -> None:
    hanging = Upstream(split(Answer(body=EMPTY), HANGS))
    async with hanging as up, guarded(up.url, index, types_s=0.1, ask_s=0.1) as base:
        times = []
        for _ in range(6):
            started = time.perf_counter()
            got = await wire.get(f"{base}/sparql", BIRTH)
            times.append(time.perf_counter() - started)
            assert (got.status, got.body, got.header("sparql-warning")) == (200, EMPTY, None)
        assert max(times) < 0.8
        assert times[-1] < 0.1


async def test_late_checks_do_not_block(index: Path) -> None:
    hanging = Upstream(split(select(1), HANGS))
    async with hanging as up, guarded(up.url, index, mode="block", types_s=0.1, ask_s=0.1) as base:
        assert (await wire.get(f"{base}/sparql", BIRTH)).status == 200


@pytest.mark.parametrize(
    "guard",
    [
        Answer(status=500, body=b"no"),
        Answer(status=429, body=b"no", headers=(("Retry-After", "60"),)),
        Answer(cut=3, end="reset"),
        Answer(body=b"{}"),
        Answer(body=b'{"head":{},"boolean":true}'),
        Answer(body=b'{"head":{"vars":["s"]},"results":{"bindings":[{}]}}'),
        Answer(body=b"not json"),
    ],
)
async def test_look_ups_that_fail_let_the_query_pass(index: Path, guard: Answer) -> None:
    async with Upstream(split(Answer(body=EMPTY), guard)) as up, guarded(up.url, index, mode="block") as base:
        got = await wire.get(f"{base}/sparql", BIRTH)
        assert (got.status, got.body) == (200, EMPTY)


async def test_a_busy_endpoint_is_asked_once_and_then_left_alone(index: Path) -> None:
    busy = Answer(status=429, body=b"no", headers=(("Retry-After", "60"),))
    async with Upstream(split(Answer(body=EMPTY), busy)) as up, guarded(up.url, index) as base:
        for _ in range(5):
            await wire.get(f"{base}/sparql", BIRTH)
        assert sum(map(lookup, up.sent)) == 1


@pytest.mark.parametrize(
    "label",
    ["a\r\nSet-Cookie: x=1", 'quo"te\\', "x" * 10_000, "🦔" * 100, "\x1b[2J\x00", "a, more; count=9", "漢字"],
    ids=["breaks", "quotes", "10kB", "emoji", "controls", "list", "chinese"],
)
async def test_no_label_breaks_a_header_or_a_problem(index: Path, label: str) -> None:
    async with Upstream(split(Answer(body=EMPTY), told(label))) as up:
        async with guarded(up.url, index) as base:
            got = await wire.get(f"{base}/sparql", BIRTH)
            assert (got.status, got.body) == (200, EMPTY)
            warning = got.header("sparql-warning") or ""
            assert warning.startswith("domain; severity=warn; line=1; column=13; property=P569; message*=UTF-8''")
            assert warning.isascii()
            assert len(warning) <= 2048
            assert got.header("set-cookie") is None
        async with guarded(up.url, index, mode="block") as base:
            got = await wire.get(f"{base}/sparql", BIRTH)
            assert (got.status, got.json["code"]) == (422, "blocked")
            assert got.json["detail"].isprintable()


async def test_a_broken_answer_stays_broken(index: Path) -> None:
    async with Upstream(split(Answer(cut=10, end="close"), told("x"))) as up, guarded(up.url, index) as base:
        assert (await wire.get(f"{base}/sparql", BIRTH)).status == 502


async def test_a_client_that_leaves_frees_the_endpoint(index: Path) -> None:
    async with Upstream(split(HANGS, told("x"))) as up, guarded(up.url, index) as base:
        asking = asyncio.ensure_future(wire.get(f"{base}/sparql", BIRTH))
        for _ in range(200):
            if not all(map(lookup, up.sent)):
                break
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await next(sent for sent in up.sent if not lookup(sent)).departure()


async def test_a_fault_of_the_guard_passes_the_query_and_is_logged(
    index: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Absence, "unknown_ids", broken)
    async with Upstream(split(Answer(body=EMPTY), told("x"))) as up:
        for mode in ("warn", "block"):
            async with guarded(up.url, index, mode=mode) as base:
                got = await wire.get(f"{base}/sparql", BIRTH)
                assert (got.status, got.body) == (200, EMPTY)
    assert [each.message for each in caplog.records].count("guard.fault") == 2


async def test_warnings_that_come_after_the_first_chunk_are_counted(index: Path) -> None:
    slow = Answer(body=told("France").body, before_head_s=0.1)
    async with Upstream(split(select(2), slow)) as up, guarded(up.url, index) as base:
        got = await wire.get(f"{base}/sparql", BIRTH)
        assert got.header("sparql-warning") is None
        for _ in range(60):
            if await counted(base, "saga_guard_findings_total", code="domain", severity="warn"):
                break
            await asyncio.sleep(0.05)
        assert await counted(base, "saga_guard_findings_total", code="domain", severity="warn") == 1


async def test_warn_is_not_slower_than_off(index: Path) -> None:
    """A coarse look; the bench has the interval."""
    hanging = Upstream(split(select(3), HANGS))
    async with hanging as up, guarded(up.url, index, mode="off") as plain, guarded(up.url, index) as warned:
        times: dict[str, list[float]] = {plain: [], warned: []}
        for number in range(60):
            for base in (plain, warned) if number % 2 else (warned, plain):
                started = time.perf_counter()
                await wire.get(f"{base}/sparql", BIRTH)
                times[base].append(time.perf_counter() - started)
        assert median(times[warned]) < 2 * median(times[plain]) + 0.005


def test_the_mark_of_a_look_up_cannot_be_sent() -> None:
    assert LOOKUP not in _HINTS
    assert "saga-guard" in _HINTS
