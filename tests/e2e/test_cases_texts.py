"""Cases P26, P27, P61, P62, P65: what a text is taken for, where it may reach, and how a bad one is answered."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import wire
from tests.fronts import embedded, front, store
from tests.profiles import blazegraph_malformed, fuseki_malformed, html_failure, qlever_malformed, select
from tests.upstream import Answer, Upstream

READS = [
    'SELECT * { ?s ?p "INSERT coin, then DELETE" ; <http://e.org/LOAD> ?o }',
    "SELECT * { ?s ?p '''CLEAR ALL ; DROP ALL''' }",
    "SELECT ?insert ?delete { ?insert ?p ?delete }",
    "PREFIX insert: <http://e.org/> SELECT * { ?s insert:delete ?o }",
    "# DELETE WHERE { ?s ?p ?o }\nSELECT * { ?s ?p ?o }",
    "PREFIX ask: <http://e.org/ask#> SELECT * { ?s ask:CONSTRUCT ?o } # Askomics contains ask",
    "SELECT * { ?s ?p ?o FILTER(?o != <http://e.org/?update=CLEAR%20ALL>) }",
    'SELECT * { ?s ?p ?o FILTER(?o != "\\"} ; CLEAR ALL #") }',
]


@pytest.mark.parametrize("text", READS)
async def test_P26_words_in_literals_names_and_comments_are_no_update(text: str, tmp_path: Path) -> None:
    async with Upstream(select()) as up, front(up) as url:
        got = await wire.post(url, {"query": text})
        assert (got.status, got.type) == (200, "application/sparql-results+json")
        assert up.last.form["query"] == [text]
    async with embedded(store(tmp_path / "store")) as url:
        assert (await wire.post(url, {"query": text})).status == 200


DIALECTS = {
    "named subquery": "SELECT ?i WITH { SELECT ?i { ?i ?p ?o } LIMIT 3 } AS %x { INCLUDE %x }",
    "service in service": "SELECT * { SERVICE <http://a.e.org/> { ?s ?p ?o SERVICE <http://b.e.org/> { ?o ?q ?r } } }",
    "define": "DEFINE sql:signal-void-variables 1 SELECT * {?s ?p ?o}",
    "undeclared": "SELECT * { ?i wdt:P31 wd:Q5 . hint:Query hint:optimizer 'None' . SERVICE bd:x { bd:y bd:z 1 } }",
    "or": "SELECT * { ?s ?p ?o FILTER(?o = 1 OR ?o = 2) }",
    "unknown": "SELECT * { ?s ?p ?o } FROBNICATE BY ?s",
}


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("engine", ["generic", "blazegraph"])
async def test_P27_a_dialect_goes_to_the_endpoint_that_may_know_it(name: str, engine: str) -> None:
    async with Upstream(select()) as up, front(up, engine=engine) as url:
        got = await wire.post(url, {"query": DIALECTS[name]})
        assert (got.status, got.end) == (200, "whole")
        assert up.last.form["query"] == [DIALECTS[name]]


HIDDEN = [
    "DEFINE sql:x 1 CLEAR ALL",
    "DEFINE sql:x 1 INSERT { <s:s> <p:p> 1 } FROM <http://e.org/g> WHERE { ?s ?p ?o OR ?p }",
    "SELECT ?i WITH { SELECT ?i { ?i ?p ?o } } AS %x { INCLUDE %x } ; DROP ALL",
    "FROBNICATE { ?s ?p ?o }",
]


@pytest.mark.parametrize("text", HIDDEN)
async def test_P27_no_dialect_hides_an_update_or_is_no_query_at_all(text: str) -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.post(url, {"query": text})
        assert got.status == 400
        assert up.sent == []


@pytest.mark.parametrize(
    "text",
    [
        "DEFINE sql:x 1 SELECT * { SERVICE <http://evil.e.org/> { ?s ?p ?o } FILTER(?o = 1 OR ?o = 2) }",
        "SELECT ?i WITH { SELECT ?i { SERVICE <http://evil.e.org/> { ?i ?p ?o } } } AS %x { INCLUDE %x }",
        "SELECT * { ?s ?p ?o SERVICE <http://evil.e.org/> { ?s ?p ?o } } FROBNICATE BY ?s",
        "SELECT * { SERVICE <http://good.e.org/> { ?s ?p ?o SERVICE <http://evil.e.org/> { ?o ?q ?r } } }",
    ],
)
async def test_P27_no_dialect_hides_a_service(text: str) -> None:
    async with Upstream() as up, front(up, service=["http://good.e.org/"]) as url:
        got = await wire.post(url, {"query": text})
        assert got.status in (400, 403)
        assert up.sent == []


def _services(target: str) -> list[str]:
    iri = f"<{target}>"
    return [
        f"SELECT * {{ SERVICE {iri} {{ ?s ?p ?o }} }}",
        f"SELECT * {{ SERVICE SILENT {iri} {{ ?s ?p ?o }} }}",
        f"ASK {{ SERVICE\n#x\n{iri} {{ ?s ?p ?o }} }}",
        f"SELECT * {{ BIND({iri} AS ?e) SERVICE SILENT ?e {{ ?s ?p ?o }} }}",
        f"SELECT * {{ VALUES ?e {{ {iri} }} SERVICE ?e {{ ?s ?p ?o }} }}",
        f"SELECT * {{ SERV\\u0049CE {iri} {{ ?s ?p ?o }} }}",
        f"BASE {iri} SELECT * {{ SERVICE <> {{ ?s ?p ?o }} }}",
        f"PREFIX x: {iri} SELECT * {{ SERVICE x: {{ ?s ?p ?o }} }}",
        f"SELECT * {{ ?s ?p ?o FILTER EXISTS {{ SERVICE {iri} {{ ?s ?p ?o }} }} }}",
        f"SELECT * {{ {{ SELECT * {{ SERVICE {iri} {{ ?s ?p ?o }} }} }} }}",
        f"CONSTRUCT {{ ?s ?p ?o }} {{ OPTIONAL {{ service silent {iri} {{ ?s ?p ?o }} }} }}",
    ]


async def test_P61_a_store_sends_no_service_request(tmp_path: Path) -> None:
    async with Upstream(select()) as target, embedded(store(tmp_path / "store")) as url:
        for text in _services(target.url):
            got = await wire.post(url, {"query": text}, {"Accept": "*/*"})
            assert got.status in (400, 403), text
            assert got.type == "application/problem+json"
        assert (target.sent, target.connections) == ([], 0)


@pytest.mark.parametrize("number", range(11))
async def test_P61_a_list_lets_only_its_own_targets_pass(number: int) -> None:
    bad, good = _services("http://169.254.169.254/x")[number], _services("http://good.e.org/sparql")[number]
    async with Upstream(select()) as up, front(up, service=["http://good.e.org/sparql"]) as url:
        got = await wire.post(url, {"query": bad}, {"Accept": "*/*"})
        assert got.status in (400, 403)
        assert up.sent == []
        got = await wire.post(url, {"query": good}, {"Accept": "*/*"})
        # A variable can hold anything: it is refused wherever a list applies.
        assert got.status in ((400, 403) if "?e" in good else (200, 502))
        assert len(up.sent) == ("?e" not in good)


@pytest.mark.parametrize("number", range(11))
async def test_P61_services_pass_to_an_endpoint_by_default(number: int) -> None:
    text = _services("http://other.e.org/sparql")[number]
    async with Upstream(select()) as up, front(up) as url:
        await wire.post(url, {"query": text}, {"Accept": "*/*"})
        assert up.last.form["query"] == [text]


@pytest.mark.parametrize("service", [[], ["http://good.e.org/sparql"]])
async def test_P61_the_label_service_is_no_request_and_passes(service: list[str]) -> None:
    text = (
        "PREFIX wikibase: <http://wikiba.se/ontology#> PREFIX bd: <http://www.bigdata.com/rdf#> SELECT * "
        '{ ?s ?p ?o SERVICE wikibase:label { bd:serviceParam wikibase:language "en" } }'
    )
    async with Upstream(select()) as up, front(up, engine="blazegraph", graph="wikidata", service=service) as url:
        assert (await wire.post(url, {"query": text})).status == 200
        bare = text.rpartition("> ")[2]
        assert (await wire.post(url, {"query": bare})).status == 200


PRIVATE = [
    "file:///x",
    "FILE:///etc/passwd",
    "http://10.0.0.1/a",
    "http://127.0.0.1:8080/a",
    "http://127.1/a",
    "http://2130706433/a",
    "http://0x7f.0.0.1/a",
    "http://[::1]/a",
    "http://[::ffff:10.0.0.1]/a",
    "http://localhost/a",
    "http://LOCALHOST./a",
    "http://169.254.169.254/latest/meta-data",
    "http://192.168.1.1/a",
    "http://user@10.0.0.1/a",
    "https://0.0.0.0/a",
]


@pytest.mark.parametrize("graph", PRIVATE)
@pytest.mark.parametrize("way", ["from", "from named", "default", "named"])
async def test_P61_files_and_private_addresses_are_no_graphs(graph: str, way: str) -> None:
    texts = {"from": f"ASK FROM <{graph}> {{}}", "from named": f"ASK FROM NAMED <{graph}> {{}}"}
    fields: dict[str, str] = {} if way in texts else {f"{way}-graph-uri": graph}
    async with Upstream() as up, front(up) as url:
        got = await wire.post(url, {"query": texts.get(way, "ASK {}"), **fields})
        assert (got.status, got.json["code"]) == (403, "forbidden")
        assert up.sent == []


@pytest.mark.parametrize(
    "text",
    [
        "LOAD <http://10.0.0.1/a>",
        "LOAD SILENT <http://e.org/a> INTO GRAPH <http://e.org/g>",
        "INSERT DATA { <s:s> <p:p> 1 } ; LOAD <file:///etc/passwd>",
        "LO\\u0041D <http://e.org/a>",
        "DELETE {} WHERE { SERVICE <http://10.0.0.1/x> { ?s ?p ?o } }",
        "WITH <file:///x> DELETE {} WHERE {}",
        "DELETE {} USING <file:///x> WHERE {}",
    ],
)
async def test_P61_an_update_loads_from_listed_targets_only(text: str, tmp_path: Path) -> None:
    fields = {"update": text}
    async with Upstream() as up, front(up, updates=True, service=["http://good.e.org/"]) as url:
        got = await wire.post(url, fields)
        assert got.status in (400, 403)
        assert up.sent == []
    if "SERVICE" in text or "LO" in text:
        async with embedded(store(tmp_path / "store"), updates=True) as url:
            assert (await wire.post(url, fields)).status in (400, 403)


async def test_P61_load_of_a_listed_target_reaches_the_endpoint() -> None:
    text = "LOAD <http://good.e.org/data.ttl>"
    async with Upstream() as up, front(up, updates=True, service=["http://good.e.org/data.ttl"]) as url:
        assert (await wire.post(url, {"update": text})).status in (200, 204)
        assert up.last.form["update"] == [text]


async def test_P61_load_needs_a_listed_target_also_where_services_pass() -> None:
    async with Upstream() as up, front(up, updates=True) as url:
        assert (await wire.post(url, {"update": "LOAD <http://e.org/data.ttl>"})).status == 403
        assert up.sent == []


@pytest.mark.parametrize(
    "text", ["SELECT * {?s ?p ?o} LIMIT 50000", "SELECT * {?s ?p ?o} ORDER BY ?s", "SELECT * {?s ?p ?o}"]
)
async def test_P62_one_query_is_one_request_and_its_limit_is_its_own(text: str) -> None:
    async with Upstream(select(2_000)) as up, front(up) as url:
        got = await wire.get(url, {"query": text})
        assert (got.end, len(got.values)) == ("whole", 2_000)
        assert [sent.form["query"] for sent in up.sent] == [[text]]


def _problem(got: wire.Received, status: int, code: str) -> Mapping[str, object]:
    """Return the problem of a response, which has the one shape of errors."""
    document = got.json
    assert (got.status, got.type, got.header("cache-control")) == (status, "application/problem+json", "no-store")
    assert (document["status"], document["code"]) == (status, code)
    assert document["detail"]
    assert document["title"]
    assert document["request_id"] == got.header("x-request-id")
    return dict(document)


@pytest.mark.parametrize("accept", [None, "text/csv", "application/sparql-results+json", "text/html"])
async def test_P65_no_query_at_all_is_400_with_its_place(accept: str | None, tmp_path: Path) -> None:
    headers = {"X-Request-Id": "my-id-1", **({"Accept": accept} if accept else {})}
    async with Upstream() as up, front(up) as url:
        problem = _problem(await wire.get(url, {"query": "SELEKT *"}, headers), 400, "bad_query")
        assert (problem["line"], problem["column"], problem["request_id"]) == (1, 1, "my-id-1")
        assert up.sent == []
    async with embedded(store(tmp_path / "store")) as url:
        problem = _problem(await wire.get(url, {"query": "\n  SELEKT *"}, headers), 400, "bad_query")
        assert (problem["line"], problem["column"]) == (2, 3)


@pytest.mark.parametrize("engine", ["blazegraph", "qlever", "fuseki", "generic"])
async def test_P65_a_syntax_error_of_the_endpoint_gets_our_line_and_column(engine: str) -> None:
    answers = {"blazegraph": lambda _: blazegraph_malformed(), "qlever": qlever_malformed}
    script = answers.get(engine, lambda _: fuseki_malformed())
    async with Upstream(script) as up, front(up, engine=engine) as url:
        got = await wire.get(url, {"query": "SELECT *\n{ ?s ?p }"})
        problem = _problem(got, 400, "bad_query")
        assert (problem["line"], problem["column"]) == (2, 9)
        for foreign in (b"java.", b"\\tat ", b"<html", b"com.bigdata", b"runtimeInformation"):
            assert foreign not in got.body


async def test_P65_a_syntax_error_of_a_store_says_where(tmp_path: Path) -> None:
    async with embedded(store(tmp_path / "store")) as url:
        problem = _problem(await wire.get(url, {"query": "SELECT *\n{ ?s ?p }"}), 400, "bad_query")
        assert (problem["line"], problem["column"]) == (2, 9)


@pytest.mark.parametrize("status", [400, 500, 502, 404, 401, 403])
async def test_P65_no_html_and_no_stack_trace_reaches_the_client(status: int) -> None:
    async with Upstream(html_failure(status)) as up, front(up) as url:
        got = await wire.get(url, {"query": "ASK {}"}, {"Accept": "text/html, */*;q=0.1"})
        expected = {400: (400, "bad_query"), 401: (403, "forbidden"), 403: (403, "forbidden")}
        _problem(got, *expected.get(status, (502, "upstream_failed")))
        for foreign in (b"java.", b"<html", b"<pre", b"d2rq"):
            assert foreign not in got.body


async def test_P65_every_refusal_has_the_one_shape() -> None:
    async with Upstream(Answer()) as up, front(up) as url:
        text = {"query": "ASK {}"}
        _problem(await wire.get(url.replace("/sparql", "/nowhere"), text), 404, "not_found")
        _problem(await wire.get(f"{url}/nowhere", text), 404, "not_found")
        _problem(await wire.send(url, "PUT", {"Content-Type": wire.QUERY}, b"ASK {}"), 405, "method_not_allowed")
        _problem(await wire.get(url, text, {"Accept": "text/csv"}), 406, "not_acceptable")
        _problem(await wire.send(url, "POST", {"Content-Type": "text/plain"}, b"ASK {}"), 415, "unsupported_media")
        _problem(await wire.send(url, "POST", {}, b"query=ASK%7B%7D"), 415, "unsupported_media")
        assert up.sent == []
