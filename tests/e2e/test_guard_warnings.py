"""Warnings through the proxy: beside answers that keep every byte, one header each, the first time too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import unquote

import pytest

from proxy.results.formats import BINDINGS, GRAPHS, Format
from tests import stage, wire
from tests.e2e.test_guard import ask, guarded
from tests.e2e.test_guard_faults import BIRTH, EMPTY, lookup, told
from tests.fronts import LARGE, counted
from tests.profiles import results
from tests.unit.schema.demo_schema import demo_draft
from tests.upstream import Answer, Sent, Upstream

ROWS = "SELECT * { wd:Q142 wdt:P569 ?d }"
TRIPLES = "CONSTRUCT { ?s ?p ?o } WHERE { wd:Q142 wdt:P569 ?o . ?s ?p ?o }"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "demo.saga"
    demo_draft().write(path)
    return path


def answering(body: Callable[[Format], bytes], **more: object) -> Callable[[Sent], Answer]:
    """Answer clients in the format that they want, and look-ups with a country that has nothing."""

    def answer(sent: Sent) -> Answer:
        if lookup(sent):
            return Answer(body=b'{"head":{},"boolean":false}') if "ASK" in sent.text else told("France")
        wanted = sent.headers["accept"].partition(",")[0].partition(";")[0]
        fmt = next(each for each in Format if each.media_type == wanted)
        return Answer(type=fmt.media_type, body=body(fmt), **more)  # type: ignore[arg-type]

    return answer


@pytest.mark.parametrize("fmt", [*BINDINGS, *GRAPHS], ids=lambda each: each.short_name)
@pytest.mark.parametrize("count", [0, 3, LARGE])
@pytest.mark.parametrize("framing", ["length", "chunked"])
async def test_a_warning_changes_no_byte_in_any_format(index: Path, fmt: Format, count: int, framing: str) -> None:
    text = TRIPLES if fmt.is_graph else ROWS
    script = answering(lambda given: results(given, count), framing=framing)
    async with Upstream(script) as up, guarded(up.url, index, mode="off") as plain, guarded(up.url, index) as warned:
        headers = {"Accept": fmt.media_type}
        first = await wire.post(f"{plain}/sparql", ask(text), headers)
        for _ in range(2):
            got = await wire.post(f"{warned}/sparql", ask(text), headers)
            assert (got.status, got.body, got.end, got.type) == (200, first.body, "whole", fmt.media_type)
            if not count:
                assert unquote(got.header("sparql-warning") or "").startswith("domain; severity=warn; line=1;")
        if fmt in (Format.JSON, Format.XML, Format.RDFXML):
            assert got.body == results(fmt, count)


async def test_an_empty_answer_in_pieces_carries_its_findings(index: Path) -> None:
    """Its head alone is more than the proxy holds back, so that its end comes long after its first byte."""
    names = ",".join(f'"v{number}"' for number in range(3_000))
    pieces = [f'{{"head":{{"vars":[{names}]}},'.encode(), b'"results":{"bindings":[', b"]}}"]
    slow = answering(lambda _: b"", between_s=0.3, framing="chunked")

    def answer(sent: Sent) -> Answer:
        given = slow(sent)
        return given if lookup(sent) else Answer(body=pieces, between_s=0.3, framing="chunked")

    async with Upstream(answer) as up, guarded(up.url, index) as base:
        got = await wire.get(f"{base}/sparql", BIRTH)
        assert (got.status, got.body, got.end) == (200, b"".join(pieces), "whole")
        assert (got.header("sparql-warning") or "").startswith("domain;")


async def test_rows_that_come_do_not_wait_for_the_rest_of_the_answer(index: Path) -> None:
    body = results(Format.JSON, LARGE)

    def answer(sent: Sent) -> Answer:
        return told("France") if lookup(sent) else Answer(body=body, framing="chunked", cut=len(body) - 10, end="stall")

    sent = {"Content-Type": wire.FORM}, b"query=SELECT+*+{+wd:Q142+wdt:P569+?d+}"
    async with Upstream(answer) as up, guarded(up.url, index) as base, wire.connected(base) as (reader, writer):
        writer.write(wire.request(f"{base}/sparql", "POST", *sent))
        async with asyncio.timeout(8):
            assert b" 200 " in await reader.readuntil(b"\r\n\r\n")


async def test_slow_look_ups_within_the_budget_are_waited_for_the_first_time_too(index: Path) -> None:
    def answer(sent: Sent) -> Answer:
        return Answer(body=told("France").body, before_head_s=0.3) if lookup(sent) else Answer(body=EMPTY)

    async with Upstream(answer) as up, guarded(up.url, index, types_s=5.0, ask_s=5.0) as base:
        got = await wire.get(f"{base}/sparql", BIRTH)
        assert (got.body, (got.header("sparql-warning") or "").partition(";")[0]) == (EMPTY, "domain")


async def test_findings_that_are_known_stand_beside_rows(index: Path) -> None:
    """Once judged, a text carries its findings whatever its answer is, and each time they are counted."""
    async with Upstream(answering(lambda fmt: results(fmt, 3))) as up, guarded(up.url, index) as base:
        got = await wire.get(f"{base}/sparql", BIRTH)
        for _ in range(100):
            if got.header("sparql-warning"):
                break
            await asyncio.sleep(0.05)
            got = await wire.get(f"{base}/sparql", BIRTH)
        assert (got.header("sparql-warning") or "").startswith("domain; severity=warn;")
        before, asked = await counted(base, "saga_guard_findings_total", code="domain", severity="warn"), len(up.sent)
        await wire.get(f"{base}/sparql", BIRTH)
        assert await counted(base, "saga_guard_findings_total", code="domain", severity="warn") == before + 1
        # Neither looked up nor judged again.
        assert len(up.sent) == asked + 1


async def test_one_header_per_finding_and_a_count_of_the_rest(demo_store: Path, index: Path) -> None:
    def text(count: int) -> str:
        return "SELECT * {" + " ".join(f"\nwd:Q142 wdt:P569 ?d{number} ." for number in range(count)) + "}"

    async with guarded(demo_store, index) as base:
        got = await wire.get(f"{base}/sparql", ask(text(2)), {"Origin": "http://e.org"})
        values = got.every("sparql-warning")
        assert [value.split("; ")[:3] for value in values] == [
            ["domain", "severity=warn", "line=2"],
            ["domain", "severity=warn", "line=3"],
        ]
        assert "SPARQL-Warning" in (got.header("access-control-expose-headers") or "")
        values = (await wire.get(f"{base}/sparql", ask(text(9)))).every("sparql-warning")
        assert [value.partition(";")[0] for value in values] == ["domain"] * 5 + ["more"]
        assert values[-1] == "more; count=4"
        assert sum(len(f"SPARQL-Warning: {value}\r\n") for value in values) <= 2048


@asynccontextmanager
async def cached(store: Path, index: Path) -> AsyncIterator[str]:
    """Serve the demo behind the guard and the cache."""
    tables = {
        "endpoints": {"demo": {"graph": "wikidata", "store": str(store), "schema": str(index), "guard_override": True}},
        "plugins": {"enabled": ["plugins.schema.guard", "plugins.cache"]},
    }
    async with stage.proxy(tables) as base:
        yield base


async def test_a_hit_of_the_cache_is_judged_too_and_holds_no_warning(demo_store: Path, index: Path) -> None:
    text = ask("SELECT ?d {\nwd:Q142 wdt:P569 ?d . wd:Q142 wdt:P570 ?e }")
    async with cached(demo_store, index) as base:
        miss = await wire.get(f"{base}/sparql", text)
        hit = await wire.get(f"{base}/sparql", text)
        assert "hit" in (hit.header("cache-status") or "")
        assert len(miss.every("sparql-warning")) == 2
        assert hit.every("sparql-warning") == miss.every("sparql-warning")
        bare = await wire.get(f"{base}/sparql", text, {"Saga-Guard": "off"})
        assert "hit" in (bare.header("cache-status") or "")
        assert bare.header("sparql-warning") is None
        assert (await wire.get(f"{base}/sparql", text, {"Saga-Guard": "block"})).status == 422
        known = await wire.get(f"{base}/sparql", text, {"If-None-Match": hit.header("etag") or ""})
        assert known.status == 304


@pytest.mark.parametrize(
    ("configured", "asked", "status", "warned"),
    [
        ("warn", "block", 422, False),
        ("warn", " BLOCK ", 422, False),
        ("warn", "warn", 200, True),
        ("warn", "off", 200, True),
        ("warn", "", 200, True),
        ("off", "off", 200, False),
        ("off", "warn", 200, True),
        ("off", "block", 422, False),
        ("block", "warn", 422, False),
        ("block", "off", 422, False),
        ("block", "no", 400, False),
        ("block", "warn, off", 400, False),
    ],
)
async def test_the_header_may_raise_the_mode_only(
    demo_store: Path, index: Path, configured: str, asked: str, status: int, warned: bool
) -> None:
    async with guarded(demo_store, index, mode=configured) as base:
        got = await wire.post(f"{base}/sparql", BIRTH, {"Saga-Guard": asked})
        assert (got.status, got.header("sparql-warning") is not None) == (status, warned)
        if status == 422:
            assert got.type == "application/problem+json"
            assert got.json["detail"].startswith("[BLOCKED] ")
            assert got.json["request_id"] == got.header("x-request-id")
            assert await counted(base, "saga_queries_total", outcome="blocked", form="select") == 1
            assert await counted(base, "saga_guard_findings_total", code="domain", severity="block") == 1
        if warned:
            assert await counted(base, "saga_guard_findings_total", code="domain", severity="warn") == 1
            assert await counted(base, "saga_queries_total", outcome="blocked") == 0


@pytest.mark.parametrize("mode", ["warn", "block"])
async def test_an_update_takes_back_what_was_said(index: Path, tmp_path: Path, mode: str) -> None:
    tables = {
        "endpoints": {
            "demo": {"graph": "wikidata", "store": str(stage.demo_store(tmp_path / "store")), "updates": True}
        },
        "plugins": {"enabled": ["plugins.schema.guard", "plugins.cache"]},
        "guard": {"mode": mode, "endpoints": {"demo": {"index": str(index)}}},
    }
    text = ask("ASK { wd:Q142 wdt:P569 ?d }")
    async with stage.proxy(tables) as base:
        for _ in range(2):
            got = await wire.get(f"{base}/sparql", text)
            assert (got.status, got.header("sparql-warning") is None) == (
                (422, True) if mode == "block" else (200, False)
            )
        await wire.post(f"{base}/sparql", {"update": "INSERT DATA { wd:Q142 wdt:P569 '0843' }"})
        got = await wire.get(f"{base}/sparql", text)
        assert (got.status, got.json["boolean"]) == (200, True)
        answer = (await wire.get(f"{base}/validate", text)).json
        assert not any(each["verified"] for each in answer["findings"])
