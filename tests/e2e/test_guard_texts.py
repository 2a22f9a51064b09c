"""What a graph calls its things, in every place that shows it: headers, problems, /validate, the log."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from plugins.schema.model import ClassInfo
from proxy.logs import JsonFormatter
from proxy.results.formats import Format
from tests import wire
from tests.e2e.test_guard import ask, guarded
from tests.e2e.test_guard_faults import BIRTH, EMPTY, HANGS, split, told
from tests.fronts import counted
from tests.unit.schema.demo_schema import demo_draft, item
from tests.upstream import Answer, Upstream

HOSTILE = {
    "breaks": "a\r\nSet-Cookie: x=1\r\n\r\n<html>",
    "quotes": "quo\"te\\ and ' and `",
    "10 kB": "x" * 10_000,
    "10 kB of words": "word " * 2_000,
    "emoji": "🦔" * 100,
    "a family": "👩‍👩‍👧‍👦" * 40,
    "controls": "\x1b[2J\x00\x07\x7f\x9b31m",
    "a list": "a, more; count=9, domain; severity=block",
    "percent": "100%0d%0aSet-Cookie: x=1",
    "turned": "\u202egnp.exe\u2066\u200f",
    "lines": "a\u2028b\u2029c\x85d\x0be",
    "brackets": "[BLOCKED] {}%s{0}${x}",
    "nothing": " \t\n ",
}


def hostile(folder: Path, text: str) -> Path:
    """Write an index in which the property, its class, that of a country and what is advised are called so."""
    draft = demo_draft()
    for name in ("P569", "P571"):
        record = draft.properties[item(name)]
        draft.add_property(
            replace(record, label=f"{text} {record.label}", description=text, aliases=(text, "date of birth"))
        )
    for name in ("Q5", "Q3624078"):
        draft.add_class(ClassInfo(iri=item(name), id=name, label=text, description=text))
    draft.write(folder / "hostile.saga")
    return folder / "hostile.saga"


def elements(got: wire.Received) -> list[str]:
    """Return the elements of the headers as somebody reads them who joined these by commas first."""
    values = got.every("sparql-warning")
    for value in values:
        assert value.isascii()
        assert value.isprintable()
        assert "," not in value
    assert sum(len(f"SPARQL-Warning: {value}\r\n") for value in values) <= 2_048
    assert ", ".join(values).split(", ") == values
    return values


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
async def test_no_name_breaks_what_shows_it(tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str) -> None:
    caplog.set_level(logging.INFO, "saga")
    index = hostile(tmp_path, text)
    async with Upstream(split(Answer(body=EMPTY), told(text))) as up:
        async with guarded(up.url, index) as base:
            got = await wire.get(f"{base}/sparql", BIRTH)
            assert (got.status, got.body, got.header("set-cookie")) == (200, EMPTY, None)
            (element,) = elements(got)
            assert element.startswith("domain; severity=warn; line=1; column=13; property=P569; message*=UTF-8''")
            assert unquote(element, errors="strict").isprintable()
            assert await counted(base, "saga_guard_findings_total", code="domain", severity="warn") == 1
            (finding,) = (await wire.get(f"{base}/validate", BIRTH)).json["findings"]
            for shown in strings(finding):
                assert shown.isprintable()
                assert len(shown) <= 1_500
            assert finding["code"] == "domain"
            for wanted in ("P569", "Q5"):
                assert (await wire.get(f"{base}/schema", {"id": wanted})).status == 200
        async with guarded(up.url, index, mode="block") as base:
            got = await wire.get(f"{base}/sparql", BIRTH)
            assert (got.status, got.json["code"]) == (422, "blocked")
            assert got.json["detail"].isprintable()
            assert len(got.json["detail"]) <= 1_500
            assert got.json["detail"].startswith("[BLOCKED] ")
    said = [JsonFormatter().format(each) for each in caplog.records if each.message == "guard.findings"]
    assert said
    for each in said:
        assert "\n" not in each
        assert json.loads(each)["findings"] in (["domain warn P569"], ["domain block P569"])


def strings(document: Any) -> Sequence[str]:
    """Return every text of a JSON document."""
    if isinstance(document, dict):
        return [text for value in document.values() for text in strings(value)]
    if isinstance(document, list):
        return [text for value in document for text in strings(value)]
    return [document] if isinstance(document, str) else []


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
async def test_of_50_findings_five_are_told_and_the_rest_counted(tmp_path: Path, text: str) -> None:
    index = hostile(tmp_path, text)
    query = ask("SELECT * {" + " ".join(f"\nwd:Q142 wdt:P569 ?d{number} ." for number in range(50)) + "}")
    async with Upstream(split(Answer(body=EMPTY), told(text))) as up:
        async with guarded(up.url, index) as base:
            for _ in range(2):
                told_of = elements(await wire.post(f"{base}/sparql", query))
                *first, more = told_of
                assert 1 <= len(first) <= 5
                assert [each.partition(";")[0] for each in first] == ["domain"] * len(first)
                assert more == f"more; count={50 - len(first)}"
            assert await counted(base, "saga_guard_findings_total", code="domain", severity="warn") == 100
            assert len((await wire.post(f"{base}/validate", query)).json["findings"]) == 50
        async with guarded(up.url, index, mode="block") as base:
            got = await wire.post(f"{base}/sparql", query)
            assert (got.status, len(got.json["findings"])) == (422, 50)
            assert got.header("sparql-warning") is None


@pytest.mark.parametrize(
    "name",
    ["http://e.org/🦔🦔", "http://e.org/" + "x" * 10_000, "http://e.org/a,b;c=d'%0d%0a", "urn:漢字", "mailto:a@b"],
    ids=["emoji", "10 kB", "list", "chinese", "mail"],
)
async def test_no_name_of_a_query_breaks_a_header(tmp_path: Path, name: str) -> None:
    """An unknown property is shown as the query has it, which may be anything that an IRI may hold."""
    draft = demo_draft()
    draft.graph = "rdf"
    draft.variants = {}
    draft.write(tmp_path / "rdf.saga")
    no = Answer(body=b'{"head":{},"boolean":false}')
    async with Upstream(split(Answer(body=EMPTY), no)) as up, guarded(up.url, tmp_path / "rdf.saga") as base:
        query = ask(f"SELECT ?d {{ ?x <{name}> ?d }}")
        got = await wire.post(f"{base}/sparql", query)
        assert (got.status, got.body) == (200, EMPTY)
        (element,) = elements(got)
        assert element.startswith("unknown_id; severity=warn; line=1; column=13; property=")
        (finding,) = (await wire.post(f"{base}/validate", query)).json["findings"]
        assert all(len(each) <= 1_500 for each in strings(finding))


YES_OR_NO = ["ASK { wd:Q142 wdt:P569 ?d }", "ASK { ?x wdt:P31 wd:Q515 ; wdt:P569 ?d }"]
COUNTED = [
    f"SELECT ({count} AS ?n) {{ wd:Q142 wdt:P569 ?d }}" for count in ("COUNT(*)", "COUNT(DISTINCT ?d)", "SUM(?d)")
]


@pytest.mark.parametrize(
    ("text", "fmt"),
    [
        *((text, fmt) for text in YES_OR_NO for fmt in (Format.JSON, Format.XML)),
        *((text, fmt) for text in COUNTED for fmt in (Format.JSON, Format.XML, Format.CSV, Format.TSV)),
    ],
)
async def test_a_count_and_a_yes_or_no_are_explained_the_first_time_too(
    demo_store: Path, tmp_path: Path, text: str, fmt: Format
) -> None:
    demo_draft().write(tmp_path / "demo.saga")
    answer = "false" if text in YES_OR_NO else "0"
    words = f"The answer is {answer} because date of birth (P569) is for human"
    async with guarded(demo_store, tmp_path / "demo.saga", types_s=10.0, ask_s=10.0) as base:
        got = await wire.get(f"{base}/sparql", ask(text), {"Accept": fmt.media_type})
        assert (got.status, got.type) == (200, fmt.media_type)
        assert answer.encode() in got.body
        assert words in unquote(elements(got)[0])
        (finding,) = (await wire.get(f"{base}/validate", ask(text))).json["findings"]
        assert words in finding["message"]
        blocked = await wire.get(f"{base}/sparql", ask(text), {"Saga-Guard": "block"})
        assert blocked.json["detail"].startswith(f"[BLOCKED] {words}")


@pytest.mark.parametrize("count", ["10", "01", "0.0", "-0", "00"])
async def test_a_count_of_something_waits_for_nobody(tmp_path: Path, count: str) -> None:
    demo_draft().write(tmp_path / "demo.saga")
    binding = {"n": {"type": "literal", "value": count}}
    body = json.dumps({"head": {"vars": ["n"]}, "results": {"bindings": [binding]}}).encode()
    hangs = split(Answer(body=body), HANGS)
    async with Upstream(hangs) as up, guarded(up.url, tmp_path / "demo.saga", types_s=60, ask_s=60) as base:
        async with asyncio.timeout(30):
            got = await wire.get(f"{base}/sparql", ask(COUNTED[0]))
            assert (got.status, got.body) == (200, body)


async def test_a_count_of_nothing_in_pieces_is_explained_too(tmp_path: Path) -> None:
    demo_draft().write(tmp_path / "demo.saga")
    pieces = [b'{"head":{"vars":["n"]},"results":{"bindings":[{"n":{"type":"literal","value":"', b'0"}}', b"]}}"]
    client = Answer(body=pieces, between_s=0.2, framing="chunked")
    async with Upstream(split(client, told("France"))) as up, guarded(up.url, tmp_path / "demo.saga") as base:
        got = await wire.get(f"{base}/sparql", ask(COUNTED[0]))
        assert (got.status, got.body) == (200, b"".join(pieces))
        assert "The answer is 0 because" in unquote(elements(got)[0])
