"""The agent on graphs that are not Wikidata: own names, no statements, with a schema index and without one."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import RdfFormat, Store

from plugins.schema.builders.progress import Progress
from plugins.schema.builders.recipe import Recipe, from_files
from plugins.search.building import build
from plugins.search.profile import profile
from plugins.search.sources import Files
from tests import stage
from tests.llm import ModelServer, Turn, model_server
from tests.saga import ask, does, expecting, judges

RDF = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:Village a owl:Class ; rdfs:label "village"@en . ex:Person a owl:Class ; rdfs:label "person"@en .
ex:mayor a owl:ObjectProperty ; rdfs:label "mayor"@en ; rdfs:domain ex:Village ; rdfs:range ex:Person .
ex:birthPlace a owl:ObjectProperty ; rdfs:label "birth place"@en ; rdfs:domain ex:Person ; rdfs:range ex:Village .
ex:birthDate a owl:DatatypeProperty ; rdfs:label "birth date"@en ; rdfs:domain ex:Person ; rdfs:range xsd:date .
ex:oak a ex:Village ; rdfs:label "Oakham"@en ; ex:mayor ex:ann .
ex:elm a ex:Village ; rdfs:label "Elmstead"@en ; ex:mayor ex:bob .
ex:ann a ex:Person ; rdfs:label "Ann Miller"@en ; ex:birthPlace ex:elm ; ex:birthDate "1961-02-03"^^xsd:date .
ex:bob a ex:Person ; rdfs:label "Bob Baker"@en ; ex:birthPlace ex:elm ; ex:birthDate "1970-11-30"^^xsd:date .
"""
FREEBASE = """
@prefix ns: <http://rdf.freebase.com/ns/> .
ns:m.0ann ns:type.object.name "Ann Miller"@en ; ns:type.object.type ns:people.person ;
  ns:people.person.place_of_birth ns:m.0oak .
ns:m.0oak ns:type.object.name "Oakham"@en ; ns:type.object.type ns:location.citytown .
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A graph with its text index, and its schema index where it has one."""

    folder: Path
    graph: str
    prefixes: dict[str, str]
    guarded: bool = True

    def tables(self, server: ModelServer) -> dict[str, Any]:
        endpoint = {"store": str(self.folder / "store"), "graph": "own"}
        plugins = ["plugins.search", "plugins.nl"]
        if self.guarded:
            endpoint["schema"] = str(self.folder / "schema.index")
            plugins.insert(0, "plugins.schema.guard")
        return {
            "graphs": {"own": {"prefixes": self.prefixes}} if self.graph == "rdf" else {},
            "endpoints": {"own": {**endpoint, "graph": "own" if self.graph == "rdf" else self.graph}},
            "plugins": {"enabled": plugins},
            "search": {"endpoints": {"own": {"index": str(self.folder / "search")}}},
            "llm": {"base_url": server.url, "model": server.model},
        }

    async def asked(self, script: Sequence[Turn], question: str) -> Any:
        async with model_server(script) as server, stage.proxy(self.tables(server)) as base:
            return (await ask(f"{base}/nl", question=question, language="en")).json


async def prepared(folder: Path, graph: str, turtle: str, prefixes: dict[str, str], *, guarded: bool = True) -> Place:
    (folder / "graph.ttl").write_text(turtle)
    store = Store(str(folder / "store"))
    store.load(io.BytesIO(turtle.encode()), RdfFormat.TURTLE)
    store.flush()
    del store
    if guarded:
        recipe = Recipe(graph="rdf", prefixes=prefixes)
        (await from_files([folder / "graph.ttl"], recipe, Progress(io.StringIO()))).write(folder / "schema.index")
    names = profile(graph).extended(prefixes=prefixes)
    await build(Files([folder / "graph.ttl"]), names, folder / "search", Progress(io.StringIO()))
    return Place(folder=folder, graph=graph, prefixes=prefixes, guarded=guarded)


@pytest.fixture(scope="module", params=[True, False], ids=["schema", "no schema"])
def rdf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("rdf")
    return asyncio.run(prepared(folder, "rdf", RDF, {"ex": "http://example.org/"}, guarded=request.param))


async def test_a_graph_of_ones_own(rdf: Place) -> None:
    script = [
        expecting("date", "date"),
        does("search", "Oakham", expects=["The graph: own", "ex: <http://example.org/>"]),
        does("lookup", "ex:oak", expects=["Oakham (ex:oak)"]),
        does("examples", "ex:birthDate", expects=["types: village (ex:Village)", "= Ann Miller (ex:ann)"]),
        does("execute", "SELECT ?d { ex:oak ex:mayor ?p }", expects=["-- ", "1961-02-03"]),
        does("execute", "SELECT ?d { ex:oak ex:mayor/ex:birthDate ?d }"),
        does("stop", expects=["1961-02-03"]),
        judges(),
    ]
    answer = await rdf.asked(script, "What is the birth date of the mayor of Oakham?")
    assert answer["status"] == "answered"
    assert answer["results"]["results"]["bindings"][0]["d"]["value"] == "1961-02-03"


async def test_types_lead_the_way_there_too(rdf: Place) -> None:
    script = [
        expecting("entity", "village"),
        does("search", "Oakham"),
        does("execute", "SELECT ?p { ex:oak ex:mayor ?p }"),
        does("execute", "SELECT ?v { ex:oak ex:mayor/ex:birthPlace ?v }", expects=["Ann Miller (ex:ann)"]),
        does("stop", expects=["- ⟦?v: village (ex:Village), by what was returned⟧"]),
        judges(),
    ]
    answer = await rdf.asked(script, "In which village was the mayor of Oakham born?")
    assert answer["results"]["results"]["bindings"][0]["v"]["value"] == "http://example.org/elm"


async def test_dotted_names_of_freebase(tmp_path: Path) -> None:
    place = await prepared(tmp_path, "freebase", FREEBASE, {"ns": "http://rdf.freebase.com/ns/"}, guarded=False)
    script = [
        expecting("entity", "city"),
        does("search", "Ann Miller"),
        does("lookup", "m.0ann", expects=["Ann Miller (m.0ann)"]),
        does("execute", "SELECT ?p { ns:m.0ann ns:people.person.place_of_birth ?p }", expects=["Oakham (ns:m.0oak)"]),
        does("stop", expects=["Oakham (ns:m.0oak)"]),
        judges(),
    ]
    answer = await place.asked(script, "Where was Ann Miller born?")
    assert answer["results"]["results"]["bindings"][0]["p"]["value"] == "http://rdf.freebase.com/ns/m.0oak"
