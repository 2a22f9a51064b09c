"""No false block: a conflicting pattern, moved to where it is not required, never stops a query that returns rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, Store

from plugins.schema.facts import Budget, Facts
from plugins.schema.judge import Judgement
from plugins.schema.vocabulary import vocabulary
from proxy.contract import Query, Reply
from proxy.results.formats import Format
from tests.unit.schema.demo_schema import PREFIXES, demo_index, syntax

# Patterns that conflict, hold, or are of a mixed kind; each talks of ?a and leaves ?b.
PATTERNS = st.sampled_from(
    [
        "wd:Q142 wdt:P569 ?b",
        "?a wdt:P31 wd:Q6256 ; wdt:P569 ?b",
        "?a wdt:P31/wdt:P279* wd:Q515 ; wdt:P26 ?b",
        "VALUES ?a { wd:Q142 wd:Q183 } ?a wdt:P569 ?b",
        "VALUES ?a { wd:Q142 wd:Q76 } ?a wdt:P569 ?b",
        "BIND(wd:Q76 AS ?a) ?a wdt:P57 ?b",
        "wd:Q142 p:P569/ps:P569 ?b",
        "wd:Q142 wdt:P36/wdt:P569 ?b",
        "?b ^wdt:P57 wd:Q76",
        "wd:Q76 wdt:P569 ?b",
        "?a wdt:P31 wd:Q5 ; wdt:P569 ?b",
        "?a wdt:P39 ?s . ?s pq:P580 ?b",
        "?a p:P39 wd:Q11696 . ?a wdt:P31 ?b",
        "?a wdt:P57 'Nolan' ; wdt:P577 ?b",
        "?a wdt:P569 '1961' ; wdt:P31 ?b",
        "?b wdt:P610 wd:Q583",
        "GRAPH ?g { wd:Q142 wdt:P569 ?b }",
    ]
)
SURE = st.sampled_from(["wd:Q142 wdt:P36 ?x", "?a wdt:P31 wd:Q6256", "?x wdt:P57 wd:Q25191", "wd:Q76 wdt:P569 ?x"])
SHAPES: dict[str, str] = {
    "required": "{{ {sure} . {bad} }}",
    "optional": "{{ {sure} OPTIONAL {{ {bad} }} }}",
    "minus": "{{ {sure} MINUS {{ {bad} }} }}",
    "not exists": "{{ {sure} FILTER NOT EXISTS {{ {bad} }} }}",
    "exists": "{{ {sure} FILTER EXISTS {{ {bad} }} }}",
    "exists in bind": "{{ {sure} BIND(EXISTS {{ {bad} }} AS ?e) }}",
    "exists in or": "{{ {sure} FILTER(EXISTS {{ {bad} }} || true) }}",
    "union": "{{ {{ {bad} }} UNION {{ {sure} }} }}",
    "union inside": "{{ {sure} {{ {{ {bad} }} UNION {{ }} }} }}",
    "count": "{{ {sure} {{ SELECT (COUNT(*) AS ?n) {{ {bad} }} }} }}",
    "hidden": "{{ {sure} {{ SELECT ?b {{ {bad} }} }} }}",
    "grouped": "{{ {sure} OPTIONAL {{ SELECT ?b (COUNT(*) AS ?n) {{ {bad} }} GROUP BY ?b }} }}",
    "values behind": "{{ {sure} OPTIONAL {{ {bad} }} }} VALUES ?x {{ UNDEF }}",
    "graph": "{{ {sure} OPTIONAL {{ GRAPH ?g {{ {sure} }} }} {{ {bad} }} }}",
}
PATHS = [
    "wdt:P569*",
    "wdt:P569?",
    "wdt:P36?/wdt:P1082?",
    "(wdt:P569|wdt:P36)",
    "wdt:P36|wdt:P569",
    "!wdt:P569",
    "(wdt:P569/wdt:P36)*",
]


class Direct:
    """A chain of nothing but the store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def run(self, query: Query) -> Reply:
        found = self.store.query(query.text)
        assert isinstance(found, QueryBoolean | QuerySolutions)
        body = found.serialize(format=QueryResultsFormat.JSON)
        assert body is not None
        return Reply(format=Format.JSON, chunks=_once(body))

    def rows(self, text: str) -> bool:
        found = self.store.query(text, prefixes=PREFIXES)
        return bool(found) if isinstance(found, QueryBoolean) else next(iter(found), None) is not None


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


@pytest.fixture(scope="module")
def blocked(demo_store: Path) -> Callable[[str], bool]:
    """Return a judge that is asked once per text."""
    direct = Direct(Store.read_only(str(demo_store)))

    async def judge(text: str) -> bool:
        clock = asyncio.get_running_loop().time
        facts = Facts(direct.run, "demo", vocabulary("wikidata"), Budget(types_s=5, ask_s=5), clock)
        return bool((await Judgement(syntax(text), demo_index(), facts).schema()).blocks)

    @lru_cache(maxsize=4096)
    def once(text: str) -> bool:
        found = asyncio.run(judge(text))
        if found:
            assert not direct.rows(text), f"blocked, and it returns rows: {text}"
        return found

    return once


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bad=PATTERNS, sure=SURE, shape=st.sampled_from(sorted(SHAPES)))
def test_no_query_that_returns_rows_is_blocked(blocked: Callable[[str], bool], bad: str, sure: str, shape: str) -> None:
    blocked("SELECT * " + SHAPES[shape].format(bad=bad, sure=sure))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bad=PATTERNS, inner=st.sampled_from(sorted(SHAPES)), outer=st.sampled_from(sorted(SHAPES)), sure=SURE)
def test_nor_where_one_shape_stands_in_another(
    blocked: Callable[[str], bool], bad: str, inner: str, outer: str, sure: str
) -> None:
    if inner == "values behind" or "SELECT" in SHAPES[outer]:
        return
    within = SHAPES[inner].format(bad=bad, sure=sure).strip()
    blocked("SELECT * " + SHAPES[outer].format(bad=within, sure=sure))


@pytest.mark.parametrize("path", PATHS)
def test_nor_for_a_step_that_may_be_of_no_length(blocked: Callable[[str], bool], path: str) -> None:
    assert not blocked(f"SELECT * {{ wd:Q142 {path} ?x }}")


@pytest.mark.parametrize("shape", ["required", "exists"])
def test_what_is_required_is_blocked(blocked: Callable[[str], bool], shape: str) -> None:
    assert blocked("SELECT * " + SHAPES[shape].format(bad="wd:Q142 wdt:P569 ?b", sure="?x wdt:P57 wd:Q25191"))
    assert not blocked("SELECT * " + SHAPES[shape].format(bad="wd:Q76 wdt:P569 ?b", sure="?x wdt:P57 wd:Q25191"))
