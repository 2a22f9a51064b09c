"""The gate itself: order, reasons, and what it leaves alone."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Shape
from plugins.nl.gate import CHECKS
from tests.gated import Bench

LIST = Shape(form="list")


async def test_every_check_says_something_once_and_in_order(gate: Bench) -> None:
    gated = await gate.kept("Which countries are there?", LIST, "SELECT ?c { ?c wdt:P31 wd:Q6256 }")
    assert [each.check for each in gated.judgements] == [name for name, _ in CHECKS]
    assert gated.judgements[-1].verdict == "skipped"
    assert gated.judgements[-1].why


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?c { ?c wdt:P31 wd:Q6256",
        "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "nothing of the kind",
        "SELECT ?c FROM <http://e.org/none> { ?c wdt:P31 wd:Q6256 }",
        "INSERT DATA { wd:Q1 wdt:P1 wd:Q2 }",
    ],
)
async def test_what_cannot_be_rewritten_is_left_alone(gate: Bench, query: str) -> None:
    gated = await gate.gated("Which countries are there?", LIST, query, seen=())
    assert {each.verdict for each in gated.judgements} == {"skipped"}
    assert all(each.why for each in gated.judgements)
    assert gated.sparql == query


async def test_a_fix_says_what_was_there_before(gate: Bench) -> None:
    query = "SELECT ?c { ?c wdt:P31 wd:Q6256 } LIMIT 2"
    gated = await gate.gated("Which countries are there?", LIST, query)
    (fixed,) = [each for each in gated.judgements if each.verdict == "fix"]
    assert (fixed.before, fixed.why) == (query, "2 rows with the limit, 6 without")


async def test_without_budget_nothing_changes(gate: Bench) -> None:
    query = "SELECT ?c { ?c wdt:P31 wd:Q6256 } LIMIT 2"
    gated = await gate.gated("Which countries are there?", LIST, query, queries=1)
    assert gated.sparql == query
    assert "skipped" in {each.verdict for each in gated.judgements if each.check == "preview"}


async def test_own_prefixes_and_full_iris(gate: Bench) -> None:
    query = (
        "PREFIX wdt: <http://www.wikidata.org/entity/>\nPREFIX t: <http://www.wikidata.org/prop/direct/>\n"
        "select ?c where { ?c t:P31 wdt:Q11424 } limit 1"
    )
    gated = await gate.gated("Which films are there?", LIST, query)
    assert gated.fixes == ["class"]
    assert gated.values == ["Q61", "Q62", "Q63"]
