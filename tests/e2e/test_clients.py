"""Real clients against the proxy: a store and a real Oxigraph behind it, refusals, and answers that break."""

from __future__ import annotations

import asyncio
import gc
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pyoxigraph as ox
import pytest
import pytest_asyncio

from proxy.results.formats import Format
from tests import stage
from tests.clients.python import CLIENTS
from tests.fronts import store
from tests.profiles import fuseki_malformed, results
from tests.upstream import Answer, Sent, Upstream

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    # urllib, and so most clients of Python, leaves the socket of a broken answer to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

FOLDER = stage.ROOT / "tests" / "clients"
NODE = ("fetch-sparql-endpoint", "sparql-http-client", "sparql-http-client/SimpleClient", "comunica")
# Its stream of results never hears of an error in the body: it neither ends nor fails. It does not take it as whole.
DEAF = ("sparql-http-client",)

NAMES = ["Zoë", "日本語", "😀 smile", 'a "quoted", comma', "line\nbreak", "back\\slash", "<tag> & 'x'", " blank "]
TRIPLES = {(f"http://e.org/s{n}", "http://e.org/name", name) for n, name in enumerate(NAMES)}
QUADS = "".join(
    f"<{subject}> <{predicate}> {ox.Literal(name, language='de') if name != 'Zoë' else ox.Literal(name)} .\n"
    for subject, predicate, name in TRIPLES
)
VALUES = [f"v{n} ü" for n in range(2_000)]
QUERIES = {
    "select": ("select", "SELECT ?s ?name { ?s <http://e.org/name> ?name }"),
    "true": ("ask", 'ASK { ?s <http://e.org/name> "Zoë" }'),
    "false": ("ask", 'ASK { ?s <http://e.org/name> "nobody" }'),
    "construct": ("construct", "CONSTRUCT { ?s <http://e.org/name> ?name } WHERE { ?s <http://e.org/name> ?name }"),
    "unicode": (
        "select",
        'SELECT ?s { ?s <http://e.org/name> ?name FILTER(STR(?name) IN ("Zoë", "日本語", "😀 smile")) }',
    ),
    "values": (
        "select",
        f"SELECT ?v {{ VALUES ?v {{ {' '.join(json.dumps(v, ensure_ascii=False) for v in VALUES)} }} }}",
    ),
    "syntax": ("select", "SELEKT ?s { ?s ?p ?o }"),
}
PLACES = ("embedded", "http")
BREAKS = ("small", "large")
ROWS = {"small": 20, "large": 10_000}
BROKEN = {
    "select": ("select", "SELECT ?n ?s { ?n <http://e.org/p> ?s }"),
    "construct": ("construct", "CONSTRUCT { ?n <http://e.org/p> ?s } WHERE { ?n <http://e.org/p> ?s }"),
}


def _script(count: int, *, cut: int) -> Any:
    """Return an endpoint that leaves out so many bytes of its answer."""

    def script(sent: Sent) -> Answer:
        fmt = Format.NTRIPLES if "CONSTRUCT" in sent.text else Format.JSON
        body = results(fmt, count)
        if not cut:
            return Answer(type=fmt.media_type, body=body)
        return Answer(type=fmt.media_type, body=body, framing="chunked", cut=len(body) - cut, end="reset")

    return script


@dataclass(slots=True)
class Places:
    """Hold the addresses, and what each client of Node made of all its tasks, run once per client."""

    addresses: dict[str, str]
    made: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def ask(self, client: str, form: str, place: str, query: str, name: str) -> Any:
        """Return what the client gives for one query, as plain values. Raises whatever the client raises."""
        if client not in NODE:
            return await asyncio.to_thread(getattr(CLIENTS[client](), form), self.addresses[place], query)
        if client not in self.made:
            self.made[client] = await self._run(client)
        made = self.made[client][f"{name} {place}"]
        if "error" in made:
            raise RuntimeError(made["error"])
        if "triples" in made:
            return {tuple(triple) for triple in made["triples"]}
        if "turtle" in made:
            quads = ox.parse(made["turtle"].encode(), format=ox.RdfFormat.TURTLE)
            return {tuple(str(getattr(t, "value", "")) for t in (q.subject, q.predicate, q.object)) for q in quads}
        return made.get("rows", made.get("boolean"))

    async def _run(self, client: str) -> dict[str, Any]:
        tasks = [
            {
                "name": f"{name} {place}",
                "url": self.addresses[place],
                "form": form,
                "query": query,
                "limit_ms": 2_000 if "broken" in name else 10_000,
            }
            for name, (form, query, places) in TASKS.items()
            for place in places
        ]
        process = await asyncio.create_subprocess_exec(
            "node", "run.mjs", client, cwd=FOLDER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate(json.dumps(tasks).encode())
        assert process.returncode == 0
        made = json.loads(output)
        assert isinstance(made, dict)
        return made


def _update(place: str) -> str:
    return f'INSERT DATA {{ <http://e.org/new/{place}> <http://e.org/by> "%s ü" }}'


UPDATES = {"writable": _update("writable"), "chain": _update("chain")}
TASKS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    **{name: (form, query, PLACES) for name, (form, query) in QUERIES.items()},
    **{f"broken {name}": (form, query, BREAKS) for name, (form, query) in BROKEN.items()},
    **{f"whole {name}": (form, query, tuple(f"whole-{b}" for b in BREAKS)) for name, (form, query) in BROKEN.items()},
    "refused": ("select", QUERIES["select"][1], ("refusing",)),
    **{f"update {place}": ("update", text % "node", (place,)) for place, text in UPDATES.items()},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def places(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Places]:
    """Serve every kind of place by one proxy, and one that takes updates behind it."""
    folder = tmp_path_factory.mktemp("clients")
    async with AsyncExitStack() as stack:
        writable = str(store(folder / "writable", ""))
        inner = await stack.enter_async_context(
            stage.proxy({"endpoints": {"writable": {"store": writable, "updates": True}}})
        )
        oxigraph = stack.enter_context(stage.oxigraph_server(store(folder / "server", QUADS)))
        tables: dict[str, Any] = {
            "embedded": {"store": str(store(folder / "store", QUADS))},
            "http": {"url": oxigraph, "engine": "oxigraph"},
            "chain": {"url": f"{inner}/sparql", "updates": True},
        }
        scripts = {"refusing": lambda _: fuseki_malformed()}
        for name, count in ROWS.items():
            scripts |= {name: _script(count, cut=40), f"whole-{name}": _script(count, cut=0)}
        for name, script in scripts.items():
            tables[name] = {"url": (await stack.enter_async_context(Upstream(script))).url}
        outer = await stack.enter_async_context(stage.proxy({"endpoints": tables}))
        yield Places({**{name: f"{outer}/sparql/{name}" for name in tables}, "writable": f"{inner}/sparql"})


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """Collect what clients leave behind while its warnings are still ignored.

    Only what the test made: a walk over the whole heap takes half a second, in which Ctrl-C is lost.
    """
    gc.freeze()
    yield
    gc.collect()
    gc.unfreeze()


@pytest.fixture(params=[*CLIENTS, *NODE])
def client(request: pytest.FixtureRequest) -> str:
    """Return the name of a client, or skip where its program is absent."""
    name = str(request.param)
    if name in NODE and not shutil.which("node"):
        pytest.skip("node is absent")
    if name in NODE and not (FOLDER / "node_modules").is_dir():
        pytest.skip("tests/clients/node_modules is absent: run `npm ci` in tests/clients")
    if name == "curl" and not shutil.which("curl"):
        pytest.skip("curl is absent")
    return name


def _can(client: str, form: str, name: str = "") -> bool:
    """Return whether a client has this form in what it does: the formats of two hold rows only."""
    if client == "pandas":
        return form == "select"
    if client.startswith("pyoxigraph"):
        return form != "update" and (client, form) != ("pyoxigraph-tsv", "ask")
    return True


@pytest.mark.parametrize("place", PLACES)
async def test_client_select(client: str, place: str, places: Places) -> None:
    rows = await places.ask(client, *_task("select", place))
    assert {(row["s"], row["name"]) for row in rows} == {(s, name) for s, _, name in TRIPLES}
    assert len(rows) == len(NAMES)


@pytest.mark.parametrize("place", PLACES)
async def test_client_ask(client: str, place: str, places: Places) -> None:
    if _can(client, "ask"):
        assert await places.ask(client, *_task("true", place)) is True
        assert await places.ask(client, *_task("false", place)) is False


@pytest.mark.parametrize("place", PLACES)
async def test_client_construct(client: str, place: str, places: Places) -> None:
    if _can(client, "construct"):
        assert await places.ask(client, *_task("construct", place)) == TRIPLES


@pytest.mark.parametrize("place", PLACES)
async def test_client_unicode(client: str, place: str, places: Places) -> None:
    rows = await places.ask(client, *_task("unicode", place))
    assert sorted(row["s"] for row in rows) == [f"http://e.org/s{n}" for n in range(3)]


@pytest.mark.parametrize("place", PLACES)
async def test_client_2000_values(client: str, place: str, places: Places) -> None:
    rows = await places.ask(client, *_task("values", place))
    assert sorted(row["v"] for row in rows) == sorted(VALUES)


@pytest.mark.parametrize("place", PLACES)
async def test_client_sees_a_syntax_error(client: str, place: str, places: Places) -> None:
    with pytest.raises(Exception, match=r".") as caught:
        await places.ask(client, *_task("syntax", place))
    assert not isinstance(caught.value, AssertionError)


async def test_client_sees_what_the_proxy_says(client: str, places: Places) -> None:
    with pytest.raises(Exception, match=r".") as caught:
        await places.ask(client, *_task("refused", "refusing"))
    if client not in ("pandas", "rdflib") and not client.startswith("pyoxigraph"):
        assert "The endpoint calls" in str(caught.value)
    else:
        assert "400" in str(caught.value)


@pytest.mark.parametrize("size", BREAKS)
@pytest.mark.parametrize("form", BROKEN)
async def test_client_takes_a_whole_answer(client: str, form: str, size: str, places: Places) -> None:
    if _can(client, form):
        assert len(await places.ask(client, *_task(f"whole {form}", f"whole-{size}"))) == ROWS[size]


@pytest.mark.parametrize("size", BREAKS)
@pytest.mark.parametrize("form", BROKEN)
async def test_client_notices_a_broken_answer(client: str, form: str, size: str, places: Places) -> None:
    if not _can(client, form):
        return
    with pytest.raises(Exception, match=r".") as caught:
        await places.ask(client, *_task(f"broken {form}", size))
    assert not isinstance(caught.value, AssertionError)
    assert ("hangs" in str(caught.value)) <= (client in DEAF and size == "large")


@pytest.mark.parametrize("place", UPDATES)
async def test_client_updates(client: str, place: str, places: Places) -> None:
    if not _can(client, "update"):
        return
    by = "node" if client in NODE else client
    await places.ask(client, "update", place, UPDATES[place] % by, f"update {place}")
    ask = f'ASK {{ <http://e.org/new/{place}> <http://e.org/by> "{by} ü" }}'
    assert await places.ask("curl", "ask", place, ask, "") is True


def _task(name: str, place: str) -> tuple[str, str, str, str]:
    form, query, _ = TASKS[name]
    return form, place, query, name
