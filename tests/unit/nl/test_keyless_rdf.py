"""`keyless` on a graph that is not Wikidata: its own names, no statement model, with and without a schema index."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, Store

from plugins.evaluation.answering import Answering
from plugins.nl.options import NlOptions
from plugins.schema.builders.progress import Progress
from plugins.search.building import build
from plugins.search.profile import profile
from plugins.search.sources import Files
from proxy.core import Core
from proxy.loader import check
from tests import stage

EX = "http://example.org/"
GRAPH = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:Village a rdfs:Class ; rdfs:label "village"@en . ex:Person a rdfs:Class ; rdfs:label "person"@en .
ex:mayor rdfs:label "mayor"@en . ex:birthPlace rdfs:label "birth place"@en . ex:birthDate rdfs:label "birth date"@en .
ex:oak a ex:Village ; rdfs:label "Oakham"@en ; ex:mayor ex:ann .
ex:elm a ex:Village ; rdfs:label "Elmstead"@en ; ex:mayor ex:bob .
ex:ann a ex:Person ; rdfs:label "Ann Miller"@en ; ex:birthPlace ex:elm ; ex:birthDate "1961-02-03"^^xsd:date .
ex:bob a ex:Person ; rdfs:label "Bob Baker"@en ; ex:birthPlace ex:elm ; ex:birthDate "1970-11-30"^^xsd:date .
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rdf")
    (folder / "graph.ttl").write_text(GRAPH)
    store = Store(str(folder / "store"))
    store.load(io.BytesIO(GRAPH.encode()), RdfFormat.TURTLE)
    store.flush()
    del store
    asyncio.run(build(Files([folder / "graph.ttl"]), profile("rdf"), folder / "index", Progress()))
    return folder


@pytest.fixture
async def answering(place: Path) -> AsyncIterator[Answering]:
    tables = {
        "endpoints": {"own": {"store": str(place / "store"), "graph": "rdf"}},
        "plugins": {"enabled": ["plugins.search"]},
        "search": {"endpoints": {"own": {"index": str(place / "index")}}},
    }
    async with Core(check(tables, stage.ROOT)).lifespan() as context:
        yield Answering(context, "own", NlOptions())


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Who is the mayor of Oakham?", {f"{EX}ann"}),
        ("What is the birth place of Ann Miller?", {f"{EX}elm"}),
        ("What is the birth date of Bob Baker?", {"1970-11-30"}),
        ("What is the birth date of the mayor of Elmstead?", {"1970-11-30"}),
        ("List all villages.", {f"{EX}oak", f"{EX}elm"}),
    ],
)
async def test_a_graph_of_ones_own_is_asked_by_its_own_names(answering: Answering, text: str, values: set[str]) -> None:
    done = await answering.ask(text, "en", "keyless", "test")
    assert done.answer is not None
    assert done.answer.table is not None, done.answer.steps
    assert {row[0].value for row in done.answer.table.rows if row[0]} == values, done.answer.sparql
