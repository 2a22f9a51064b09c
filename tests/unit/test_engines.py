"""What each engine is sent."""

from __future__ import annotations

import pytest

from proxy.contract import Caller, Query
from proxy.endpoints.engines import ENGINES
from proxy.graphs import BUILT_IN
from proxy.results import Format
from proxy.settings import Engine
from proxy.syntax import read


def query(text: str, prefixes: dict[str, str], timeout_s: float | None = None) -> Query:
    return Query(
        id="1",
        endpoint="e",
        syntax=read(text, prefixes=prefixes),
        formats=(Format.CSV, Format.JSON),
        caller=Caller(address="127.0.0.1"),
        timeout_s=timeout_s,
    )


WD = dict(BUILT_IN["wikidata"].prefixes)
NS = dict(BUILT_IN["freebase"].prefixes)


@pytest.mark.parametrize("engine", ["generic", "oxigraph", "qlever", "fuseki", "virtuoso"])
def test_prefixes_that_an_engine_may_not_know_are_declared(engine: Engine) -> None:
    text = ENGINES[engine].text(query("ASK { wd:Q1 wdt:P31 ?x }", WD), WD)
    assert text.startswith("PREFIX wd: <http://www.wikidata.org/entity/> ")
    assert text.endswith("ASK { wd:Q1 wdt:P31 ?x }")


def test_blazegraph_knows_its_own() -> None:
    assert ENGINES["blazegraph"].text(query("ASK { wd:Q1 wdt:P31 ?x }", WD), WD) == "ASK { wd:Q1 wdt:P31 ?x }"


def test_oxigraph_gets_dotted_names_as_iris_and_the_rest_declared() -> None:
    text = ENGINES["oxigraph"].text(query("ASK { ns:m.1 ns:people.person.gender ?x ; rdfs:label ?l }", NS), NS)
    assert "<http://rdf.freebase.com/ns/people.person.gender>" in text
    assert "PREFIX rdfs:" in text
    assert read(text).checked


@pytest.mark.parametrize(
    ("engine", "fields"),
    [
        ("generic", {}),
        ("virtuoso", {"timeout": "1500"}),
        ("qlever", {"timeout": "1s"}),
        ("fuseki", {"timeout": "1.5"}),
        ("blazegraph", {"queryId": "ticket", "maxQueryTimeMillis": "1500"}),
    ],
)
def test_a_time_limit_is_said_in_the_engines_own_unit(engine: Engine, fields: dict[str, str]) -> None:
    assert ENGINES[engine].fields(query("ASK {}", {}, 1.5), "ticket") == fields


@pytest.mark.parametrize("engine", list(ENGINES))
def test_a_table_is_never_asked_for_as_csv(engine: Engine) -> None:
    assert "csv" not in ENGINES[engine].accept(query("SELECT * {}", {}))
