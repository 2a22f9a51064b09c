"""Why a question is compared with nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from plugins.evaluation.oracle import Oracle, Truths
from plugins.evaluation.records import Record
from plugins.evaluation.truth import REASONS, Truth, judged
from plugins.nl.contract import Table
from proxy.core import Core
from proxy.errors import (
    BadQuery,
    Forbidden,
    Overloaded,
    ProxyError,
    ResourceLimit,
    TooMany,
    UpstreamFailed,
    UpstreamTimeout,
)
from proxy.loader import check
from proxy.results.terms import iri, literal
from tests import stage
from tests.upstream import Answer, Upstream


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (UpstreamTimeout("late"), "timeout"),
        (UpstreamFailed("gone"), "unavailable"),
        (Overloaded("busy"), "unavailable"),
        (ResourceLimit("memory"), "unavailable"),
        (TooMany("often"), "unavailable"),
        (BadQuery("syntax"), "refused"),
        (Forbidden("no"), "refused"),
    ],
)
def test_what_may_pass_by_itself_is_told_from_what_will_not(error: ProxyError, reason: str) -> None:
    found = Truth.failed(error)
    assert (found.left_out, found.why) == (reason, error.detail)
    assert reason in REASONS


def table(*values: str, **more: object) -> Table:
    made = {"variables": ("x",), "rows": tuple((iri(each),) for each in values), "total": len(values), **more}
    return Table(**made)  # type: ignore[arg-type]  # of mixed kinds


def test_only_a_whole_answer_that_says_something_is_compared_with() -> None:
    assert judged(table("a", "b")).table is not None
    assert judged(Table(boolean=False)).table is not None
    assert judged(table()).left_out == "empty"
    assert judged(Table(variables=("n",), rows=((literal("0"),),), total=1)).left_out == "empty"
    assert judged(table("a", total=2)).left_out == "cut"
    assert judged(table("a", complete=False)).left_out == "cut"
    assert judged(Table(boolean=True, complete=False)).left_out == "cut"


async def test_gold_comes_from_the_endpoint_or_the_file(demo_store: Path) -> None:
    tables = {"endpoints": {"demo": {"store": str(demo_store), "graph": "wikidata"}}, "plugins": {"enabled": []}}
    film = "http://www.wikidata.org/entity/Q25188"
    record = Record(
        id="1", dataset="d", questions={"en": "?"}, sparql="SELECT ?x { wd:Q25188 wdt:P57 ?x }", group="1",
        answers=((iri(film),),),
    )  # fmt: skip
    bare = Record(id="2", dataset="d", questions={"en": "?"}, sparql=" ", group="2")
    async with Core(check(tables, stage.ROOT)).lifespan() as context:
        oracle = Oracle(context, "demo")
        from_file, from_endpoint = Truths(oracle, "file"), Truths(oracle, "endpoint")
        told, found = await from_file.of(record), await from_endpoint.of(record)
        assert told.table is not None
        assert told.table.rows == ((iri(film),),)
        assert found.table is not None
        assert found.table.rows != told.table.rows
        assert (await from_file.of(bare)).left_out == "no_answers"
        assert (await from_endpoint.of(bare)).left_out == "no_query"
        assert await oracle.alive()
        assert (await oracle.triples() or 0) > 10_000
        assert (await oracle.truth("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o } LIMIT 1")).left_out == "refused"
        assert await oracle.whole("SELECT") is None


async def test_an_endpoint_that_is_gone_is_not_alive() -> None:
    tables = {
        "endpoints": {"gone": {"url": f"http://127.0.0.1:{stage.free_port()}/sparql"}},
        "plugins": {"enabled": []},
    }
    async with Core(check(tables, stage.ROOT)).lifespan() as context:
        oracle = Oracle(context, "gone")
        assert (await oracle.truth("ASK {}")).left_out == "unavailable"
        assert not await oracle.alive()
        assert await oracle.triples() is None


async def test_an_answer_that_is_no_count_counts_no_triples() -> None:
    body = b'{"head":{"vars":["n"]},"results":{"bindings":[]}}'
    async with Upstream(Answer(body=body)) as upstream:
        tables = {"endpoints": {"odd": {"url": upstream.url}}, "plugins": {"enabled": []}}
        async with Core(check(tables, stage.ROOT)).lifespan() as context, asyncio.timeout(30):
            assert await Oracle(context, "odd").triples() is None
