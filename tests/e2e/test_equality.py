"""The demo graph gives the same answers through the proxy as without it, in every form, format and way to ask.

The direct answers come from Oxigraph: the embedded store is compared with pyoxigraph, the `http` endpoint with the
`oxigraph` server behind it. `python -m tests.bench.equality` does the same with gold queries.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import stage
from tests.bench.equality.answers import ASK_TYPES, GRAPH_TYPES, SELECT_TYPES, read
from tests.bench.equality.asking import METHODS, ask
from tests.bench.equality.direct import Direct

_SECONDS = 20.0

# Written out here: that the proxy knows them too must not matter.
_PREFIXES = """PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX p: <http://www.wikidata.org/prop/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
"""

_SELECTS = (
    "SELECT ?s ?p ?o { ?s ?p ?o }",
    "SELECT DISTINCT ?class ?name { ?item wdt:P31/wdt:P279* ?class . OPTIONAL { ?class rdfs:label ?name } }",
    "SELECT ?class (COUNT(DISTINCT ?item) AS ?items) (AVG(STRLEN(?name)) AS ?length)"
    " { ?item wdt:P31 ?class ; rdfs:label ?name } GROUP BY ?class ORDER BY DESC(?items) ?class",
    "SELECT ?item ?same ?also { ?item wdt:P31 wd:Q5 BIND(BNODE() AS ?made) BIND(?made AS ?same) BIND(?made AS ?also) }",
    "SELECT ?item ?name { { SELECT ?item { ?item wdt:P31 wd:Q5 } ORDER BY ?item LIMIT 3 }"
    " ?item rdfs:label|skos:altLabel ?name FILTER(LANG(?name) IN ('de', 'zh', 'en')) }",
    "SELECT ?missing ?item { ?item wdt:P31 wd:Q5 MINUS { ?item wdt:P570 ?died } }",
    "SELECT ?a ?b ?c { VALUES (?a ?b ?c) { (1.0 UNDEF 'a,b\"c\\n\\td\\\\') (1e0 true 'x'@en)"
    " (01 <http://e.org/é> '') } }",
    "SELECT * { ?nothing wdt:P31 wd:Q0 }",
    "SELECT (1 AS ?only) { }",
)
_ASKS = ("ASK { ?item wdt:P31 wd:Q5 }", "ASK { ?item wdt:P31 wd:Q0 }")
_CONSTRUCTS = (
    "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }",
    "CONSTRUCT { ?item rdfs:label ?name . [] rdfs:seeAlso ?item ; rdfs:label ?name }"
    " { ?item wdt:P31 wd:Q5 ; rdfs:label ?name }",
    "CONSTRUCT { ?item wdt:P31 wd:Q0 } { ?item wdt:P31 wd:Q0 }",
)
_DESCRIBES = (
    "DESCRIBE wd:Q5",
    "DESCRIBE ?item { { SELECT ?item { ?item wdt:P31 wd:Q5 } ORDER BY ?item LIMIT 5 } }",
)
_CASES = [
    *((media_type, text) for texts, types in ((_SELECTS, SELECT_TYPES), (_ASKS, ASK_TYPES)) for media_type in types
      for text in texts),
    *((media_type, text) for text in (*_CONSTRUCTS, *_DESCRIBES) for media_type in GRAPH_TYPES),
]  # fmt: skip

_CONFIG = """
[server]
port = {port}
[endpoints.embedded]
store = "{store}"
graph = "wikidata"
[endpoints.http]
url = "{url}"
engine = "oxigraph"
graph = "wikidata"
[plugins]
enabled = []
"""


@dataclass(frozen=True, slots=True)
class Three:
    """Where the same graph is asked: without the proxy, by process and by HTTP, and at the proxy."""

    direct: Direct
    server: str
    proxy: str


@pytest.fixture(scope="module")
def three(demo_store: Path, oxigraph: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Three]:
    """Start the command that users start, with both kinds of endpoint."""
    port = stage.free_port()
    config = tmp_path_factory.mktemp("equality") / "config.toml"
    config.write_text(_CONFIG.format(port=port, store=demo_store, url=oxigraph))
    words = [sys.executable, "-m", "proxy", "serve", "--config", str(config)]
    with Direct(demo_store) as direct, stage.process(words, cwd=stage.ROOT) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/health/live", child)
        yield Three(direct, oxigraph, f"http://127.0.0.1:{port}/sparql")


@pytest.mark.parametrize(("media_type", "text"), _CASES)
def test_proxy_answers_as_oxigraph_does(three: Three, media_type: str, text: str) -> None:
    text = _PREFIXES + text
    alone = read(media_type, three.direct.ask(text, media_type, _SECONDS))
    served = read(media_type, ask(three.server, text, media_type, "direct", _SECONDS))
    for method in METHODS:
        assert read(media_type, ask(f"{three.proxy}/embedded", text, media_type, method, _SECONDS)) == alone, method
        assert read(media_type, ask(f"{three.proxy}/http", text, media_type, method, _SECONDS)) == served, method


def test_demo_answers_hold_something(three: Three) -> None:
    """Equal answers that are all empty would prove nothing."""
    texts = (_SELECTS[0], _SELECTS[1], _SELECTS[2], _SELECTS[3], _SELECTS[4], _CONSTRUCTS[1])
    for text in texts:
        media_type = GRAPH_TYPES[0] if text.startswith("CONSTRUCT") else SELECT_TYPES[0]
        assert read(media_type, three.direct.ask(_PREFIXES + text, media_type, _SECONDS)).size > 0, text
