"""What comes of a query of the strategy's own, on the demo graph: blocked, failed, empty with the reason, complete."""

from __future__ import annotations

import functools
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from plugins.nl.contract import ALL_ON, Budget, OutOfBudget
from plugins.nl.tools import Knowledge
from plugins.nl.tools.asker import Asker
from plugins.nl.tools.diagnosis import Doctor
from plugins.nl.tools.execute import Executor
from plugins.schema.guard import Guard
from plugins.search import Search
from proxy.contract import Caller
from proxy.core import Core
from proxy.loader import check
from tests.stage import DEMO_GRAPH, demo_store

Made = Callable[..., Executor]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_store(tmp_path_factory.mktemp("demo") / "store")


@pytest.fixture
async def made(store: Path) -> AsyncIterator[Made]:
    """Make executors on the demo, behind the guard."""
    tables: dict[str, Any] = {
        "endpoints": {"demo": {"store": str(store), "graph": "wikidata", "concurrency": 2}},
        "plugins": {"enabled": ["plugins.schema.guard", "plugins.search"]},
        "guard": {"endpoints": {"demo": {"index": str(DEMO_GRAPH.parent / "schema.index")}}},
    }
    core = Core(check(tables, store.parent))
    async with core.lifespan() as context:
        search, guard = context.plugin(Search), context.plugin(Guard)
        assert search is not None
        assert guard is not None
        knowledge = Knowledge(
            endpoint="demo",
            graph="wikidata",
            prefixes=context.prefixes["demo"],
            searcher=search.searcher("demo"),
            index=functools.partial(guard.index, "demo"),
        )

        def make(**limits: Any) -> Executor:
            budget = Budget(clock=time.monotonic, started=time.monotonic(), **limits)
            asker = Asker(context, "demo", Caller(address="127.0.0.1"), budget)
            return Executor(asker, Doctor(asker, knowledge), ALL_ON)

        yield make


async def test_rows_are_complete(made: Made) -> None:
    done = await made().run("SELECT ?x ?d { ?x wdt:P31 wd:Q5 ; wdt:P569 ?d }")
    assert done.outcome == "complete"
    assert done.table is not None
    assert done.table.total == len(done.table.rows) > 10
    assert done.table.variables == ("x", "d")
    yes = await made().run("ASK { ?x wdt:P31 wd:Q5 }")
    assert yes.table is not None
    assert (yes.outcome, yes.table.boolean, yes.diagnosis) == ("complete", True, None)


async def test_what_cannot_match_is_blocked_once_and_then_run(made: Made) -> None:
    executor = made()
    text = "SELECT ?d { wd:Q142 wdt:P569 ?d }"
    blocked = await executor.run(text)
    assert (blocked.outcome, blocked.table) == ("blocked", None)
    assert [each["code"] for each in blocked.findings] == ["domain"]
    assert "P569" in blocked.problem
    again = await executor.run(f"{text} ")
    assert again.outcome == "complete"
    assert again.table is not None
    assert again.table.empty
    assert again.diagnosis is not None
    assert "wd:Q142 wdt:P569 ?" in again.diagnosis.text


@pytest.mark.parametrize(
    ("query", "culprit", "why"),
    [
        ("SELECT ?x { wd:Q142 wdt:P31 wd:Q3624078 . wd:Q90 wdt:P36 ?x }", "wd:Q90 wdt:P36 ?x", "the other way round"),
        ("SELECT (COUNT(?x) AS ?n) { ?x wdt:P31 wd:Q515 . ?x wdt:P36 wd:Q142 }", "", "the other way round"),
        ('SELECT ?x { ?x rdfs:label "France" }', '?x rdfs:label "France"', "the same text in English"),
    ],
)
async def test_an_empty_answer_names_the_pattern_and_a_repair(made: Made, query: str, culprit: str, why: str) -> None:
    done = await made().run(query)
    if done.outcome == "blocked":
        pytest.fail(f"blocked: {done.problem}")
    assert done.diagnosis is not None
    assert culprit in done.diagnosis.culprit
    assert why in [each.why for each in done.diagnosis.repairs]


async def test_a_filter_is_to_blame(made: Made) -> None:
    done = await made().run("SELECT ?x { ?x wdt:P31 wd:Q5 FILTER(?x = wd:Q142) }")
    assert done.diagnosis is not None
    assert "FILTER" in done.diagnosis.text


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x {",
        "DELETE WHERE { ?s ?p ?o }",
        "CONSTRUCT WHERE { ?s ?p ?o }",
        "DESCRIBE wd:Q142",
        "",
        "SELECT ?x { ?x ?x" * 9_000,
    ],
)
async def test_what_is_no_question_fails_with_a_reason(made: Made, query: str) -> None:
    done = await made().run(query)
    assert (done.outcome, done.table) == ("failed", None)
    assert done.problem


async def test_an_empty_answer_is_not_lost_for_want_of_a_reason(made: Made) -> None:
    done = await made(queries=1).run("SELECT ?x { wd:Q90 wdt:P36 ?x . ?x wdt:P31 wd:Q6256 }")
    assert done.table is not None
    assert (done.table.empty, done.diagnosis) == (True, None)


async def test_queries_are_counted_and_end(made: Made) -> None:
    executor = made(queries=2)
    await executor.run("ASK {}")
    await executor.run("ASK {}")
    with pytest.raises(OutOfBudget):
        await executor.run("ASK {}")
