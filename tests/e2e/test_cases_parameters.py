"""Cases P14 to P24: parameters that are absent, empty, foreign or dangerous, the dataset, and sizes."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests import wire
from tests.fronts import embedded, front, store
from tests.profiles import select
from tests.upstream import Answer, Upstream

A, B = "http://e.org/a", "http://e.org/b"


@pytest.mark.parametrize(
    "target", ["?query=", "?query=%20%0A", "?foo=1", "?timeout=3", "?default-graph-uri=", "?query"]
)
async def test_P14_an_empty_or_missing_query_is_a_message_and_no_description(target: str) -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.send(url + target, "GET")
        assert (got.status, got.json["code"]) == (400, "bad_request")
        assert "query" in got.json["detail"]
        assert up.sent == []


@pytest.mark.parametrize("body", [b"", b"query=", b"update=", b"foo=1"])
async def test_P14_an_empty_form_is_a_message(body: bytes) -> None:
    async with Upstream() as up, front(up, updates=True) as url:
        got = await wire.send(url, "POST", {"Content-Type": wire.FORM}, body)
        assert (got.status, got.json["code"]) == (400, "bad_request")
        assert up.sent == []


async def test_P14_an_empty_direct_query_is_a_message() -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.direct(url, " \n")
        assert got.status == 400
        assert up.sent == []


async def test_P14_an_address_without_parameters_is_the_description() -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.get(url)
        assert (got.status, got.type) == (200, "text/turtle")
        assert up.sent == []


async def test_P17_every_graph_is_forwarded() -> None:
    fields = [
        ("query", "ASK{?s ?p ?o}"),
        ("default-graph-uri", A),
        ("default-graph-uri", B),
        ("named-graph-uri", B),
        ("named-graph-uri", "http://e.org/c?x=1&y=%20"),
    ]
    async with Upstream() as up, front(up) as url:
        for got in (await wire.get(url, fields), await wire.post(url, fields)):
            assert got.status == 200
        for sent in up.sent:
            assert sent.form["default-graph-uri"] == [A, B]
            assert sent.form["named-graph-uri"] == [B, "http://e.org/c?x=1&y=%20"]


@pytest.mark.parametrize("method", ["POST", "QUERY"])
async def test_P17_the_address_of_a_direct_query_holds_the_dataset(method: str) -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.direct(f"{url}?default-graph-uri={A}&named-graph-uri={B}", "ASK{}", method=method)
        assert got.status == 200
        assert (up.last.form["default-graph-uri"], up.last.form["named-graph-uri"]) == ([A], [B])


async def test_P17_an_update_names_its_graphs_too() -> None:
    async with Upstream() as up, front(up, updates=True) as url:
        fields = [("update", "DELETE WHERE {?s ?p ?o}"), ("using-graph-uri", A), ("using-named-graph-uri", B)]
        got = await wire.post(url, fields)
        assert got.status in (200, 204)
        assert (up.last.form["using-graph-uri"], up.last.form["using-named-graph-uri"]) == ([A], [B])


ROWS = [
    ({"default-graph-uri": "http://e.org/empty"}, []),
    ({"default-graph-uri": A}, ["a"]),
    ({}, ["default"]),
    ({"named-graph-uri": A}, []),
]


async def test_P17_a_store_keeps_to_the_graphs_of_the_request(tmp_path: Path) -> None:
    async with embedded(store(tmp_path / "store")) as url:
        for fields, rows in ROWS:
            got = await wire.post(url, {"query": "SELECT ?o {?s <http://e.org/p> ?o}", **fields})
            assert [row["o"] for row in got.values] == rows
        got = await wire.post(url, {"query": "ASK{?s ?p ?o}", "default-graph-uri": "http://e.org/empty"})
        assert got.json["boolean"] is False


async def test_P18_empty_graphs_are_ignored(tmp_path: Path) -> None:
    query = "default-graph-uri=&named-graph-uri=&query=ASK%7B%3Fs+%3Fp+%3Fo%7D"
    async with Upstream() as up, front(up) as url:
        for got in (await wire.send(f"{url}?{query}", "GET"), await wire.send(f"{url}?{query}&timeout=", "GET")):
            assert got.status == 200
        assert set(up.last.form) == {"query"}
    async with embedded(store(tmp_path / "store")) as url:
        got = await wire.send(f"{url}?{query}", "GET")
        assert (got.status, got.json["boolean"]) == (200, True)


async def test_P19_the_dataset_of_the_request_beats_from(tmp_path: Path) -> None:
    query = f"SELECT ?o FROM <{A}> {{?s <http://e.org/p> ?o}}"
    async with embedded(store(tmp_path / "store")) as url:
        assert [row["o"] for row in (await wire.get(url, {"query": query})).values] == ["a"]
        got = await wire.get(url, {"query": query, "default-graph-uri": B})
        assert [row["o"] for row in got.values] == ["b"]


async def test_P19_from_without_from_named_leaves_no_named_graph(tmp_path: Path) -> None:
    async with embedded(store(tmp_path / "store")) as url:
        got = await wire.get(url, {"query": f"SELECT ?o FROM <{A}> {{ GRAPH <{B}> {{ ?s ?p ?o }} }}"})
        assert got.values == []
        got = await wire.get(url, {"query": f"SELECT ?o FROM NAMED <{B}> {{ GRAPH ?g {{ ?s <http://e.org/p> ?o }} }}"})
        assert [row["o"] for row in got.values] == ["b"]


async def test_P19_both_are_forwarded_as_they_came() -> None:
    query = f"SELECT * FROM <{A}> {{?s ?p ?o}}"
    async with Upstream(select()) as up, front(up) as url:
        assert (await wire.get(url, {"query": query, "default-graph-uri": B})).status == 200
        assert (up.last.form["query"], up.last.form["default-graph-uri"]) == ([query], [B])


@pytest.mark.parametrize(
    "text",
    [
        f"DELETE {{ ?s ?p ?o }} USING <{A}> WHERE {{ ?s ?p ?o }}",
        f"DELETE {{ ?s ?p ?o }} USING NAMED <{A}> WHERE {{ GRAPH ?g {{ ?s ?p ?o }} }}",
        f"WITH <{A}> DELETE {{ ?s ?p ?o }} WHERE {{ ?s ?p ?o }}",
        f"INSERT DATA {{ <{A}> <{A}> 1 }} ; WITH <{A}> DELETE {{ ?s ?p ?o }} WHERE {{ ?s ?p ?o }}",
    ],
)
@pytest.mark.parametrize("name", ["using-graph-uri", "using-named-graph-uri"])
async def test_P19_an_update_with_two_datasets_is_refused(text: str, name: str) -> None:
    async with Upstream() as up, front(up, updates=True) as url:
        for got in (
            await wire.post(url, {"update": text, name: B}),
            await wire.direct(f"{url}?{name}={B}", text, wire.UPDATE),
        ):
            assert got.status == 400
        assert up.sent == []


NOISE = [("query", "SELECT * {?s ?p ?o}"), ("format", "json"), ("output", "json"), ("results", "json")]


async def test_P21_foreign_parameters_are_ignored() -> None:
    extra = [*NOISE, ("debug", "on"), ("run", " Run Query "), ("default-graph", "x"), ("", "x"), ("callback", "f")]
    async with Upstream(select()) as up, front(up) as url:
        for got in (await wire.get(url, extra), await wire.post(url, extra)):
            assert (got.status, got.type) == (200, "application/sparql-results+json")
        assert all(set(sent.form) == {"query"} for sent in up.sent)


FORMATS = [
    (None, "csv", "text/csv"),
    ("*/*", "csv", "text/csv"),
    ("*/*;q=0.8", "text/csv", "text/csv"),
    (None, "application/sparql-results+xml", "application/sparql-results+xml"),
    (None, "xml", "application/sparql-results+xml"),
    (None, "tsv", "text/tab-separated-values"),
    (None, "turtle", "application/sparql-results+json"),
    (None, "nonsense", "application/sparql-results+json"),
    ("application/sparql-results+xml", "json", "application/sparql-results+xml"),
    ("text/csv, */*;q=0.1", "json", "text/csv"),
]


@pytest.mark.parametrize(("accept", "wanted", "media_type"), FORMATS)
@pytest.mark.parametrize("name", ["format", "output"])
async def test_P21_format_counts_where_accept_says_nothing(
    accept: str | None, wanted: str, media_type: str, name: str
) -> None:
    async with Upstream(select()) as up, front(up) as url:
        headers = {"Accept": accept} if accept else {}
        got = await wire.get(url, {"query": "SELECT * {?s ?p ?o}", name: wanted}, headers)
        assert (got.status, got.type, got.end) == (200, media_type, "whole")


DANGEROUS = [
    ("cmd", "clear-cache-complete"),
    ("access-token", "secret-token"),
    ("default-query-timeout", "9999s"),
    ("timeout", "9999"),
    ("send", "1"),
    ("maxrows", "0"),
    ("should-sponge", "grab-all"),
    ("qtxt", "x"),
    ("explain", "details"),
    ("analytic", "true"),
    ("uri", "file:///etc/passwd"),
]


@pytest.mark.parametrize("engine", ["generic", "qlever", "blazegraph", "virtuoso", "fuseki", "oxigraph"])
async def test_P22_only_known_parameters_are_forwarded(engine: str) -> None:
    async with Upstream() as up, front(up, engine=engine, total_s=7) as url:
        fields = [("query", "ASK{}"), *DANGEROUS]
        for got in (await wire.get(url, fields), await wire.post(url, fields), await wire.get(url, fields[::-1])):
            assert got.status == 200
        for sent in up.sent:
            assert sent.query_string == ""
            assert set(sent.form) <= {"query", "timeout", "queryId", "maxQueryTimeMillis"}
            assert "9999" not in sent.body.decode()
            assert "secret-token" not in f"{sent.headers} {sent.body!r}"
            limits_s = [float(value.rstrip("s")) for value in sent.form.get("timeout", ())]
            scale = 1000 if engine == "virtuoso" else 1
            assert all(limit <= 7 * scale for limit in limits_s)
            assert all(int(value) <= 7000 for value in sent.form.get("maxQueryTimeMillis", ()))


@pytest.mark.parametrize(("timeout", "least_s", "most_s"), [("0.3", 0.25, 0.9), ("9999", 0.9, 2.0), ("0", 0.9, 2.0)])
async def test_P22_timeout_only_lowers_the_limit(timeout: str, least_s: float, most_s: float) -> None:
    async with Upstream(Answer(before_head_s=5)) as up, front(up, total_s=1) as url:
        started = time.monotonic()
        got = await wire.get(url, {"query": "ASK{}", "timeout": timeout})
        assert (got.status, got.json["code"]) == (504, "timeout")
        assert least_s <= time.monotonic() - started <= most_s


@pytest.mark.parametrize("timeout", ["-1", "nan", "inf", "1e400", "5s", "0x10", "1_0"])
async def test_P22_a_timeout_that_is_no_number_is_refused(timeout: str) -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.get(url, {"query": "ASK{}", "timeout": timeout})
        assert got.status == 400
        assert up.sent == []
