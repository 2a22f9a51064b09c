"""The guard through the real proxy, on the demo graph: warnings beside the answer, blocks before it, its pages."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from proxy.errors import ConfigError
from tests import stage, wire
from tests.fronts import counted
from tests.unit.schema.demo_schema import demo_draft

# (query, code, severity where it may block), each written down from specs/guard.md and the demo's constraints.
# P26 and P607 are for people and characters in the demo; Wikidata itself is wider there.
FOUND = [
    ("SELECT ?d { wd:Q142 wdt:P569 ?d }", "domain", "block"),
    ("SELECT ?d { wd:Q76 wdt:P57 ?d }", "domain", "block"),
    ("SELECT ?d { wd:Q76 wdt:P610 ?d }", "domain", "block"),
    ("SELECT ?d { wd:Q76 wdt:P2044 ?d }", "domain", "block"),
    ("SELECT ?d { ?x wdt:P31 wd:Q515 ; wdt:P569 ?d }", "domain", "block"),
    ("SELECT ?d { wd:Q142 wdt:P36/wdt:P569 ?d }", "domain", "warn"),
    ("SELECT ?d { ?x wdt:P19 wd:Q5 }", "range", "warn"),
    ('SELECT ?x { ?x wdt:P569 "1961" }', "datatype", "block"),
    ("SELECT ?x { ?x wdt:P27 'France' }", "datatype", "block"),
    ("SELECT ?x { ?x wdt:P569 wd:Q142 }", "datatype", "block"),
    ("SELECT ?x { wd:Q142 pq:P580 ?x }", "model", "block"),
    ("SELECT ?x { ?x p:P39 wd:Q11696 }", "model", "block"),
    ("SELECT ?d { ?x wdt:P39 ?o . ?o pq:P580 ?d }", "model", "block"),
    ("SELECT ?x { wd:Q142 wdt:P99999 ?x }", "unknown_id", "warn"),
    ("SELECT ?x { ?x wdt:P31 wd:Q99999999 }", "unknown_id", "warn"),
    ("SELECT ?x { wd:Q90 wdt:P36 ?x }", "direction", "warn"),
    ("SELECT ?x { wd:Q76 wdt:P166 wd:Q38104 }", "empty", "note"),
]
# Near twins that fit.
FINE = [
    "SELECT ?d { wd:Q76 wdt:P569 ?d }",
    "SELECT ?d { ?film wdt:P57 wd:Q25191 }",
    "SELECT ?d { wd:Q142 wdt:P610 ?d }",
    "SELECT ?d { wd:Q142 wdt:P1082 ?d }",
    "SELECT ?d { ?x wdt:P31 wd:Q5 ; wdt:P569 ?d }",
    "SELECT ?x { ?x p:P39 ?s . ?s ps:P39 wd:Q11696 ; pq:P580 ?d }",
    "SELECT ?x { wd:Q142 wdt:P36 ?x }",
    "SELECT ?d { VALUES ?c { wd:Q142 wd:Q76 } ?c wdt:P569 ?d }",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "demo.saga"
    demo_draft().write(path)
    return path


@asynccontextmanager
async def guarded(store: Path | str, index: Path, **options: Any) -> AsyncIterator[str]:
    """Serve the demo behind the guard, from a store or an address, and yield the proxy's address."""
    here = {"store": str(store)} if isinstance(store, Path) else {"url": store}
    own = {"index": str(index), **options.pop("own", {})}
    tables = {
        "endpoints": {"demo": {"graph": "wikidata", **here}},
        "plugins": {"enabled": ["plugins.schema.guard"]},
        "guard": {"endpoints": {"demo": own}, **options},
    }
    async with stage.proxy(tables) as base:
        yield base


def ask(text: str) -> dict[str, str]:
    return {"query": text}


@pytest.mark.parametrize(("text", "code", "severity"), FOUND)
async def test_what_cannot_work_is_found_with_its_code(
    demo_store: Path, index: Path, text: str, code: str, severity: str
) -> None:
    async with guarded(demo_store, index) as base:
        answer = (await wire.get(f"{base}/validate", ask(text))).json
        found = [(each["code"], each["severity"]) for each in answer["findings"]]
        # A range says less than that there is no match: there both are told.
        assert found == [(code, severity), *([("empty", "note")] if code == "range" else [])]
        assert answer["checked"] is True
        assert answer["ok"] is (severity == "note")
        finding = answer["findings"][0]
        assert finding["verified"] is True
        assert finding["line"] == 1
        assert finding["pattern"] in text
        assert finding["message"].startswith("[BLOCKED] ") is (severity == "block")


@pytest.mark.parametrize("text", FINE)
async def test_what_works_has_no_finding(demo_store: Path, index: Path, text: str) -> None:
    async with guarded(demo_store, index, mode="block") as base:
        assert (await wire.get(f"{base}/validate/demo", ask(text))).json == {
            "ok": True,
            "checked": True,
            "findings": [],
        }
        got = await wire.get(f"{base}/sparql", ask(text))
        assert got.status == 200
        assert got.values
        assert got.header("sparql-warning") is None


async def test_a_block_is_a_problem_with_its_findings(demo_store: Path, index: Path) -> None:
    async with guarded(demo_store, index, mode="block") as base:
        got = await wire.get(f"{base}/sparql", ask("SELECT ?d\n{ wd:Q142 wdt:P569 ?d }"))
        assert (got.status, got.type, got.json["code"]) == (422, "application/problem+json", "blocked")
        assert got.json["detail"].startswith("[BLOCKED] date of birth (P569) is for human")
        assert "France (Q142) is a sovereign state" in got.json["detail"]
        finding = got.json["findings"][0]
        assert (finding["line"], finding["column"], finding["subject"]) == (2, 3, "wd:Q142")
        assert finding["property"] == {"id": "P569", "label": "date of birth"}
        assert len(finding["suggestions"]) <= 3
        assert "P571" in [each["id"] for each in finding["suggestions"]]
        assert await counted(base, "saga_guard_findings_total", code="domain", severity="block") == 1
        assert await counted(base, "saga_queries_total", outcome="blocked") == 1


async def test_an_empty_answer_carries_its_findings_the_first_time_too(demo_store: Path, index: Path) -> None:
    async with guarded(demo_store, index) as base:
        got = await wire.get(f"{base}/sparql", ask("SELECT ?d { wd:Q142 wdt:P569 ?d }"))
        assert (got.status, got.values) == (200, [])
        warning = got.header("sparql-warning") or ""
        assert warning.startswith("domain; severity=warn; line=1; column=13; property=P569; message*=UTF-8''date%20of")
        assert "France (Q142)" in unquote(warning)
        assert "SPARQL-Warning" in (got.header("access-control-expose-headers") or "SPARQL-Warning")
        assert await counted(base, "saga_guard_findings_total", code="domain", severity="warn") == 1


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x ?d { ?x wdt:P569 ?d } ORDER BY ?x",
        "SELECT ?x { ?x wdt:P31 wd:Q6256 OPTIONAL { ?x wdt:P569 ?d } }",
        "SELECT * { wd:Q142 wdt:P569 ?d }",
        "ASK { wd:Q142 wdt:P569 ?d }",
        "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o . ?s wdt:P31 wd:Q515 }",
        "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 3000",
    ],
)
async def test_a_warning_changes_no_byte(demo_store: Path, index: Path, oxigraph: str, text: str) -> None:
    async with guarded(oxigraph, index, mode="off") as plain, guarded(oxigraph, index) as warned:
        one, other = await wire.post(f"{plain}/sparql", ask(text)), await wire.post(f"{warned}/sparql", ask(text))
        assert (one.status, one.body) == (other.status, other.body)
        assert one.type == other.type


async def test_the_header_raises_the_mode_and_lowers_it_only_where_allowed(demo_store: Path, index: Path) -> None:
    bad = ask("SELECT ?d { wd:Q142 wdt:P569 ?d }")
    async with guarded(demo_store, index) as base:
        assert (await wire.get(f"{base}/sparql", bad, {"Saga-Guard": "block"})).status == 422
        got = await wire.get(f"{base}/sparql", bad, {"Saga-Guard": "off"})
        assert got.status == 200
        assert got.header("sparql-warning")
        wrong = await wire.get(f"{base}/sparql", bad, {"Saga-Guard": "on"})
        assert (wrong.status, wrong.json["code"]) == (400, "bad_request")
    async with guarded(demo_store, index, mode="block") as base:
        assert (await wire.get(f"{base}/sparql", bad, {"Saga-Guard": "off"})).status == 422
    async with guarded(demo_store, index, mode="block", own={"override": True}) as base:
        got = await wire.get(f"{base}/sparql", bad, {"Saga-Guard": "off"})
        assert got.status == 200
        assert got.header("sparql-warning") is None


async def test_text_that_nobody_can_read_passes_and_is_unchecked(demo_store: Path, index: Path) -> None:
    async with guarded(demo_store, index, mode="block") as base:
        got = await wire.get(f"{base}/validate", ask("SELECT ?d { wd:Q142 wdt:P569 ?d "))
        assert got.json["checked"] is False
        assert "never closed" in got.json["reason"]
        assert {each["severity"] for each in got.json["findings"]} <= {"warn", "note"}
        assert (await wire.get(f"{base}/validate", ask("gibberish"))).json["checked"] is False
        assert (await wire.get(f"{base}/validate")).status == 400
        assert (await wire.get(f"{base}/validate/nowhere", ask("ASK {}"))).status == 404


async def test_validate_takes_a_query_in_every_way(demo_store: Path, index: Path) -> None:
    text = "SELECT ?d { wd:Q142 wdt:P569 ?d }"
    async with guarded(demo_store, index) as base:
        forms = [
            await wire.get(f"{base}/validate", ask(text)),
            await wire.post(f"{base}/validate", ask(text)),
            await wire.direct(f"{base}/validate", text),
            await wire.direct(f"{base}/validate/demo", text, method="QUERY"),
        ]
        assert len({each.body for each in forms}) == 1
        assert forms[0].json["findings"][0]["code"] == "domain"
        assert (await wire.direct(f"{base}/validate", text, type="text/plain")).status == 415


async def test_schema_shows_a_property_and_a_class(demo_store: Path, index: Path) -> None:
    async with guarded(demo_store, index) as base:
        prop = (await wire.get(f"{base}/schema", {"id": "P57"})).json
        assert (prop["kind"], prop["label"], prop["value"]) == ("property", "director", "item")
        assert {"id": "Q11424", "label": "film"} in prop["domain"]["classes"]
        by_iri = (await wire.get(f"{base}/schema/demo", {"id": "http://www.wikidata.org/prop/direct/P57"})).json
        assert by_iri == prop
        cls = (await wire.get(f"{base}/schema", {"id": "Q11424"})).json
        assert (cls["kind"], cls["label"]) == ("class", "film")
        assert cls["superclasses"]
        assert (await wire.get(f"{base}/schema", {"id": "P99999"})).status == 404
        assert (await wire.get(f"{base}/schema")).status == 400


async def test_an_endpoint_without_an_index_passes_unchecked(demo_store: Path) -> None:
    tables = {
        "endpoints": {"demo": {"graph": "wikidata", "store": str(demo_store)}},
        "plugins": {"enabled": ["plugins.schema.guard"]},
        "guard": {"mode": "block"},
    }
    async with stage.proxy(tables) as base:
        assert (await wire.get(f"{base}/sparql", ask("SELECT ?d { wd:Q142 wdt:P569 ?d }"))).status == 200
        answer = (await wire.get(f"{base}/validate", ask("ASK {}"))).json
        assert (answer["checked"], answer["findings"]) == (False, [])
        assert "saga schema build" in answer["reason"]
        assert (await wire.get(f"{base}/schema", {"id": "P31"})).status == 404


async def test_a_damaged_index_stops_the_start_unless_the_config_says_so(
    demo_store: Path, index: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.saga"
    shutil.copy(index, broken)
    os.truncate(broken, os.stat(index).st_size - 100)
    with pytest.raises(ConfigError, match=r"broken\.saga"):
        async with guarded(demo_store, broken):
            pass
    async with guarded(demo_store, broken, optional=True, mode="block") as base:
        assert (await wire.get(f"{base}/sparql", ask("SELECT ?d { wd:Q142 wdt:P569 ?d }"))).status == 200
    with pytest.raises(ConfigError, match=r"guard\.endpoints\.other"):
        async with guarded(demo_store, index, endpoints={"other": {}}):
            pass


async def test_an_old_index_is_used_with_a_note(
    demo_store: Path, index: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with guarded(demo_store, index, max_age_days=0.0, mode="block") as base:
        for text in (FOUND[0][0], FINE[0]):
            answer = (await wire.get(f"{base}/validate", ask(text))).json
            assert answer["checked"] is True
            assert answer["reason"] == answer["note"]
            assert answer["note"].startswith("the schema index is of 20")
        assert (await wire.get(f"{base}/sparql", ask(FOUND[0][0]))).status == 422
        assert (await wire.get(f"{base}/sparql", ask(FINE[0]))).status == 200
    assert [each.message for each in caplog.records].count("guard.index_old") == 1
    async with guarded(demo_store, index) as base:
        assert "reason" not in (await wire.get(f"{base}/validate", ask(FINE[0]))).json
    assert [each.message for each in caplog.records].count("guard.index_old") == 1


async def test_a_rebuilt_index_is_taken_without_a_restart(demo_store: Path, index: Path, tmp_path: Path) -> None:
    path = tmp_path / "demo.saga"
    shutil.copy(index, path)
    async with guarded(demo_store, path) as base:
        assert (await wire.get(f"{base}/schema", {"id": "P57"})).status == 200
        draft = demo_draft()
        del draft.properties["http://www.wikidata.org/entity/P57"]
        draft.write(path)
        for _ in range(40):
            if (await wire.get(f"{base}/schema", {"id": "P57"})).status == 404:
                break
            await asyncio.sleep(0.2)
        assert (await wire.get(f"{base}/schema", {"id": "P57"})).status == 404
        # As every writer of a mapped file must: beside it, then in its place.
        (tmp_path / "damaged").write_bytes(b"damaged")
        (tmp_path / "damaged").replace(path)
        await asyncio.sleep(2.5)
        assert (await wire.get(f"{base}/schema", {"id": "P19"})).status == 200


async def test_an_update_makes_the_guard_forget(index: Path, tmp_path: Path) -> None:
    store = stage.demo_store(tmp_path / "store")
    tables = {
        "endpoints": {"demo": {"graph": "wikidata", "store": str(store), "updates": True}},
        "plugins": {"enabled": ["plugins.schema.guard"]},
        "guard": {"mode": "block", "endpoints": {"demo": {"index": str(index)}}},
    }
    async with stage.proxy(tables) as base:
        text = ask("SELECT ?d { wd:Q142 wdt:P569 ?d }")
        assert (await wire.get(f"{base}/sparql", text)).status == 422
        data = {"update": "INSERT DATA { wd:Q142 wdt:P569 '0843' }"}
        assert (await wire.post(f"{base}/sparql", data)).status in (200, 204)
        got = await wire.get(f"{base}/sparql", text)
        assert (got.status, len(got.values)) == (200, 1)
