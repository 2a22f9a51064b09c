"""The guard in front of endpoints that are slow, silent, busy or hostile: its client notices nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plugins.schema.absence import Absence
from plugins.schema.facts import LOOKUP
from plugins.schema.findings import MOST_FINDINGS
from plugins.schema.lookups import MOST_ASKS, MOST_CONSTANTS
from plugins.schema.model import Side
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


def told(label: str, types: Sequence[str] = ("Q3624078",)) -> Answer:
    """Say that everything has these types and this name, a country's by default, and nothing else."""

    def row(used: str, value: dict[str, str] | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {"s": {"type": "literal", "value": "0"}, "p": {"type": "uri", "value": used}}
        return {**found, "c": value} if value else found

    rows = [
        row(DIRECT + "P31"),
        *(row(DIRECT + "P31", {"type": "uri", "value": item(each)}) for each in types),
        row(LABEL, {"type": "literal", "value": label}),
    ]
    return Answer(body=json.dumps({"head": {"vars": ["s", "p", "c"]}, "results": {"bindings": rows}}).encode())


HANGS = Answer(end="stall", cut=0)


async def test_rows_never_wait_for_look_ups_that_hang(index: Path) -> None:
    """A look-up may take a minute here, so that a reply that waited for one would be seen on any machine."""
    async with Upstream(split(select(3), HANGS)) as up, guarded(up.url, index, types_s=60, ask_s=60) as base:
        async with asyncio.timeout(30):
            for _ in range(20):
                got = await wire.get(f"{base}/sparql", BIRTH)
                assert got.body == results(Format.JSON, 3)


async def test_an_empty_answer_waits_no_longer_than_the_budget_and_soon_not_at_all(index: Path) -> None:
    hanging = Upstream(split(Answer(body=EMPTY), HANGS))
    async with hanging as up, guarded(up.url, index, types_s=0.1, ask_s=0.1) as base, asyncio.timeout(30):
        asked = []
        for number in range(8):
            # Another constant each time: what was late once is not asked again anyway.
            text = f"SELECT ?d {{ wd:Q{142 + number} wdt:P569 ?d }}"
            got = await wire.get(f"{base}/sparql", {"query": text})
            assert (got.status, got.body, got.header("sparql-warning")) == (200, EMPTY, None)
            asked.append(sum(map(lookup, up.sent)))
        # After some that were late the endpoint is left alone.
        assert 0 < asked[0] <= asked[3] == asked[-1]


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
    slow = Answer(body=told("France").body, before_head_s=2.0)
    async with Upstream(split(select(2), slow)) as up, guarded(up.url, index, types_s=10) as base:
        got = await wire.get(f"{base}/sparql", BIRTH)
        assert got.header("sparql-warning") is None
        for _ in range(200):
            if await counted(base, "saga_guard_findings_total", code="domain", severity="warn"):
                break
            await asyncio.sleep(0.05)
        assert await counted(base, "saga_guard_findings_total", code="domain", severity="warn") == 1


def test_the_mark_of_a_look_up_cannot_be_sent() -> None:
    assert LOOKUP not in _HINTS
    assert "saga-guard" in _HINTS


MANY_TYPES = [f"Q{number}" for number in range(800_000, 800_300)]
MANY_CLASSES = [f"Q{number}" for number in range(900_000, 905_000)]


def odd_index(path: Path, above: Callable[[int], str]) -> Path:
    """Write an index in which 300 classes have a superclass each, and P569 is for 5,000 classes."""
    draft = demo_draft()
    for number, each in enumerate(MANY_TYPES):
        draft.add_superclass(item(each), item(above(number)))
        draft.add_instances(item(each), 1_000)
    for each in MANY_CLASSES:
        draft.add_superclass(item(each), item("Q35120"))
    wide = Side(classes=tuple(map(item, MANY_CLASSES)))
    draft.add_property(replace(draft.properties[item("P569")], domain=wide))
    draft.write(path)
    return path


# What is above each of the 300 types, and what follows. Source: guard.md section 2.
HIERARCHIES: list[tuple[str, Callable[[int], str], str | None]] = [
    ("below the root", lambda number: "Q35120", "block"),
    ("one cycle", lambda number: MANY_TYPES[number - 1], "warn"),
    ("a chain to the root", lambda number: MANY_TYPES[number - 1] if number else "Q35120", "block"),
    ("the last leads nowhere", lambda number: "Q35120" if number < 299 else "Q777777", "warn"),
    ("a cycle with a way to the root", lambda number: "Q35120" if number == 7 else MANY_TYPES[number - 1], "block"),
    ("one fits", lambda number: "Q35120" if number < 299 else MANY_CLASSES[4_999], None),
]


@pytest.mark.parametrize(
    ("above", "severity"), [each[1:] for each in HIERARCHIES], ids=[each[0] for each in HIERARCHIES]
)
async def test_300_types_against_5000_domain_classes_in_any_hierarchy(
    tmp_path: Path, above: Callable[[int], str], severity: str | None
) -> None:
    """All are judged; a finding names five of each, so that message and header stay short."""
    odd = odd_index(tmp_path / "odd.saga", above)
    endpoint = Upstream(split(Answer(body=EMPTY), told("France", MANY_TYPES)))
    async with endpoint as up, guarded(up.url, odd, mode="block") as base:
        answer = (await wire.get(f"{base}/validate", BIRTH)).json
        found = [each for each in answer["findings"] if each["code"] == "domain"]
        assert [each["severity"] for each in found] == ([severity] if severity else [])
        got = await wire.get(f"{base}/sparql", BIRTH)
        assert got.status == (422 if severity == "block" else 200)
        if severity == "block":
            assert len(got.json["detail"]) < 2_000
        for each in found:
            assert (len(each["types"]), len(each["expected"])) == (5, 5)


async def test_2000_patterns_are_judged_within_limits(index: Path) -> None:
    """Of one query 64 constants are looked up, 24 patterns verified and 100 findings told; what is left is said."""
    patterns = " ".join(f"wd:Q{number} wdt:P569 ?v{number} ." for number in range(1, 2_001))
    query = {"query": f"SELECT * {{ {patterns} }}"}
    async with Upstream(split(Answer(body=EMPTY), told("France"))) as up:
        async with guarded(up.url, index) as base:
            got = await wire.post(f"{base}/sparql", query)
            assert (got.status, got.body) == (200, EMPTY)
            assert len(got.header("sparql-warning") or "") <= 2_048
            answer = (await wire.post(f"{base}/validate", query)).json
            assert answer["checked"] is True
            assert 1 <= len(answer["findings"]) <= MOST_FINDINGS
        # Batches of constants and single verifications, in each of the two stages of each of the two requests.
        assert sum(map(lookup, up.sent)) <= 4 * (MOST_CONSTANTS + MOST_ASKS)


@pytest.mark.parametrize("mode", ["warn", "block"])
async def test_text_that_no_parser_reads_passes_as_it_is(index: Path, mode: str) -> None:
    text = "SELECT ?d { wd:Q142 wdt:P569 ?d GIBBERISH ( ?d ) }"
    async with Upstream(split(Answer(body=EMPTY), told("France"))) as up, guarded(up.url, index, mode=mode) as base:
        got = await wire.get(f"{base}/sparql", {"query": text})
        assert (got.status, got.body) == (200, EMPTY)
        assert [sent.text.endswith(text) for sent in up.sent if not lookup(sent)] == [True]
        answer = (await wire.get(f"{base}/validate", {"query": text})).json
        assert answer["checked"] is False
        assert answer["reason"]
        assert await counted(base, "saga_unchecked_queries_total") >= 1
