"""What a query is about: graphs by FROM, GRAPH and parameters, other endpoints, VALUES; modes that judge otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from proxy.endpoints.bulk import Bulk, Progress
from proxy.endpoints.rdf_file import rdf_file
from tests import stage, wire
from tests.e2e.test_guard import ask, guarded
from tests.e2e.test_guard_faults import BIRTH, EMPTY, lookup, split, told
from tests.fronts import counted
from tests.unit.schema.demo_schema import DIRECT, demo_draft, item
from tests.upstream import Answer, Upstream

pytestmark = pytest.mark.asyncio(loop_scope="module")

# France's date of birth stands in one graph, its types in another, and the default graph is the demo.
GRAPHS = f"""
<{item("Q142")}> <{DIRECT}P569> "0843" <urn:birth> .
<{item("Q142")}> <{DIRECT}P31> <{item("Q3624078")}> <urn:types> .
"""
BIRTHDAY = "wd:Q142 wdt:P569 ?d"
# A graph that nobody filled.
NOWHERE = "urn:nowhere"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "demo.saga"
    demo_draft().write(path)
    return path


@pytest.fixture(scope="module")
def quads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of the demo and two named graphs."""
    folder = tmp_path_factory.mktemp("quads")
    (folder / "graphs.nq").write_text(GRAPHS)
    files = [rdf_file(str(stage.DEMO_GRAPH), None), rdf_file(str(folder / "graphs.nq"), None)]
    Bulk(files=files, store=folder / "store").run(Progress())
    return folder / "store"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def blocking(quads: Path, index: Path) -> AsyncIterator[str]:
    async with guarded(quads, index, mode="block", types_s=10.0, ask_s=10.0) as base:
        yield base


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plain(quads: Path, index: Path) -> AsyncIterator[str]:
    async with guarded(quads, index, mode="off") as base:
        yield base


# (query, parameters, whether it is blocked)
DATASETS = [
    (f"SELECT * {{ {BIRTHDAY} }}", {}, True),
    (f"SELECT * {{ GRAPH <urn:birth> {{ {BIRTHDAY} }} }}", {}, False),
    (f"SELECT * {{ GRAPH ?g {{ {BIRTHDAY} }} }}", {}, False),
    (f"SELECT * {{ GRAPH <urn:types> {{ {BIRTHDAY} }} }}", {}, True),
    (f"SELECT * {{ GRAPH <{NOWHERE}> {{ {BIRTHDAY} }} }}", {}, True),
    (f"SELECT * {{ VALUES ?g {{ <urn:birth> }} GRAPH ?g {{ {BIRTHDAY} }} }}", {}, False),
    (f"SELECT * {{ GRAPH ?g {{ ?x wdt:P31 wd:Q3624078 }} {BIRTHDAY} }}", {}, True),
    ("SELECT * { ?x wdt:P31 wd:Q3624078 GRAPH ?g { ?x wdt:P569 ?d } }", {}, False),
    ("SELECT * { ?x wdt:P31 wd:Q515 GRAPH ?g { ?x wdt:P569 ?d } }", {}, True),
    (f"SELECT * FROM <urn:birth> {{ {BIRTHDAY} }}", {}, False),
    (f"SELECT * FROM <urn:types> FROM <urn:birth> {{ {BIRTHDAY} }}", {}, False),
    (f"SELECT * FROM <urn:types> {{ {BIRTHDAY} }}", {}, True),
    # Nothing is known of its types there: unknown says nothing.
    (f"SELECT * FROM <{NOWHERE}> {{ {BIRTHDAY} }}", {}, False),
    (f"SELECT * FROM NAMED <urn:birth> {{ GRAPH ?g {{ {BIRTHDAY} }} }}", {}, False),
    (f"SELECT * FROM <urn:types> FROM NAMED <urn:birth> {{ GRAPH ?g {{ {BIRTHDAY} }} }}", {}, False),
    (f"SELECT * FROM <urn:types> FROM NAMED <urn:types> {{ GRAPH ?g {{ {BIRTHDAY} }} }}", {}, True),
    (f"SELECT * {{ {BIRTHDAY} }}", {"default-graph-uri": "urn:birth"}, False),
    (f"SELECT * {{ {BIRTHDAY} }}", {"default-graph-uri": "urn:types"}, True),
    # What the request says holds against what the text says. Source: SPARQL 1.1 Protocol, 2.1.4.
    (f"SELECT * FROM <urn:types> {{ {BIRTHDAY} }}", {"default-graph-uri": "urn:birth"}, False),
    (f"SELECT * {{ GRAPH ?g {{ {BIRTHDAY} }} }}", {"named-graph-uri": "urn:birth"}, False),
    # VALUES conflicts only if every value does, however it is written.
    ("SELECT * { VALUES ?s { wd:Q142 wd:Q183 } ?s wdt:P569 ?d }", {}, True),
    ("SELECT * { VALUES ?s { wd:Q142 wd:Q76 } ?s wdt:P569 ?d }", {}, False),
    ("SELECT * { VALUES ?s { wd:Q142 UNDEF } ?s wdt:P569 ?d }", {}, False),
    ("SELECT * { VALUES (?s ?n) { (wd:Q142 1) (wd:Q183 2) } ?s wdt:P569 ?d }", {}, True),
    ("SELECT * { VALUES (?s ?n) { (wd:Q142 1) (UNDEF 2) } ?s wdt:P569 ?d }", {}, False),
    ("SELECT * { VALUES ?s { wd:Q142 'France' } ?s wdt:P569 ?d }", {}, False),
    ("SELECT * { VALUES ?s { wd:Q142 wd:Q99999999 } ?s wdt:P569 ?d }", {}, False),
    ("SELECT * { ?s wdt:P569 ?d } VALUES ?s { wd:Q142 wd:Q183 }", {}, True),
    ("SELECT * { ?s wdt:P569 ?d } VALUES ?s { wd:Q142 wd:Q76 }", {}, False),
    ("SELECT * { ?x wdt:P36 ?y OPTIONAL { VALUES ?s { wd:Q142 } ?s wdt:P569 ?d } }", {}, False),
    ("SELECT * { VALUES ?d { 'Nolan' 'Jackson' } ?film wdt:P57 ?d }", {}, True),
    ("SELECT * { VALUES ?d { 'Nolan' wd:Q25191 } ?film wdt:P57 ?d }", {}, False),
]


@pytest.mark.parametrize(("text", "where", "blocked"), DATASETS)
async def test_a_block_is_about_the_graphs_of_the_query(
    blocking: str, plain: str, text: str, where: Mapping[str, str], blocked: bool
) -> None:
    """What is not blocked has the same bytes with the guard on; what is blocked has no row with it off."""
    off = await wire.get(f"{plain}/sparql", {**ask(text), **where})
    on = await wire.get(f"{blocking}/sparql", {**ask(text), **where})
    assert off.status == 200
    assert (on.status, on.json.get("code")) == ((422, "blocked") if blocked else (200, None))
    if blocked:
        assert off.values == []
    else:
        assert on.body == off.body
    answer = (await wire.get(f"{blocking}/validate", {**ask(text), **where})).json
    assert any(each["severity"] == "block" for each in answer["findings"]) is blocked


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (f"SELECT * {{ SERVICE <http://e.org/sparql> {{ {BIRTHDAY} }} }}", []),
        (f"SELECT * {{ SERVICE SILENT <http://e.org/sparql> {{ {BIRTHDAY} . wd:Q142 pq:P580 ?x }} }}", []),
        (f"SELECT * {{ SERVICE ?there {{ {BIRTHDAY} }} }}", []),
        (f"SELECT * {{ SERVICE <http://e.org/sparql> {{ OPTIONAL {{ {{ SELECT * {{ {BIRTHDAY} }} }} }} }} }}", []),
        (f"SELECT * {{ {BIRTHDAY} SERVICE <http://e.org/sparql> {{ wd:Q76 wdt:P610 ?x }} }}", ["domain"]),
        # The types that another endpoint knows are not those of this one.
        ("SELECT * { SERVICE <http://e.org/sparql> { ?x wdt:P31 wd:Q6256 } ?x wdt:P569 ?d }", []),
    ],
)
async def test_what_another_endpoint_matches_is_left_alone(blocking: str, text: str, codes: list[str]) -> None:
    answer = (await wire.get(f"{blocking}/validate", ask(text))).json
    assert answer["checked"] is True
    assert [each["code"] for each in answer["findings"]] == codes


async def test_strict_mode_judges_by_the_paper_and_still_blocks_nothing_that_has_rows(quads: Path, index: Path) -> None:
    """A sovereign state is no `territory` by name, which the hierarchy would tell."""
    text = ask("SELECT ?n { wd:Q142 wdt:P1082 ?n }")
    for strict, codes in ((True, ["domain"]), (False, [])):
        async with guarded(quads, index, strict=strict, mode="block") as base:
            answer = (await wire.get(f"{base}/validate", text)).json
            assert [each["code"] for each in answer["findings"]] == codes
            assert not any(each["verified"] for each in answer["findings"])
            got = await wire.get(f"{base}/sparql", text)
            assert (got.status, len(got.values)) == (200, 1)
            assert (await wire.get(f"{base}/sparql", BIRTH)).status == 422


@pytest.mark.parametrize("by", ["configuration", "header"])
async def test_where_the_guard_is_off_nobody_is_asked(index: Path, by: str) -> None:
    options = {"mode": "off"} if by == "configuration" else {"own": {"override": True}}
    headers = {} if by == "configuration" else {"Saga-Guard": "off"}
    async with Upstream(split(Answer(body=EMPTY), told("France"))) as up, guarded(up.url, index, **options) as base:
        for _ in range(3):
            got = await wire.get(f"{base}/sparql", BIRTH, headers)
            assert (got.status, got.body, got.every("sparql-warning")) == (200, EMPTY, [])
        assert not any(map(lookup, up.sent))
        assert len(up.sent) == 3
        assert await counted(base, "saga_guard_findings_total") == 0
