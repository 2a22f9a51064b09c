"""A real Virtuoso behind the proxy: its dialect, its limits, and what it says of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests import stage


@pytest.fixture(scope="module")
def virtuoso(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if shutil.which("virtuoso-t") is None:
        pytest.skip("virtuoso-t is not installed (Debian: virtuoso-opensource-7-bin)")
    with stage.virtuoso_server(tmp_path_factory.mktemp("virtuoso"), rows=1000, seconds=2) as url:
        yield url


class Answer:
    def __init__(self, status: int, headers: Any, body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def ask(virtuoso: str, text: str, accept: str = "application/sparql-results+json", **more: str) -> Answer:
    tables = {"endpoints": {"v": {"url": virtuoso, "engine": "virtuoso", "graph": "freebase", "private_graphs": True}}}
    async with stage.proxy(tables) as url, aiohttp.ClientSession() as session:
        request = session.post(url + "/sparql", data={"query": text, **more}, headers={"Accept": accept})
        async with request as reply:
            return Answer(reply.status, reply.headers, await reply.read())


@pytest.mark.parametrize(
    ("text", "expected"), [("ASK { ?s ?p ?o }", True), ("ASK { ?s ?p <urn:nothing> }", False), ("ASK {}", True)]
)
async def test_an_ask_is_a_boolean_in_json_and_xml(virtuoso: str, text: str, expected: bool) -> None:
    assert (await ask(virtuoso, text)).json["boolean"] is expected
    xml = await ask(virtuoso, text, "application/sparql-results+xml")
    assert f"<boolean>{str(expected).lower()}</boolean>".encode() in xml.body
    assert xml.headers["Content-Type"] == "application/sparql-results+xml"


async def test_its_own_words_are_left_to_it(virtuoso: str) -> None:
    text = "DEFINE sql:signal-void-variables 1 SELECT ?s { ?s ?p ?o FILTER(isLiteral(?o) OR isIRI(?o)) } LIMIT 3"
    assert len((await ask(virtuoso, text)).json["results"]["bindings"]) == 3


async def test_freebase_names_need_no_prefix_line(virtuoso: str) -> None:
    answer = await ask(virtuoso, "SELECT ?x { ns:m.02mjmr ns:people.person.place_of_birth ?x }")
    assert (answer.status, answer.json["results"]["bindings"]) == (200, [])


async def test_a_row_cap_is_said_and_never_called_whole(virtuoso: str) -> None:
    capped = await ask(virtuoso, "SELECT * { ?s ?p ?o }")
    assert len(capped.json["results"]["bindings"]) == 1000
    assert capped.headers["X-SPARQL-MaxRows"] == "1000"
    assert capped.headers["Saga-Partial"] == "row_cap"
    whole = await ask(virtuoso, "SELECT * { ?s ?p ?o } LIMIT 10")
    assert "Saga-Partial" not in whole.headers


async def test_an_anytime_answer_is_said_to_be_one(virtuoso: str) -> None:
    text = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
    anytime = await ask(virtuoso, text, timeout="1")
    assert (anytime.status, anytime.headers["Saga-Partial"]) == (200, "anytime")
    assert anytime.headers["X-SQL-State"] == "S1TAT"


async def test_its_own_time_limit_is_a_timeout_and_not_an_overload(virtuoso: str) -> None:
    text = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
    late = await ask(virtuoso, text)
    assert (late.status, late.json["code"]) == (504, "timeout")


@pytest.mark.parametrize(
    "accept", ["text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json"]
)
async def test_graphs_come_in_every_format(virtuoso: str, accept: str) -> None:
    graph = await ask(virtuoso, "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 5", accept)
    assert (graph.status, graph.headers["Content-Type"].partition(";")[0]) == (200, accept)
    assert b"openlinksw" in graph.body


@pytest.mark.parametrize("accept", ["text/csv", "text/tab-separated-values"])
async def test_tables_are_written_by_us(virtuoso: str, accept: str) -> None:
    table = await ask(virtuoso, "SELECT ?s ?o { ?s ?p ?o } LIMIT 3", accept)
    assert len(table.body.splitlines()) == 4


async def test_a_mistake_has_our_place_and_words(virtuoso: str) -> None:
    wrong = await ask(virtuoso, "SELECT * {\n ?s ?p }")
    assert (wrong.status, wrong.json["code"], wrong.json["line"]) == (400, "bad_query", 2)
    unknown = await ask(virtuoso, "SELECT ?s { ?s ?p ?o FILTER(bif:no_such_function(?o)) }")
    assert unknown.status == 400
    assert "no_such_function" in unknown.json["detail"]
    assert "SPARQL query:" not in unknown.json["detail"]


async def test_an_update_that_its_user_may_not_do_is_forbidden(virtuoso: str, tmp_path: Path) -> None:
    tables = {"endpoints": {"v": {"url": virtuoso, "engine": "virtuoso", "updates": True}}}
    async with stage.proxy(tables) as url, aiohttp.ClientSession() as session:
        update = {"update": "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:b> 1 } }"}
        async with session.post(url + "/sparql", data=update) as reply:
            assert (reply.status, (await reply.json(content_type=None))["code"]) == (403, "forbidden")
