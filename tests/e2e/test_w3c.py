"""The 34 cases of the W3C's SPARQL 1.1 Protocol tests, written anew from the specification; data and texts are ours.

Source: SPARQL 1.1 Protocol, sections 2.1 and 2.2. Each runs against a store, against a real Oxigraph server, and
through a chain of two proxies, the inner one on a store with updates.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
import pytest_asyncio
from pyoxigraph import RdfFormat, parse

from tests import stage, wire
from tests.fronts import store

pytestmark = pytest.mark.asyncio(loop_scope="module")

G = "http://example.org/g"
DATA = "".join(f'<http://example.org/s{n}> <http://example.org/p{n}> "{n}" <{G}{n}> .\n' for n in (1, 2, 3))
DATA += '<http://example.org/s0> <http://example.org/p0> "0" .\n'
NO_PAIRS: Sequence[tuple[str, str]] = ()

FORM, QUERY, UPDATE = wire.FORM, wire.QUERY, wire.UPDATE
RESULTS = ("application/sparql-results+json", "application/sparql-results+xml")
GRAPHS = ("text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request and what must come back: a boolean, one of these types, or just success."""

    method: str = "POST"
    address: Sequence[tuple[str, str]] = NO_PAIRS
    type: str | None = FORM
    form: Sequence[tuple[str, str]] | None = None
    text: bytes = b""
    boolean: bool | None = None
    types: Sequence[str] = ()


def get(*address: tuple[str, str], boolean: bool | None = None, types: Sequence[str] = ()) -> Step:
    """Ask by GET."""
    return Step(method="GET", address=address, type=None, boolean=boolean, types=types)


def post(*form: tuple[str, str], address: Sequence[tuple[str, str]] = NO_PAIRS, boolean: bool | None = None) -> Step:
    """Send a form."""
    return Step(form=form, address=address, boolean=boolean)


def update(*form: tuple[str, str]) -> Step:
    """Send an update as a form."""
    return Step(form=form)


def q(text: str) -> tuple[str, str]:
    """Return the parameter for a query."""
    return ("query", text)


def u(text: str) -> tuple[str, str]:
    """Return the parameter for an update."""
    return ("update", text)


def default(number: int) -> tuple[str, str]:
    """Return the parameter for a default graph."""
    return ("default-graph-uri", f"{G}{number}")


def named(number: int) -> tuple[str, str]:
    """Return the parameter for a named graph."""
    return ("named-graph-uri", f"{G}{number}")


TWO = """ASK { <http://example.org/s1> ?p ?o . <http://example.org/s2> ?q ?r
  FILTER NOT EXISTS { <http://example.org/s3> ?x ?y } }"""
TWO_NAMED = f"""ASK {{ GRAPH <{G}1> {{ ?s ?p ?o }} GRAPH <{G}2> {{ ?t ?q ?r }}
  FILTER NOT EXISTS {{ GRAPH <{G}3> {{ ?x ?y ?z }} }} }}"""
FULL = f"""ASK {{ <http://example.org/s3> ?p ?o . GRAPH <{G}1> {{ ?s ?q ?r }} GRAPH <{G}2> {{ ?t ?v ?w }}
  FILTER NOT EXISTS {{ GRAPH <{G}3> {{ ?x ?y ?z }} }} }}"""
FROM = f"ASK FROM <{G}1> {{ <http://example.org/s2> ?p ?o FILTER NOT EXISTS {{ <http://example.org/s1> ?q ?r }} }}"
A, B = "http://example.org/new/a", "http://example.org/new/b"
FRESH = f"CLEAR SILENT GRAPH <{A}> ; CLEAR SILENT GRAPH <{B}> ; CLEAR SILENT GRAPH <{B}r> ; "
FILLED = (
    FRESH + f'INSERT DATA {{ GRAPH <{A}> {{ <urn:x:a> <urn:x:p> "a" }} GRAPH <{B}> {{ <urn:x:b> <urn:x:p> "b" }} }}'
)
COPY = f"INSERT {{ GRAPH <{B}r> {{ ?s ?p ?o }} }} WHERE {{ %s }}"
COPIED_A = post(
    q(f'ASK {{ GRAPH <{B}r> {{ ?s ?p "a" }} FILTER NOT EXISTS {{ GRAPH <{B}r> {{ ?t ?p "b" }} }} }}'), boolean=True
)
COPIED_BOTH = post(q(f'ASK {{ GRAPH <{B}r> {{ ?s ?p "a" . ?t ?q "b" }} }}'), boolean=True)

POSITIVE: dict[str, Sequence[Step]] = {
    "query_post_form": [post(q("ASK {}"), address=[default(1)], boolean=True)],
    "query_dataset_default_graphs_get": [get(q(TWO), default(1), default(2), boolean=True)],
    "query_dataset_default_graphs_post": [post(q(TWO), address=[default(1), default(2)], boolean=True)],
    "query_dataset_named_graphs_get": [get(q(TWO_NAMED), named(1), named(2), boolean=True)],
    "query_dataset_named_graphs_post": [post(q(TWO_NAMED), address=[named(1), named(2)], boolean=True)],
    "query_dataset_full": [post(q(FULL), address=[default(3), named(1), named(2)], boolean=True)],
    "query_multiple_dataset": [post(q(FROM), address=[default(2)], boolean=True)],
    "query_get": [get(q("ASK {}"), boolean=True)],
    "query_content_type_select": [
        get(q("SELECT (1 AS ?value) {}"), types=(*RESULTS, "text/csv", "text/tab-separated-values"))
    ],
    "query_content_type_ask": [get(q("ASK {}"), types=RESULTS)],
    "query_content_type_describe": [get(q("DESCRIBE <http://example.org/s0>"), types=GRAPHS)],
    "query_content_type_construct": [get(q("CONSTRUCT { <urn:x:s> <urn:x:p> 1 } WHERE {}"), types=GRAPHS)],
    "query_post_direct": [Step(type=QUERY, text=b"ASK {}", boolean=True)],
    "update_dataset_default_graph": [
        update(u(FILLED)),
        update(u(COPY % "?s ?p ?o"), ("using-graph-uri", A)),
        COPIED_A,
    ],
    "update_dataset_default_graphs": [
        update(u(FILLED)),
        update(u(COPY % "?s ?p ?o"), ("using-graph-uri", A), ("using-graph-uri", B)),
        COPIED_BOTH,
    ],
    "update_dataset_named_graphs": [
        update(u(FILLED)),
        update(u(COPY % "GRAPH ?g { ?s ?p ?o }"), ("using-named-graph-uri", A), ("using-named-graph-uri", B)),
        COPIED_BOTH,
    ],
    "update_dataset_full": [
        update(u(FILLED)),
        update(
            u(COPY % "{ ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } }"),
            ("using-graph-uri", A),
            ("using-named-graph-uri", B),
        ),
        COPIED_BOTH,
    ],
    "update_post_form": [
        update(u(FRESH + f"INSERT DATA {{ GRAPH <{A}> {{ <urn:x:s> <urn:x:form> 1 }} }}")),
        post(q(f"ASK {{ GRAPH <{A}> {{ ?s <urn:x:form> 1 }} }}"), boolean=True),
    ],
    "update_post_direct": [
        Step(type=UPDATE, text=(FRESH + f"INSERT DATA {{ GRAPH <{A}> {{ <urn:x:s> <urn:x:direct> 1 }} }}").encode()),
        post(q(f"ASK {{ GRAPH <{A}> {{ ?s <urn:x:direct> 1 }} }}"), boolean=True),
    ],
    "update_base_uri": [
        update(
            u(
                "BASE <http://example.org/base/> "
                + FRESH
                + f"INSERT DATA {{ GRAPH <{A}> {{ <urn:x:s> <urn:x:p> <leaf> }} }}"
            )
        ),
        post(q(f"ASK {{ GRAPH <{A}> {{ ?s ?p <http://example.org/base/leaf> }} }}"), boolean=True),
    ],
}

NEGATIVE: dict[str, Step] = {
    "bad_query_method": Step(method="PUT", address=[q("ASK {}")], type=None),
    "bad_multiple_queries": get(q("ASK {}"), q("SELECT * {}")),
    "bad_query_wrong_media_type": Step(type="text/plain", text=b"ASK {}"),
    "bad_query_missing_form_type": Step(type=None, form=[q("ASK {}")]),
    "bad_query_missing_direct_type": Step(type=None, text=b"ASK {}"),
    "bad_query_non_utf8": Step(type=f"{QUERY}; charset=UTF-16", text="ASK {}".encode("utf-16")),
    "bad_query_syntax": get(q("ASK {")),
    "bad_update_get": get(u("CLEAR ALL")),
    "bad_multiple_updates": post(u("CLEAR NAMED"), u("CLEAR DEFAULT")),
    "bad_update_wrong_media_type": Step(type="text/plain", text=b"CLEAR NAMED"),
    "bad_update_missing_form_type": Step(type=None, form=[u("CLEAR NAMED")]),
    "bad_update_non_utf8": Step(type=f"{UPDATE}; charset=UTF-16", text="CLEAR NAMED".encode("utf-16")),
    "bad_update_syntax": post(u("CLEAR XYZ")),
    "bad_update_dataset_conflict": post(
        u(f"DELETE {{ ?s ?p ?o }} USING <{A}> WHERE {{ ?s ?p ?o }}"), ("using-named-graph-uri", B)
    ),
}
UPDATING = {name for name in POSITIVE if name.startswith("update")}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def address(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Serve the data as a store, through a chain of proxies, and by a real Oxigraph."""
    folder: Path = tmp_path_factory.mktemp("w3c")
    async with AsyncExitStack() as stack:
        inner = await stack.enter_async_context(
            stage.proxy({"endpoints": {"store": {"store": str(store(folder / "store", DATA)), "updates": True}}})
        )
        oxigraph = stack.enter_context(stage.oxigraph_server(store(folder / "server", DATA)))
        chain = {"url": f"{inner}/sparql", "updates": True}
        server = {"url": oxigraph, "engine": "oxigraph"}
        outer = await stack.enter_async_context(stage.proxy({"endpoints": {"chain": chain, "oxigraph": server}}))
        yield json.dumps(
            {"store": f"{inner}/sparql", "chain": f"{outer}/sparql", "oxigraph": f"{outer}/sparql/oxigraph"}
        )


async def _send(url: str, step: Step) -> wire.Received:
    if step.address:
        url = f"{url}?{urlencode(step.address)}"
    if step.method == "GET":
        return await wire.send(url, "GET")
    body = urlencode(step.form).encode() if step.form is not None else step.text
    return await wire.send(url, step.method, {"Content-Type": step.type} if step.type else {}, body)


@pytest.mark.parametrize("where", ["store", "chain", "oxigraph"])
@pytest.mark.parametrize("name", POSITIVE)
async def test_w3c_positive(name: str, where: str, address: str) -> None:
    if where == "oxigraph" and name in UPDATING:
        # Its server takes updates at another address than queries.
        where = "chain"
    for step in POSITIVE[name]:
        got = await _send(json.loads(address)[where], step)
        assert 200 <= got.status < 400, got.body
        assert got.end == "whole"
        if step.boolean is not None:
            assert got.json["boolean"] is step.boolean
        if step.types:
            assert got.type in step.types
        if got.type == "text/turtle":
            assert list(parse(got.body, format=RdfFormat.TURTLE))


@pytest.mark.parametrize("where", ["store", "chain", "oxigraph"])
@pytest.mark.parametrize("name", NEGATIVE)
async def test_w3c_negative(name: str, where: str, address: str) -> None:
    url = json.loads(address)[where]
    got = await _send(url, NEGATIVE[name])
    assert 400 <= got.status < 500, got.body
    assert got.type == "application/problem+json"
    assert (await wire.get(url, [q(f"ASK {{ GRAPH <{G}1> {{ ?s ?p ?o }} }}")])).json["boolean"] is True


async def test_w3c_is_complete() -> None:
    assert (len(POSITIVE), len(NEGATIVE)) == (20, 14)
