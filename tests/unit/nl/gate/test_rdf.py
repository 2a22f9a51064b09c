"""The gate on a graph without statements and ranks: plain RDF, with classes and labels of RDF Schema."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from plugins.nl.contract import Shape
from tests.gated import Bench, bench, mentions, prepared

GRAPH = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

ex:Ship rdfs:label "ship"@en . ex:Tanker rdfs:subClassOf ex:Ship ; rdfs:label "tanker"@en .
ex:length rdfs:label "length"@en . ex:launched rdfs:label "launched"@en . ex:sister rdfs:label "sister ship"@en .
ex:ann a ex:Ship ; rdfs:label "Ann"@en ; ex:length 90 ; ex:launched "1950-05-01"^^xsd:date ; ex:sister ex:bob .
ex:bob a ex:Ship ; rdfs:label "Bob"@en ; ex:length 120 ; ex:launched "1960-06-01"^^xsd:date .
ex:cid a ex:Tanker ; rdfs:label "Cid"@en ; ex:length 300 ; ex:launched "1970-07-01"^^xsd:date .
"""
EX = "PREFIX ex: <http://example.org/> "


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ships")


@pytest.fixture(scope="module")
def ships(folder: Path) -> dict[str, Any]:
    (folder / "ships.ttl").write_text(GRAPH, encoding="utf-8")
    return asyncio.run(prepared(folder, folder / "ships.ttl", "rdf"))


@pytest.fixture
async def gate(ships: dict[str, Any], folder: Path) -> AsyncIterator[Bench]:
    async with bench(ships, folder) as ready:
        yield ready


async def test_subclasses(gate: Bench) -> None:
    shape = Shape(form="list", type_label="ships")
    gated = await gate.gated("Which ships are there?", shape, f"{EX}SELECT ?s {{ ?s a ex:Ship }} LIMIT 2")
    assert "class" in gated.fixes
    assert gated.values == ["ann", "bob", "cid"]
    await gate.kept(
        "Which tankers are there?", Shape(form="list", type_label="tankers"), f"{EX}SELECT ?s {{ ?s a ex:Tanker }}"
    )


async def test_a_winner_a_year_and_a_number(gate: Bench) -> None:
    longest = Shape(form="winner", superlative="max", measure="length")
    gated = await gate.gated("Which ship is longest?", longest, f"{EX}SELECT ?s {{ ?s a ex:Ship ; ex:length ?l }}")
    assert gated.values == ["cid"]
    question = "In which year was Ann launched?"
    year = Shape(form="year", mentions=mentions(question, "Ann"))
    assert (await gate.gated(question, year, f"{EX}SELECT ?d {{ ex:ann ex:launched ?d }}")).values == ["1950"]
    count = Shape(form="count", type_label="ships")
    assert (await gate.gated("How many ships?", count, f"{EX}SELECT ?s {{ ?s a ex:Ship }}")).values == ["3"]


async def test_yes_and_no(gate: Bench) -> None:
    question = "Is Bob a sister ship of Ann?"
    shape = Shape(form="ask", mentions=mentions(question, "Bob", "Ann"))
    gated = await gate.gated(question, shape, f"{EX}SELECT ?s {{ ex:ann ex:sister ?s }}")
    assert gated.table.boolean is True
    question = "Is Cid not a sister ship of Ann?"
    turned = Shape(form="ask", negated=True, polarity=("not",), mentions=mentions(question, "Cid", "Ann"))
    gated = await gate.gated(question, turned, f"{EX}ASK {{ ex:ann ex:sister ex:cid }}")
    assert (gated.fixes, gated.table.boolean) == (["polarity"], True)


async def test_ranks_are_skipped_with_a_reason(gate: Bench) -> None:
    query = f"{EX}SELECT ?s {{ ex:ann ex:sister ?s }}"
    gated = await gate.gated("Which sister ships has Ann ever had?", Shape(form="list", span="ever"), query)
    assert gated.sparql == query
    assert "no statements" in gated.why("rank")


async def test_made_up_names(gate: Bench) -> None:
    query = f"{EX}SELECT ?s {{ ex:ann ex:sister ?s OPTIONAL {{ ?s ex:nothing ?x }} }}"
    gated = await gate.gated("Which sister ships has Ann?", Shape(form="list"), query, seen=())
    assert "http://example.org/nothing" in gated.why("known")
