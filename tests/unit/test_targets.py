from __future__ import annotations

from typing import Any

import pytest

from proxy.contract import Caller, Dataset, Query
from proxy.errors import Forbidden
from proxy.results.formats import Format
from proxy.settings import EndpointTable
from proxy.syntax import read
from proxy.targets import is_private, refuse_targets

LABELS = "SELECT * { ?s ?p ?o SERVICE wikibase:label { bd:serviceParam wikibase:language 'en' } }"
PREFIXES = {"wikibase": "http://wikiba.se/ontology#", "bd": "http://www.bigdata.com/rdf#"}


def passes(text: str, dataset: Dataset | None = None, **keys: Any) -> bool:
    address: dict[str, Any] = {} if "store" in keys else {"url": "http://e.org/sparql"}
    table = EndpointTable(**address, **keys)
    query = Query(
        id="1",
        endpoint="e",
        syntax=read(text, prefixes=PREFIXES),
        formats=(Format.JSON,),
        caller=Caller(address="127.0.0.1"),
        dataset=dataset or Dataset(),
    )
    try:
        refuse_targets(query, table)
    except Forbidden:
        return False
    return True


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { SERVICE <http://other.example/> { ?s ?p ?o } }",
        "SELECT * { SERVICE SILENT <http://other.example/> { ?s ?p ?o } }",
        "SELECT * { BIND(<http://169.254.169.254/x> AS ?e) SERVICE SILENT ?e { ?s ?p ?o } }",
        "SELECT * { SERV\\u0049CE <http://other.example/> { ?s ?p ?o } }",
        "PREFIX x: <http://other.example/> SELECT * { { OPTIONAL { service x: { ?s ?p ?o } } } }",
        "SELECT * { SERVICE unknown:x { ?s ?p ?o } }",
        "SELECT * WITH { SELECT * { SERVICE <http://other.example/> {} } } AS %x { INCLUDE %x }",
        "SELECT * { gibberish ( SERVICE <http://other.example/> { } ",
    ],
)
def test_only_listed_services_where_a_list_applies(text: str) -> None:
    assert passes(text)
    assert not passes(text, service=())
    assert not passes(text, service=("http://fine.example/",))
    assert not passes(text, store="/x")


def test_a_listed_service_passes_and_an_engines_own_is_no_request() -> None:
    assert passes("SELECT * { SERVICE <http://a.example/> {} }", service=("http://a.example/",))
    assert passes(LABELS, service=())
    # Oxigraph would send a request for it.
    assert not passes(LABELS, store="/x")


@pytest.mark.parametrize("iri", ["file:///etc/passwd", "http://10.0.0.1/a", "http://[::1]/", "http://localhost:8890/D"])
def test_private_graphs_are_for_stores_and_those_who_allow_them(iri: str) -> None:
    text = f"SELECT * FROM <{iri}> {{ ?s ?p ?o }}"
    assert not passes(text)
    assert not passes("ASK {}", Dataset(default=(iri,)))
    assert not passes("ASK {}", Dataset(named=(iri,)))
    assert passes(text, private_graphs=True)
    assert passes(text, store="/x")


def test_load_needs_a_listed_target_everywhere() -> None:
    text = "LOAD <http://10.0.0.1/a>"
    assert not passes(text)
    assert not passes(text, store="/x")
    assert not passes("LOAD SILENT <http://a.example/> INTO GRAPH <urn:g>")
    assert passes("LOAD <http://a.example/>", service=("http://a.example/",))


@pytest.mark.parametrize(
    ("iri", "private"),
    [
        ("http://e.org/g", False),
        ("urn:uuid:1", False),
        ("FILE:/x", True),
        ("http://127.1.2.3/", True),
        ("http://169.254.169.254/latest", True),
        ("http://192.168.0.1", True),
        ("http://[fe80::1]/", True),
        ("http://8.8.8.8/", False),
        ("http://db.internal/", True),
        ("http://[broken/", True),
    ],
)
def test_private_is_what_is_not_public(iri: str, private: bool) -> None:
    assert is_private(iri) is private
