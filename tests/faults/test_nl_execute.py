"""Queries of a question at endpoints that lie, cut, or are gone: told apart, and never taken for whole answers."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from plugins.nl.contract import Budget, Candidate, Question, Shape, Table
from plugins.nl.gate import Gate
from plugins.nl.tools import Knowledge, Tools
from plugins.search import Search
from proxy.contract import Caller
from proxy.core import Core
from proxy.errors import ProxyError
from proxy.loader import check
from tests.profiles import virtuoso_partial
from tests.stage import free_port
from tests.upstream import TRUE, Answer, Upstream

ROWS = b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"http://e.org/1"}}]}}'
SHAPE = Shape(form="list")
QUERY = "SELECT ?x { ?x ?p ?o } LIMIT 1"


@asynccontextmanager
async def tools(url: str, **table: Any) -> AsyncIterator[Tools]:
    """Make the tools of a question on an endpoint."""
    loaded = check(
        {
            "endpoints": {"up": {"url": url, **table}},
            "plugins": {"enabled": ["plugins.search"]},
            "search": {"endpoints": {"up": {"labels": False}}},
        },
        Path.cwd(),
    )
    core = Core(loaded)
    async with core.lifespan() as context:
        search = context.plugin(Search)
        assert search is not None
        knowledge = Knowledge(
            endpoint="up", graph="rdf", prefixes=context.prefixes["up"], searcher=search.searcher("up")
        )
        budget = Budget(clock=time.monotonic, started=time.monotonic())
        question = Question(text="What is there?", endpoint="up")
        yield Tools(context, knowledge, Caller(address="127.0.0.1"), question, SHAPE, budget)


def nowhere() -> str:
    """Return an address where nobody listens."""
    return f"http://127.0.0.1:{free_port()}/sparql"


async def test_a_partial_answer_is_partial() -> None:
    async with Upstream(virtuoso_partial(ROWS)) as up, tools(up.url, engine="virtuoso") as used:
        done = await used.execute(QUERY)
    assert done.outcome == "partial"
    assert done.table is not None
    assert not done.table.complete


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=ROWS, cut=60, end="close"),
        Answer(body=ROWS[:70]),
        Answer(body=b"<html>welcome</html>", type="text/html"),
        Answer(status=500, body=b"oops", type="text/plain"),
    ],
)
async def test_a_broken_answer_failed_where_the_endpoint_lives(answer: Answer) -> None:
    async with Upstream(answer, Answer(body=TRUE)) as up, tools(up.url) as used:
        done = await used.execute(QUERY)
    assert (done.outcome, done.table) == ("failed", None)
    assert done.problem


async def test_an_endpoint_that_is_gone_ends_the_question() -> None:
    async with tools(nowhere()) as used:
        with pytest.raises(ProxyError):
            await used.execute(QUERY)


async def test_the_gate_changes_nothing_where_the_endpoint_is_gone() -> None:
    whole = Table(variables=("x",), rows=((None,),), total=1)
    given = Candidate(sparql=QUERY, table=whole)
    async with tools(nowhere()) as used:
        candidate, judgements = await Gate().run(given, Question(text="What is there?", endpoint="up"), SHAPE, used)
    assert candidate == given
    assert not [each for each in judgements if each.verdict == "fix"]
    assert next(each for each in judgements if each.check == "preview").verdict == "skipped"
