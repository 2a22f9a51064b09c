"""No text makes the store reach out: the endpoint refuses it, and the child could not if it did not."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.endpoints.child import Child, Gone
from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from proxy.endpoints.frames import Kind
from proxy.errors import BadQuery, Forbidden, ResourceLimit, TooLarge, UpstreamTimeout
from tests import embedded

SERVICES = [
    "SELECT * { SERVICE <URL> { ?s ?p ?o } }",
    "SELECT * { SERVICE SILENT <URL> { ?s ?p ?o } }",
    "SELECT * { service <URL> { ?s ?p ?o } }",
    "SELECT * { # comment\n SERVICE# another\n<URL> { ?s ?p ?o } }",
    "SELECT * { { OPTIONAL { { SELECT * { SERVICE <URL> { ?s ?p ?o } } } } } UNION { ?a ?b ?c } }",
    "SELECT * { FILTER EXISTS { SERVICE <URL> { ?s ?p ?o } } }",
    "SELECT * { FILTER(1 = 1 && NOT EXISTS { SERVICE <URL> { ?s ?p ?o } }) }",
    "SELECT * { BIND(<URL> AS ?e) SERVICE ?e { ?s ?p ?o } }",
    "SELECT * { VALUES ?e { <URL> } SERVICE SILENT ?e { ?s ?p ?o } }",
    "PREFIX u: <URL> SELECT * { SERVICE u: { ?s ?p ?o } }",
    "BASE <URL> SELECT * { SERVICE <x> { ?s ?p ?o } }",
    r"SELECT * { S\u0045RVICE <URL> { ?s ?p ?o } }",
    r"SELECT * { \U00000053ERVICE SILENT <URL> { ?s ?p ?o } }",
    r"SELECT * { SERVICE <http\u003A//ADDRESS> { ?s ?p ?o } }",
    "ASK { SERVICE <URL> { ?s ?p ?o } }",
    "CONSTRUCT { ?s ?p ?o } { SERVICE <URL> { ?s ?p ?o } }",
    "DESCRIBE ?s { SERVICE <URL> { ?s ?p ?o } }",
    'SELECT * { BIND("}\'" AS ?x) SERVICE <URL> { ?s ?p ?o } }',
    "SELECT * { SERVICE <URL> { SERVICE <URL> { ?s ?p ?o } } }",
    # What our own grammar cannot read is looked at all the same.
    "SELECT * { ?? ! nonsense SERVICE <URL> { ?s ?p ?o } }",
    "SELECT * { LATERAL { SERVICE <URL> { ?s ?p ?o } } }",
    "INSERT { ?s ?p ?o } WHERE { SERVICE <URL> { ?s ?p ?o } }",
    "DELETE { ?s ?p ?o } WHERE { SERVICE SILENT <URL> { ?s ?p ?o } }",
]
LOADS = [
    "LOAD <URL>",
    "LOAD SILENT <URL>",
    "LOAD <URL> INTO GRAPH <urn:g>",
    "load silent <URL>",
    r"L\u004FAD <URL>",
    "INSERT DATA { <urn:a> <urn:b> 1 } ; LOAD <URL>",
    "PREFIX u: <URL> LOAD u:",
    "LOAD <file:///etc/passwd>",
]
# These name remote graphs and mean local ones: no error, no connection.
HARMLESS = [
    "SELECT * FROM <URL> { ?s ?p ?o }",
    "SELECT * FROM NAMED <URL> { GRAPH <URL> { ?s ?p ?o } }",
    "SELECT * { GRAPH <URL> { ?s ?p ?o } }",
    "DESCRIBE <URL>",
    'SELECT * { ?s ?p "SERVICE <URL> { }" }',
    "SELECT * { ?s <URLSERVICE> ?SERVICE }",
    "INSERT { <urn:a> <urn:b> ?o } USING <URL> WHERE { ?s ?p ?o }",
    "CLEAR SILENT GRAPH <URL>",
    "COPY SILENT <URL> TO <urn:g>",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return embedded.store(tmp_path_factory.mktemp("walls") / "store", 10)


class Trap:
    """A listening socket, and whether anyone ever knocked."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"

    def into(self, text: str) -> str:
        return text.replace("URL", f"http://{self.address}/").replace("ADDRESS", self.address)

    def knocked(self) -> bool:
        try:
            self._socket.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
async def trap() -> AsyncIterator[Trap]:
    made = Trap()
    yield made
    made.close()


@pytest.fixture
async def endpoint(folder: Path) -> AsyncIterator[EmbeddedEndpoint]:
    made = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, readers=1))
    async with made.lifespan():
        yield made


async def test_service_and_load_are_refused_with_their_place(endpoint: EmbeddedEndpoint, trap: Trap) -> None:
    for text in SERVICES + LOADS:
        with pytest.raises(Forbidden, match=r"SERVICE|LOAD") as caught:
            await endpoint.run(embedded.query(trap.into(text)))
        members = caught.value.members
        line, column = members["line"], members["column"]
        assert isinstance(line, int)
        assert isinstance(column, int)
        rest = trap.into(text).split("\n")[line - 1][column - 1 :].lower()
        assert rest.startswith(("service", "load", r"s\u0045rvice", r"\u00000053ervice", r"l\u004fad")), text
    assert not trap.knocked()


async def test_names_of_remote_graphs_are_only_names(endpoint: EmbeddedEndpoint, trap: Trap) -> None:
    for text in HARMLESS:
        await embedded.ask(endpoint, trap.into(text))
    assert not trap.knocked()


@pytest.mark.parametrize("module", ["proxy.endpoints.reader", "proxy.endpoints.writer"])
async def test_a_child_that_is_given_such_a_text_reaches_nobody(folder: Path, trap: Trap, module: str) -> None:
    """Leave out the first wall: only the child's own confinement holds."""
    for text in SERVICES if module.endswith("reader") else LOADS:
        child = await Child.start(module, EmbeddedSettings(store=folder).hello())
        try:
            assert (await child.first())[0] is Kind.READY
            child.send({"text": trap.into(text), "format": "json", "default": (), "named": ()})
            assert (await child.receive())[-1][0] in (Kind.END, Kind.ERROR)
        finally:
            child.kill()
            await child.wait()
    assert not trap.knocked()


def test_without_the_walls_the_trap_would_catch_it() -> None:
    trap = Trap()
    program = f"import pyoxigraph; pyoxigraph.Store().query({trap.into(SERVICES[1])!r})"
    with subprocess.Popen([sys.executable, "-c", program]) as child:
        assert embedded.until(trap.knocked, 10)
        child.wait()
    trap.close()


DEEP = [
    "SELECT * " + "{" * 5000 + "}" * 5000,
    "SELECT * { FILTER(" + "(" * 5000 + "1" + ")" * 5000 + ") }",
    "SELECT * { ?s " + "(" * 5000 + "<urn:p>" + ")" * 5000 + " ?o }",
    "SELECT * { FILTER(" + " + ".join("1" * 10_000) + " > 1) }",
    "SELECT * { " + " UNION ".join(["{ ?s ?p ?o }"] * 3000) + " }",
    "SELECT * { FILTER(" + "!" * 20_000 + "true) }",
    "SELECT * { " + "OPTIONAL { ?s ?p ?o " * 1000 + "}" * 1000 + " }",
]


@pytest.mark.parametrize("text", DEEP, ids=range(len(DEEP)))
async def test_hostile_depth_ends_in_an_error_or_an_answer(endpoint: EmbeddedEndpoint, text: str) -> None:
    with contextlib.suppress(BadQuery, TooLarge, ResourceLimit, UpstreamTimeout):
        await asyncio.wait_for(_all(endpoint, text), 20)
    assert await embedded.number(endpoint, "SELECT (COUNT(*) AS ?c) { ?s ?p ?o }") >= 10


async def _all(endpoint: EmbeddedEndpoint, text: str) -> None:
    await embedded.ask(endpoint, text, timeout_s=5)


@pytest.mark.parametrize("text", DEEP, ids=range(len(DEEP)))
async def test_depth_that_reaches_oxigraph_costs_one_child(folder: Path, text: str) -> None:
    """Leave out our limits: the child may die, and that is told from an answer."""
    died = "it did not"
    child = await Child.start("proxy.endpoints.reader", EmbeddedSettings(store=folder).hello())
    try:
        await child.first()
        child.send({"text": text, "format": "json", "default": (), "named": ()})
        async with asyncio.timeout(30):
            frames = await child.receive()
            while frames[-1][0] is Kind.DATA:
                frames = await child.receive()
    except Gone as error:
        died = str(error)
    finally:
        child.kill()
        await child.wait()
    assert "SIGSEGV" in died or "SIGABRT" in died or died == "it did not"
