"""Judging without a proxy: each code with a near twin, what verification changes, and what may never block."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest
from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, Store

from plugins.schema.facts import Budget, Facts
from plugins.schema.findings import Finding, Report
from plugins.schema.index import Index
from plugins.schema.judge import Judgement
from plugins.schema.vocabulary import vocabulary
from proxy.contract import Query, Reply
from proxy.results.formats import Format
from tests.unit.schema.demo_schema import bare_index, demo_draft, demo_index, item, syntax

BIRTH = "SELECT ?d { wd:Q142 wdt:P569 ?d }"


class Graph:
    """The demo graph, asked directly; it can be late or absent."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.asked: list[str] = []
        self.wait_s = 0.0

    async def run(self, query: Query) -> Reply:
        self.asked.append(query.text)
        await asyncio.sleep(self.wait_s)
        found = self._store.query(query.text)
        assert isinstance(found, QueryBoolean | QuerySolutions)
        body = found.serialize(format=QueryResultsFormat.JSON)
        assert body is not None
        return Reply(format=Format.JSON, chunks=_once(body))


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


@pytest.fixture
def graph(demo_store: Path) -> Graph:
    return Graph(Store.read_only(str(demo_store)))


async def judged(
    text: str, graph: Graph | None, schema: Index | None = None, *, asker: str = "client", by_paper: bool = False
) -> Report:
    budget = Budget(types_s=0.3, ask_s=0.3)
    loop = asyncio.get_running_loop()
    facts = Facts(graph.run, "demo", vocabulary("wikidata"), budget, loop.time) if graph else None
    judgement = Judgement(syntax(text), schema or demo_index(), facts, asker=asker, by_paper=by_paper)
    try:
        return await judgement.absence(await judgement.schema())
    finally:
        if facts is not None:
            await facts.aclose()


def brief(report: Report) -> list[tuple[str, str, bool]]:
    return [(each.code, each.severity, each.verified) for each in report.findings]


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


@pytest.mark.parametrize(
    "where",
    [
        "{ wd:Q142 wdt:P36 ?x OPTIONAL { wd:Q142 wdt:P569 ?d } }",
        "{ wd:Q142 wdt:P36 ?x MINUS { wd:Q142 wdt:P569 ?d } }",
        "{ wd:Q142 wdt:P36 ?x FILTER NOT EXISTS { wd:Q142 wdt:P569 ?d } }",
        "{ wd:Q142 wdt:P36 ?x BIND(EXISTS { wd:Q142 wdt:P569 ?d } AS ?e) }",
        "{ { wd:Q142 wdt:P569 ?d } UNION { wd:Q142 wdt:P36 ?d } }",
        "{ { SELECT (COUNT(?d) AS ?n) { wd:Q142 wdt:P569 ?d } } }",
        "{ wd:Q142 wdt:P36/wdt:P569? ?x }",
        "{ wd:Q142 wdt:P569* ?x }",
        "{ wd:Q142 wdt:P569|wdt:P36 ?x }",
        "{ VALUES ?c { wd:Q142 wd:Q76 } ?c wdt:P569 ?d }",
        "{ VALUES ?c { wd:Q142 UNDEF } ?c wdt:P569 ?d }",
        "{ SERVICE <http://e.org/sparql> { wd:Q142 wdt:P569 ?d } }",
        "{ wd:Q142 wdt:P569 ?d . ?x nowhere:p ?y }",
    ],
)
async def test_what_is_not_required_never_blocks(graph: Graph, where: str) -> None:
    assert not (await judged(f"SELECT * {where}", graph)).blocks


async def test_a_text_with_errors_warns_only(graph: Graph) -> None:
    report = await judged("SELECT * { wd:Q142 wdt:P569 ?d . FILTRE(?d) }", graph)
    assert not report.checked
    assert brief(report) == [("domain", "warn", True)]
    assert "FILTER" in report.reason


async def test_a_describe_and_an_update_never_block(graph: Graph) -> None:
    assert not (await judged("DESCRIBE wd:Q142 { wd:Q142 wdt:P569 ?d }", graph)).blocks
    assert brief(await judged("DELETE WHERE { wd:Q142 wdt:P569 ?d }", graph)) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ASK { wd:Q142 wdt:P569 ?d }", "The answer is false because date of birth"),
        ("ASK { wd:Q142 wdt:P569 ?d } LIMIT 1", "The answer is false because date of birth"),
        ("ASK { wd:Q76 wdt:P20 ?d }", "The answer is false because Barack Obama (Q76) has no "),
        ("ASK { wd:Q90 wdt:P36 ?x }", "The answer is false because Paris (Q90) has no "),
        ("ASK { ?x wdt:P31 wd:Q99999999 }", "The answer is false because the graph has no class "),
        ("SELECT (COUNT(*) AS ?n) { wd:Q142 wdt:P569 ?d }", "The answer is 0 because date of birth"),
        ("SELECT (count (DISTINCT ?d) AS ?n) { wd:Q142 wdt:P569 ?d }", "The answer is 0 because date of birth"),
        ("SELECT (SUM(?d) AS ?n) { wd:Q142 wdt:P569 ?d }", "The answer is 0 because date of birth"),
        # Of nothing the greatest is no value, and a query in groups has no row.
        ("SELECT (MAX(?d) AS ?n) { wd:Q142 wdt:P569 ?d }", ""),
        ("SELECT ?d (COUNT(*) AS ?n) { wd:Q142 wdt:P569 ?d } GROUP BY ?d", ""),
        ("SELECT * { wd:Q142 wdt:P569 ?d }", ""),
        ("SELECT * { wd:Q142 wdt:P569 ?d FILTER(?d = 'COUNT(') }", ""),
        # These have an answer without the pattern.
        ("ASK { wd:Q142 wdt:P36 ?c OPTIONAL { wd:Q142 wdt:P569 ?d } }", ""),
        ("ASK { { wd:Q142 wdt:P569 ?d } UNION { wd:Q142 wdt:P36 ?d } }", ""),
        ("ASK { { SELECT (COUNT(*) AS ?n) { wd:Q142 wdt:P569 ?d } } }", ""),
        ("ASK { wd:Q142 (wdt:P36|wdt:P31)/wdt:P569 ?d }", ""),
    ],
)
async def test_a_count_and_a_yes_or_no_say_what_the_answer_is(graph: Graph, text: str, words: str) -> None:
    said = [each.message.removeprefix("[BLOCKED] ") for each in (await judged(text, graph)).findings]
    assert said
    assert all(each.startswith(words) if words else "The answer" not in each for each in said)


@pytest.mark.parametrize("text", ["ASK { BODY }", "SELECT (COUNT(*) AS ?n) { BODY }"])
async def test_what_nobody_verified_says_nothing_of_the_answer(graph: Graph, text: str) -> None:
    typed = text.replace("BODY", "?x wdt:P31 wd:Q515 ; wdt:P569 ?d")
    assert only(await judged(typed, None)).reason.startswith("date of birth")
    graph.wait_s = 5.0
    assert only(await judged(typed, graph)).reason.startswith("date of birth")
    graph.wait_s = 0.0
    draft = demo_draft(evidence=False)
    prop, human = draft.properties[item("P1082")], draft.properties[item("P569")].domain
    draft.add_property(replace(prop, domain=human))
    refuted = only(await judged(text.replace("BODY", "wd:Q142 wdt:P1082 ?n"), graph, draft.index()))
    assert (refuted.severity, refuted.verified) == ("warn", False)
    assert refuted.reason.startswith("population")


async def test_without_an_endpoint_nothing_is_verified() -> None:
    # Types come from the endpoint: of a constant nothing is known then, of a variable with a type pattern enough.
    assert brief(await judged(BIRTH, None)) == []
    typed = await judged("SELECT ?d { ?x wdt:P31 wd:Q515 ; wdt:P569 ?d }", None)
    assert brief(typed) == [("domain", "warn", False)]


async def test_late_types_are_unknown_and_late_proofs_warn(graph: Graph) -> None:
    graph.wait_s = 5.0
    assert brief(await judged(BIRTH, graph)) == []
    late = await judged("SELECT ?d { ?x wdt:P31 wd:Q515 ; wdt:P569 ?d }", graph)
    assert brief(late) == [("domain", "warn", False)]


async def test_a_counterexample_is_no_block(graph: Graph) -> None:
    draft = demo_draft(evidence=False)
    prop = draft.properties[item("P1082")]
    human = draft.properties[item("P569")].domain
    draft.add_property(type(prop)(id="P1082", iri=item("P1082"), label="population", kind="quantity", domain=human))
    report = await judged("SELECT ?n { wd:Q142 wdt:P1082 ?n }", graph, draft.index())
    assert brief(report) == [("domain", "warn", False)]


async def test_without_a_table_two_other_instances_are_the_evidence(graph: Graph) -> None:
    draft = demo_draft(evidence=False)
    human = draft.properties[item("P569")].domain
    for used in ("P131",):
        prop = draft.properties[item(used)]
        draft.add_property(type(prop)(id=used, iri=item(used), label=prop.label, kind=prop.kind, domain=human))
    index = draft.index()
    # Other cities are said to lie somewhere, Hamburg is not: that is no reason to call the property wrong.
    assert brief(await judged("SELECT ?x { wd:Q1055 wdt:P131 ?x }", graph, index)) == [("empty", "note", True)]
    assert brief(await judged(BIRTH, graph, bare_index())) == [("domain", "block", True)]
    probes = [text for text in graph.asked if "OFFSET 1" in text]
    assert probes
    assert f"FILTER(?x NOT IN (<{item('Q142')}>))" in probes[-1]


async def test_hierarchy_and_constraints_a_year_apart_only_warn(graph: Graph) -> None:
    draft = demo_draft()
    draft.dates = {"constraints": "2026-01-01", "hierarchy": "2021-01-01"}
    assert brief(await judged(BIRTH, graph, draft.index())) == [("domain", "warn", True)]


async def test_strategies_are_warned_of_what_is_empty_and_clients_get_a_note(graph: Graph) -> None:
    text = "SELECT ?x { wd:Q76 wdt:P20 ?x }"
    assert brief(await judged(text, graph)) == [("empty", "note", True)]
    assert brief(await judged(text, graph, asker="nl")) == [("empty", "warn", True)]


async def test_the_other_direction_is_the_suggestion(graph: Graph) -> None:
    finding = only(await judged("SELECT ?x { wd:Q90 wdt:P36 ?x }", graph))
    assert (finding.code, finding.severity) == ("direction", "warn")
    assert "?x wdt:P36 wd:Q90" in finding.message
    turned = only(await judged("SELECT ?x { wd:Q25191 wdt:P57 ?x }", graph))
    assert turned.suggestions[0].why == "the other way round: ?x wdt:P57 wd:Q25191"


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("?x p:P39 ?s . ?s ps:P39 ?o . ?o wdt:P31 ?c", None),
        ("?x p:P39 ?s . ?s ps:P39 ?o ; pq:P580 ?d", None),
        ("?x p:P39 [ ps:P39 ?o ; pq:P580 ?d ]", None),
        ("?x p:P39/ps:P39 ?o", None),
        ("?x p:P39/pq:P580 ?d", None),
        ("?x wdt:P39/pq:P580 ?d", "model"),
        ("?x wdt:P39 ?s . ?s pq:P580 ?d", "model"),
        ("?x wdt:P39 ?o ; pq:P580 ?d", "model"),
        ("?x p:P39 ?s . ?s wdt:P31 ?c", "model"),
        ("?x p:P39 wd:Q11696", "model"),
        ("wd:Q76 ps:P39 ?o", "model"),
        ("?x p:P569/psv:P569 ?v", None),
    ],
)
async def test_the_statement_model(graph: Graph, where: str, code: str | None) -> None:
    found = [each.code for each in (await judged(f"SELECT * {{ {where} }}", graph)).findings]
    assert found == ([code] if code else [])


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ('?x wdt:P569 "1961"', [("datatype", "block")]),
        ('?x wdt:P569 "1961"@en', [("datatype", "block")]),
        ('?x wdt:P569 "1961-08-04T00:00:00Z"^^xsd:dateTime', []),
        ("?x wdt:P57 wd:Q25191", []),
        ("?x wdt:P57 'Nolan'", [("datatype", "block")]),
        ("VALUES ?n { 'Nolan' wd:Q25191 } ?x wdt:P57 ?n", []),
        ("VALUES ?n { 'Nolan' 'Jackson' } ?x wdt:P57 ?n", [("datatype", "block")]),
        ("OPTIONAL { ?x wdt:P57 'Nolan' }", [("datatype", "warn")]),
        ("?x wdt:P1082 wd:Q5", [("datatype", "block")]),
        ("?x p:P57/ps:P57 'Nolan'", [("datatype", "block")]),
    ],
)
async def test_kinds_of_value(graph: Graph, where: str, found: list[tuple[str, str]]) -> None:
    report = await judged(f"SELECT * {{ {where} }}", graph)
    assert [(each.code, each.severity) for each in report.findings if each.code == "datatype"] == found


async def test_the_rule_of_the_paper_flags_what_the_hierarchy_would_save(graph: Graph) -> None:
    text = "SELECT ?n { wd:Q142 wdt:P1082 ?n }"
    assert brief(await judged(text, graph)) == []
    assert [each[0] for each in brief(await judged(text, graph, by_paper=True))] == ["domain"]


async def test_a_graph_clause_is_asked_in_its_graph(graph: Graph) -> None:
    report = await judged("SELECT * { GRAPH ?g { wd:Q142 wdt:P569 ?d } }", graph)
    assert brief(report) == [("domain", "block", True)]
    assert any("GRAPH ?v" in text for text in graph.asked)


async def test_2000_patterns_are_judged_within_limits(graph: Graph) -> None:
    bad = " ".join(f"OPTIONAL {{ wd:Q142 wdt:P569 ?d{n} }}" for n in range(1_000))
    more = " ".join(f"?v{n} wdt:P569 ?w{n} ." for n in range(1_000))
    read = syntax(f"SELECT * {{ {bad} {more} }}")
    started = perf_counter()
    report = await judged(read.text, graph)
    assert perf_counter() - started < 2
    assert len(report.findings) == 100
    assert len(graph.asked) < 40


@pytest.mark.parametrize("constant", ["<Q142>", "<../Q142>", "<http://e.org/a%>", "wd:Q142\\~x"])
async def test_a_constant_that_may_mean_something_else_there_is_not_accused(graph: Graph, constant: str) -> None:
    assert not (await judged(f"SELECT * {{ {constant} wdt:P569 ?d }}", graph)).blocks
