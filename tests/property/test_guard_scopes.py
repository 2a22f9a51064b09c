"""No false block: a conflicting pattern, moved to where it is not required, never stops a query that returns rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolution, QuerySolutions, Store

from plugins.schema.facts import Budget, Facts
from plugins.schema.findings import Report
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
        "VALUES ?a { wd:Q142 UNDEF } ?a wdt:P569 ?b",
        "VALUES (?a ?q) { (wd:Q142 1) (UNDEF 2) } ?a wdt:P569 ?b",
        "BIND(wd:Q76 AS ?a) ?a wdt:P57 ?b",
        "BIND(wd:Q142 AS ?c) ?c wdt:P569 ?b",
        "BIND(IF(true, wd:Q76, wd:Q142) AS ?c) ?c wdt:P569 ?b",
        "OPTIONAL { BIND(wd:Q142 AS ?c) } ?c wdt:P569 ?b",
        "{ BIND(wd:Q142 AS ?c) } UNION { BIND(wd:Q76 AS ?c) } ?c wdt:P569 ?b",
        "{ SELECT (wd:Q76 AS ?c) { } } ?c wdt:P569 ?b",
        "{ ?a wdt:P31 wd:Q6256 } UNION { ?a wdt:P31 wd:Q5 } ?a wdt:P569 ?b",
        "?a wdt:P569 ?b MINUS { ?a wdt:P31 wd:Q6256 }",
        "?a wdt:P569 ?b FILTER NOT EXISTS { ?a wdt:P31 wd:Q6256 }",
        "?a wdt:P569 ?b FILTER EXISTS { ?a wdt:P31 wd:Q6256 }",
        "?a wdt:P31 wd:Q6256 { SELECT ?b { ?a wdt:P569 ?b } }",
        "?a wdt:P31|wdt:P569 wd:Q6256 ; wdt:P569|wdt:P36 ?b",
        "[ wdt:P31 wd:Q6256 ; wdt:P569 ?b ]",
        "wd:Q142 p:P569/ps:P569 ?b",
        "wd:Q142 wdt:P36/wdt:P569 ?b",
        "wd:Q142 (wdt:P36|wdt:P35)/wdt:P569 ?b",
        "wd:Q142 wdt:P569|wdt:P36 ?b",
        "wd:Q142 wdt:P569? ?b",
        "?b ^wdt:P57 wd:Q76",
        "wd:Q76 wdt:P569 ?b",
        "?a wdt:P31 wd:Q5 ; wdt:P569 ?b",
        "?a wdt:P39 ?s . ?s pq:P580 ?b",
        "?a wdt:P39 ?s OPTIONAL { ?s pq:P580 ?b }",
        "?a p:P39 wd:Q11696 . ?a wdt:P31 ?b",
        "?a wdt:P57 'Nolan' ; wdt:P577 ?b",
        "?a wdt:P569 '1961' ; wdt:P31 ?b",
        "?b wdt:P610 wd:Q583",
        "?b wdt:P99999 ?a",
        "?b wdt:P31 wd:Q99999999",
        "wd:Q90 wdt:P36 ?b",
        "GRAPH ?g { wd:Q142 wdt:P569 ?b }",
    ]
)
SURE = st.sampled_from(["wd:Q142 wdt:P36 ?x", "?a wdt:P31 wd:Q6256", "?x wdt:P57 wd:Q25191", "wd:Q76 wdt:P569 ?x"])
# What a group may hold, of another group and of one that is sure; `#` makes names that occur nowhere else.
SHAPES: dict[str, str] = {
    "required": "{sure} . {{ {bad} }}",
    "optional": "{sure} OPTIONAL {{ {bad} }}",
    "optional in optional": "{sure} OPTIONAL {{ ?o# wdt:P36 ?k# OPTIONAL {{ {bad} }} }}",
    "minus": "{sure} MINUS {{ {bad} }}",
    "minus of unions": "{sure} MINUS {{ {{ OPTIONAL {{ {bad} }} }} UNION {{ {bad} }} }}",
    "not exists": "{sure} FILTER NOT EXISTS {{ {bad} }}",
    "not exists twice": "{sure} FILTER NOT EXISTS {{ ?o# wdt:P36 ?k# FILTER NOT EXISTS {{ {bad} }} }}",
    "exists": "{sure} FILTER EXISTS {{ {bad} }}",
    "exists in brackets": "{sure} FILTER(EXISTS {{ {bad} }})",
    "exists denied": "{sure} FILTER(!EXISTS {{ {bad} }})",
    "exists compared": "{sure} FILTER(EXISTS {{ {bad} }} = false)",
    "exists in a list": "{sure} FILTER(EXISTS {{ {bad} }} IN (true, false))",
    "exists and": "{sure} FILTER(true && EXISTS {{ {bad} }})",
    "exists in or": "{sure} FILTER(EXISTS {{ {bad} }} || true)",
    "exists in if": "{sure} FILTER(IF(EXISTS {{ {bad} }}, false, true))",
    "exists in bind": "{sure} BIND(EXISTS {{ {bad} }} AS ?e#)",
    "exists in a column": "{sure} {{ SELECT (EXISTS {{ {bad} }} AS ?e#) {{ }} }}",
    "exists in an order": "{sure} {{ SELECT ?y# {{ ?y# wdt:P31 wd:Q5 }} ORDER BY (EXISTS {{ {bad} }}) LIMIT 1 }}",
    "exists of a count": "{sure} FILTER EXISTS {{ SELECT (COUNT(*) AS ?n#) {{ {bad} }} }}",
    "union": "{{ {bad} }} UNION {{ {sure} }}",
    "union, last": "{{ {sure} }} UNION {{ {bad} }}",
    "union inside": "{sure} {{ {{ {bad} }} UNION {{ }} }}",
    "union of one": "{{ {bad} }} UNION {{ {bad} }}",
    "count": "{sure} {{ SELECT (COUNT(*) AS ?n#) {{ {bad} }} }}",
    "greatest": "{sure} {{ SELECT (MAX(?b) AS ?n#) {{ {bad} }} HAVING (true) }}",
    "having": "{sure} OPTIONAL {{ SELECT (COUNT(*) AS ?n#) {{ {bad} }} HAVING (COUNT(*) > 0) }}",
    "counted below": "{sure} {{ SELECT (COUNT(*) AS ?n#) {{ SELECT * {{ {bad} }} }} }}",
    "hidden": "{sure} {{ SELECT ?z# {{ {bad} }} }}",
    "grouped": "{sure} OPTIONAL {{ SELECT ?b (COUNT(*) AS ?n#) {{ {bad} }} GROUP BY ?b }}",
    "limited to none": "{sure} OPTIONAL {{ {{ SELECT * {{ {bad} }} LIMIT 0 }} }}",
    "limited": "{sure} {{ SELECT * {{ {bad} }} LIMIT 1 }}",
    "lateral": "{sure} LATERAL {{ SELECT * {{ {bad} }} LIMIT 1 }}",
    "lateral or not": "{sure} OPTIONAL {{ LATERAL {{ {bad} }} }}",
    "graph": "{sure} OPTIONAL {{ GRAPH ?g# {{ {sure} }} }} {{ {bad} }}",
    "graph or not": "{sure} OPTIONAL {{ GRAPH ?g# {{ {bad} }} }}",
    "empty graph": "{sure} OPTIONAL {{ GRAPH <urn:x> {{ {bad} }} }}",
    "nothing": "{{ }} UNION {{ {bad} }} VALUES ?z# {{ UNDEF }}",
}
PATHS = [
    "wdt:P569*",
    "wdt:P569?",
    "wdt:P36?/wdt:P1082?",
    "(wdt:P569|wdt:P36)",
    "wdt:P36|wdt:P569",
    "!wdt:P569",
    "!(wdt:P569|^wdt:P36)",
    "(wdt:P569/wdt:P36)*",
    "(wdt:P569?)?",
    "(wdt:P569?)+",
    "(wdt:P569+)?",
    "^(wdt:P569?)",
    "(wdt:P36/wdt:P569?)?",
    "wdt:P36/(wdt:P569?)?",
    "(wdt:P569/wdt:P36?)*",
    "(wdt:P569|wdt:P36)+",
    "(wdt:P569*|wdt:P36)/wdt:P36?",
    "wdt:P569?/wdt:P36",
]


def placed(shape: str, bad: str, sure: str) -> str:
    """Put a group into a shape, whose own names occur in no group within."""
    return SHAPES[shape].replace("#", str(bad.count("{"))).format(bad=bad, sure=sure)


GROUPS = st.recursive(
    PATTERNS | SURE,
    lambda inner: st.builds(placed, st.sampled_from(sorted(SHAPES)), inner, SURE),
    max_leaves=4,
)
HEADS = ["SELECT * {{ {} }}", "SELECT DISTINCT * {{ {} }} LIMIT 5", "SELECT * {{ {} }} VALUES ?z {{ UNDEF }}"]
HEADS += ["SELECT ?b (COUNT(*) AS ?n) {{ {} }} GROUP BY ?b", "ASK {{ {} }}", "CONSTRUCT {{ ?a ?b <urn:x> }} {{ {} }}"]
_COUNTED = "SELECT (COUNT("
COUNTS = ["SELECT (COUNT(*) AS ?all) {{ {} }}", "SELECT (COUNT(DISTINCT ?b) AS ?all) {{ {} }}"]


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
        """Whether a query says yes, has a row, or counts any; what the store refuses has none."""
        try:
            found = self.store.query(text, prefixes=PREFIXES)
        except SyntaxError:
            return False
        if isinstance(found, QueryBoolean):
            return bool(found)
        first = next(iter(found), None)
        if isinstance(first, QuerySolution) and text.startswith(_COUNTED):
            return str(first[0].value) != "0"
        return first is not None


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


class Judged:
    """Judge texts, each once, and hold what is said of them against the store."""

    def __init__(self, store: Path) -> None:
        self._direct = Direct(Store.read_only(str(store)))
        self.report = lru_cache(maxsize=4096)(self._report)

    def blocked(self, text: str) -> bool:
        """Whether a query is blocked; then it must have no row."""
        found = bool(self.report(text).blocks)
        if found:
            assert not self._direct.rows(text), f"blocked, and it returns rows: {text}"
        return found

    def concluded(self, text: str) -> bool:
        """Whether a finding says what the answer is; then it must be that."""
        found = [each.reason for each in self.report(text).findings if each.reason.startswith("The answer is ")]
        if found:
            assert not self._direct.rows(text), f"{found[0]}: {text}"
        return bool(found)

    def _report(self, text: str) -> Report:
        return asyncio.run(self._judge(text))

    async def _judge(self, text: str) -> Report:
        clock = asyncio.get_running_loop().time
        facts = Facts(self._direct.run, "demo", vocabulary("wikidata"), Budget(types_s=5, ask_s=5), clock)
        judgement = Judgement(syntax(text), demo_index(), facts)
        return await judgement.absence(await judgement.schema())


@pytest.fixture(scope="module")
def judge(demo_store: Path) -> Judged:
    return Judged(demo_store)


_MODULE = [HealthCheck.function_scoped_fixture]


@settings(max_examples=200, suppress_health_check=_MODULE)
@given(bad=PATTERNS, sure=SURE, shape=st.sampled_from(sorted(SHAPES)), head=st.sampled_from(HEADS))
def test_no_query_that_returns_rows_is_blocked(judge: Judged, bad: str, sure: str, shape: str, head: str) -> None:
    judge.blocked(head.format(placed(shape, bad, sure)))


@settings(max_examples=200, suppress_health_check=_MODULE)
@given(group=GROUPS, head=st.sampled_from(HEADS))
def test_nor_where_one_shape_stands_in_another(judge: Judged, group: str, head: str) -> None:
    judge.blocked(head.format(group))


@settings(max_examples=200, suppress_health_check=_MODULE)
@given(group=GROUPS, head=st.sampled_from(["ASK {{ {} }}", *COUNTS]))
def test_what_a_finding_says_of_the_answer_is_the_answer(judge: Judged, group: str, head: str) -> None:
    judge.concluded(head.format(group))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_a_query_to_us_and_to_the_store(shape: str) -> None:
    store = Store()
    for head in (*HEADS, *COUNTS):
        text = head.format(placed(shape, placed(shape, "?a wdt:P569 ?b", "?a wdt:P31 ?x"), "?x wdt:P57 ?y"))
        store.query(text, prefixes=PREFIXES)
        assert syntax(text).checked


@pytest.mark.parametrize("path", PATHS)
def test_nor_for_a_step_that_may_be_of_no_length(judge: Judged, path: str) -> None:
    assert not judge.blocked(f"SELECT * {{ wd:Q142 {path} ?x }}")


@pytest.mark.parametrize("shape", ["required", "exists", "exists in brackets", "limited", "union of one"])
def test_what_is_required_is_blocked(judge: Judged, shape: str) -> None:
    sure = "?x wdt:P57 wd:Q25191"
    for head in HEADS:
        wrong = judge.blocked(head.format(placed(shape, "wd:Q142 wdt:P569 ?b", sure)))
        assert wrong is (shape != "union of one")
        assert not judge.blocked(head.format(placed(shape, "wd:Q76 wdt:P569 ?b", sure)))
