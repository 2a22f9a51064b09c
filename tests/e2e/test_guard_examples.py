"""The guard's examples, on Wikidata's own constraints and on the demo as it is shipped.

Each expectation was written down from specs/guard.md before the first run, with the rule that gives it. The store holds
every type, superclass and value of the properties in question of the shared sample, so that evidence is that of the
whole; the index is built from the constraints, the class tables and that store.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from plugins.schema.builders.progress import Progress as Quiet
from plugins.schema.builders.recipe import Recipe, from_files
from proxy.config import read_toml
from proxy.endpoints.bulk import Bulk, Progress
from proxy.endpoints.rdf_file import rdf_file
from tests import stage, wire

pytestmark = pytest.mark.asyncio(loop_scope="module")

Found = list[tuple[str, str]]

DOMAIN_BLOCKS: Found = [("domain", "block")]
DOMAIN_WARNS: Found = [("domain", "warn")]
# The pattern fits and has no match in a graph that is a sample: for a client a note (section 4, `empty`).
ONLY_EMPTY: Found = [("empty", "note")]
FINE: Found = []

# (what, query, findings)
WIKIDATA: Sequence[tuple[str, str, Found]] = (
    # Section 2: a constant with known classes, none of them below a declared one, and no instance of them with the
    # property: `conflicts`. Section 4: required, declared, not a suggestion, verified by its list of properties: block.
    ("date of birth of France", "SELECT ?x { wd:Q142 wdt:P569 ?x }", DOMAIN_BLOCKS),
    ("date of birth of Germany", "SELECT ?x { wd:Q183 wdt:P569 ?x }", DOMAIN_BLOCKS),
    ("director of Barack Obama", "SELECT ?x { wd:Q76 wdt:P57 ?x }", DOMAIN_BLOCKS),
    ("director of a TV station", "SELECT ?x { wd:Q1022955 wdt:P57 ?x }", DOMAIN_BLOCKS),
    ("highest point of a template", "SELECT ?x { wd:Q6249834 wdt:P610 ?x }", DOMAIN_BLOCKS),
    ("highest point of Barack Obama", "SELECT ?x { wd:Q76 wdt:P610 ?x }", DOMAIN_BLOCKS),
    # P2044 has no P2316: a missing status counts as normal (section 2).
    ("elevation of Albert Einstein", "SELECT ?x { wd:Q937 wdt:P2044 ?x }", DOMAIN_BLOCKS),
    # Section 2: at least one class of these two has no path to the root: `doubtful`, which warns when verified.
    ("spouse of Berlin", "SELECT ?x { wd:Q64 wdt:P26 ?x }", DOMAIN_WARNS),
    ("highest point of Infobox country", "SELECT ?x { wd:Q5621162 wdt:P610 ?x }", DOMAIN_WARNS),
    # Section 2, `fits`: a declared class is in `up` of a type. A sovereign state is a state, an organization, a group
    # of humans, which P607 names; a country is a territory, a stadium a region, which P1082 names.
    ("conflict of France", "SELECT ?x { wd:Q142 wdt:P607 ?x }", ONLY_EMPTY),
    ("conflict of Germany", "SELECT ?x { wd:Q183 wdt:P607 ?x }", ONLY_EMPTY),
    ("population of France", "SELECT ?x { wd:Q142 wdt:P1082 ?x }", FINE),
    ("population of a stadium", "SELECT ?x { wd:Q1056326 wdt:P1082 ?x }", ONLY_EMPTY),
    ("population of a football ground", "SELECT ?x { wd:Q1130617 wdt:P1082 ?x }", ONLY_EMPTY),
    # A typed variable conflicts by its class, as a constant does, and is verified by type pattern and property.
    ("date of birth of countries", "SELECT ?x { ?c wdt:P31 wd:Q6256 ; wdt:P569 ?x }", DOMAIN_BLOCKS),
    ("population of stadiums", "SELECT ?x { ?c wdt:P31 wd:Q483110 ; wdt:P1082 ?x }", FINE),
    # A variable is only what its pattern says. Expected to fit as the constants do, it does not: in the sample's
    # hierarchy (2021) `country` alone is no organization; in the constraints' own year it is. No country of the sample
    # has the property, so section 2 makes it a conflict and section 4 a block; one that had it would lift both.
    ("conflict of countries", "SELECT ?x { ?c wdt:P31 wd:Q6256 ; wdt:P607 ?x }", DOMAIN_BLOCKS),
    ("conflict of states", "SELECT ?x { ?c wdt:P31 wd:Q3624078 ; wdt:P607 ?x }", FINE),
    # Section 4: a block needs a pattern that every solution needs; one that is not warns.
    ("optional date of birth", "SELECT * { wd:Q142 wdt:P1082 ?n OPTIONAL { wd:Q142 wdt:P569 ?x } }", DOMAIN_WARNS),
    ("date of birth or none", "SELECT * { { wd:Q142 wdt:P1082 ?n } UNION { wd:Q142 wdt:P569 ?x } }", DOMAIN_WARNS),
    # Section 3: VALUES conflicts only if every value does.
    ("one of two", "SELECT ?x { VALUES ?s { wd:Q142 wd:Q76 } ?s wdt:P569 ?x }", FINE),
    ("both of two", "SELECT ?x { VALUES ?s { wd:Q142 wd:Q183 } ?s wdt:P569 ?x }", DOMAIN_BLOCKS),
)

# The same kinds on the demo: the same rules, on its own constraints.
DEMO: Sequence[tuple[str, str, Found]] = (
    ("date of birth of France", "SELECT ?x { wd:Q142 wdt:P569 ?x }", DOMAIN_BLOCKS),
    ("director of Barack Obama", "SELECT ?x { wd:Q76 wdt:P57 ?x }", DOMAIN_BLOCKS),
    ("director of an organization", "SELECT ?x { wd:Q3884 wdt:P57 ?x }", DOMAIN_BLOCKS),
    ("highest point of a film", "SELECT ?x { wd:Q25188 wdt:P610 ?x }", DOMAIN_BLOCKS),
    ("elevation of Albert Einstein", "SELECT ?x { wd:Q937 wdt:P2044 ?x }", DOMAIN_BLOCKS),
    ("spouse of Berlin", "SELECT ?x { wd:Q64 wdt:P26 ?x }", DOMAIN_WARNS),
    ("conflict of France", "SELECT ?x { wd:Q142 wdt:P607 ?x }", ONLY_EMPTY),
    ("conflict of a city", "SELECT ?x { wd:Q90 wdt:P607 ?x }", ONLY_EMPTY),
    ("population of France", "SELECT ?x { wd:Q142 wdt:P1082 ?x }", FINE),
    ("population of a stadium", "SELECT ?x { wd:Q127429 wdt:P1082 ?x }", ONLY_EMPTY),
    ("head of government of a city", "SELECT ?x { wd:Q90 wdt:P6 ?x }", ONLY_EMPTY),
    ("date of birth of countries", "SELECT ?x { ?c wdt:P31/wdt:P279* wd:Q6256 ; wdt:P569 ?x }", DOMAIN_BLOCKS),
    ("date of birth of cities", "SELECT ?x { ?c wdt:P31 wd:Q515 ; wdt:P569 ?x }", DOMAIN_BLOCKS),
    ("optional date of birth", "SELECT * { wd:Q142 wdt:P1082 ?n OPTIONAL { wd:Q142 wdt:P569 ?x } }", DOMAIN_WARNS),
)

_PROPERTIES = b"P26 P31 P57 P279 P569 P607 P610 P1082 P2044".split()
_FACTS = {b"<http://www.wikidata.org/prop/direct/" + each + b">" for each in _PROPERTIES}


@pytest.fixture(scope="module")
def sample(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the part of the sample that the examples need, as a store and as an index."""
    folder = tmp_path_factory.mktemp("sample")
    data = shared / "data" / "wikidata"
    graph = [data / "graph.nt.gz", data / "graph_unlabelled.nt.gz"]
    keep(graph, folder / "facts.nt", lambda line: line.split(b" ", 2)[1] in _FACTS)
    keep([data / "properties.nt.gz"], folder / "properties.nt", lambda line: declared(line) in _PROPERTIES)
    Bulk(files=[rdf_file(str(folder / "facts.nt"), None)], store=folder / "store").run(Progress())
    return folder


def keep(files: Sequence[Path], out: Path, wanted: Callable[[bytes], bool]) -> None:
    """Copy lines into a file."""
    with out.open("wb") as kept:
        for each in files:
            with gzip.open(each) as lines:
                kept.writelines(line for line in lines if wanted(line))


def declared(line: bytes) -> bytes:
    """Return the property that a line is about, by itself or by a statement such as `P57-domain`."""
    return line.split(b">", 1)[0].rpartition(b"/")[2].partition(b"-")[0]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def wikidata(sample: Path, shared: Path) -> AsyncIterator[str]:
    data = shared / "data" / "wikidata"
    tables = [data / "classes.tsv.gz", data / "class_ancestors.tsv.gz"]
    files = [sample / "properties.nt", sample / "facts.nt", *tables]
    (await from_files(files, Recipe(), Quiet(io.StringIO()))).write(sample / "index")
    endpoint = {"store": str(sample / "store"), "graph": "wikidata", "schema": str(sample / "index"), "guard": "block"}
    config = {"endpoints": {"wikidata": endpoint}, "plugins": {"enabled": ["plugins.schema.guard"]}}
    async with stage.proxy(config, sample) as base:
        yield base


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def demo(demo_store: Path) -> AsyncIterator[str]:
    """Serve what the demo's own configuration says of the endpoint and the guard, on a store of the tests."""
    config = stage.ROOT / "config" / "demo.toml"
    shipped = read_toml(config)
    shipped["endpoints"]["demo"]["store"] = str(demo_store)
    tables: dict[str, Any] = {name: shipped[name] for name in ("endpoints", "guard") if name in shipped}
    tables["plugins"] = {"enabled": ["plugins.schema.guard"]}
    async with stage.proxy(tables, config.parent) as base:
        yield base


def named(examples: Sequence[tuple[str, str, Found]]) -> pytest.MarkDecorator:
    """Run a test with each example, under its name."""
    pairs = [(text, found) for _, text, found in examples]
    return pytest.mark.parametrize(("text", "found"), pairs, ids=[name for name, _, _ in examples])


@named(WIKIDATA)
async def test_wikidata_example(wikidata: str, text: str, found: Found) -> None:
    await judged(wikidata, text, found)


@named(DEMO)
async def test_demo_example(demo: str, text: str, found: Found) -> None:
    await judged(demo, text, found)


async def judged(base: str, text: str, found: Found) -> None:
    """Ask what is wrong with a query, then run it where blocks are on."""
    answer = (await wire.get(f"{base}/validate", {"query": text})).json
    assert answer["checked"] is True
    assert [(each["code"], each["severity"]) for each in answer["findings"]] == found, answer
    assert all(each["verified"] for each in answer["findings"])
    got = await wire.get(f"{base}/sparql", {"query": text})
    if ("domain", "block") in found:
        assert (got.status, got.json["code"]) == (422, "blocked")
        assert got.json["detail"].startswith("[BLOCKED] ")
    else:
        assert got.status == 200
