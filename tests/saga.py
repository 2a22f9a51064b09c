"""SAGA on its small graph: a store, its schema and text indexes, and /nl with a scripted model, all over real HTTP."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from pyoxigraph import RdfFormat, Store

from plugins.schema.builders.progress import Progress
from plugins.schema.builders.recipe import Recipe, from_files
from plugins.search.building import build
from plugins.search.profile import profile
from plugins.search.sources import Files
from tests import stage
from tests.llm import Abilities, Fills, ModelServer, Says, Turn, model_server

GRAPH = Path(__file__).parent / "saga_graph.ttl"
WD = "http://www.wikidata.org/entity/"
NO_SWITCHES: Mapping[str, Any] = {}
# By these words each prompt is known.
_CONTROLS, _TYPES, _PRUNES, _JUDGES = (
    "You write one SPARQL query",
    "Say what kind of answer it wants",
    "Say which of its properties",
    "Judge whether the query means",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the graph and its indexes are."""

    store: Path
    schema: Path
    search: Path

    def tables(self, server: ModelServer, switches: Mapping[str, Any], **nl: Any) -> dict[str, Any]:
        """Return a configuration that answers questions on the graph with a model."""
        endpoint = {"store": str(self.store), "graph": "wikidata", "schema": str(self.schema), "guard": "warn"}
        llm = {"base_url": server.url, "model": server.model, **nl.pop("llm", {})}
        return {
            "endpoints": {"toy": {**endpoint, **nl.pop("endpoint", {})}},
            "plugins": {"enabled": ["plugins.schema.guard", "plugins.search", "plugins.nl"]},
            # A busy machine must not turn a block into a warning.
            "guard": {"types_s": 30.0, "ask_s": 30.0},
            "search": {"endpoints": {"toy": {"index": str(self.search)}}},
            "llm": llm,
            "nl": {"switches": dict(switches), **nl},
        }


async def prepared(folder: Path, turtle: Path = GRAPH) -> Place:
    """Make the store and both indexes of a graph."""
    place = Place(store=folder / "store", schema=folder / "schema.index", search=folder / "search")
    store = Store(str(place.store))
    store.bulk_load(path=str(turtle), format=RdfFormat.TURTLE)
    store.flush()
    del store
    (await from_files([turtle], Recipe(), Progress(io.StringIO()))).write(place.schema)
    await build(Files([turtle]), profile("wikidata"), place.search, Progress(io.StringIO()))
    return place


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What /nl replied."""

    status: int
    body: str

    @property
    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)


async def ask(url: str, **fields: Any) -> Reply:
    """Ask /nl, with the patience that a whole run takes on a busy machine."""
    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=120)) as session,
        session.post(url, json={"strategy": "saga", **fields}) as response,
    ):
        return Reply(status=response.status, body=await response.text())


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of a question: the reply of /nl, and what the model's server saw."""

    reply: Reply
    server: ModelServer

    @property
    def answer(self) -> Mapping[str, Any]:
        """The answer, or the problem."""
        found: Mapping[str, Any] = self.reply.json
        return found

    @property
    def values(self) -> list[str]:
        """The first column of the answer, sorted: local names of things, literals as they are."""
        found = self.answer["results"]
        rows = found["results"]["bindings"]
        name = found["head"]["vars"][0]
        return sorted(row[name]["value"].removeprefix(WD) for row in rows if name in row)

    @property
    def boolean(self) -> bool:
        """The answer to a yes or no."""
        found: bool = self.answer["results"]["boolean"]
        return found

    @property
    def actions(self) -> list[str]:
        """The names of the actions, in order."""
        return [step["action"] for step in self.answer["steps"] if step["kind"] == "action"]

    @property
    def observations(self) -> list[str]:
        """What came of them."""
        return [step["observation"] for step in self.answer["steps"] if step["kind"] == "action"]


@asynccontextmanager
async def serving(
    place: Place, server: ModelServer, switches: Mapping[str, Any] = NO_SWITCHES, **nl: Any
) -> AsyncIterator[str]:
    """Serve /nl with a model, and yield its address."""
    async with stage.proxy(place.tables(server, switches, **nl)) as base:
        yield f"{base}/nl"


async def asked(
    place: Place,
    script: Sequence[Turn],
    question: str,
    switches: Mapping[str, Any] = NO_SWITCHES,
    abilities: Abilities | None = None,
    **nl: Any,
) -> Asked:
    """Ask one question of SAGA; fail where the script was not followed."""
    language = nl.pop("language", "en")
    async with model_server(script, abilities) as server, serving(place, server, switches, **nl) as url:
        reply = await ask(url, question=question, language=language)
        return Asked(reply=reply, server=server)


async def mistakes(
    place: Place, script: Sequence[Turn], question: str, switches: Mapping[str, Any], **nl: Any
) -> list[str]:
    """Return where the script was not followed, with a part switched off that it is about."""
    server = model_server(script)
    try:
        async with server, serving(place, server, switches, **nl) as url:
            await ask(url, question=question, language="en")
    except AssertionError as error:
        return str(error).splitlines()
    return []


def expecting(form: str, label: str = "", identifier: str = "") -> Turn:
    """Return the turn that says which type of answer is expected."""
    return Turn(Fills({"form": form, "type_label": label, "type_id": identifier}), expects=[_TYPES])


def does(action: str, argument: str = "", expects: Sequence[str] = (), refuses: Sequence[str] = ()) -> Turn:
    """Return the turn of a step, which asserts the observation that it answers."""
    return Turn(Says("", action, argument), expects=[_CONTROLS, *expects], refuses=refuses)


def prunes(keep: str, expects: Sequence[str] = ()) -> Turn:
    """Return the turn that says which properties to keep of a thing of no known type."""
    return Turn(Fills({"keep": keep}), expects=[_PRUNES, *expects])


def judges(verdict: str = "done", why: str = "", sparql: str = "", expects: Sequence[str] = ()) -> Turn:
    """Return the turn of the gate's judge."""
    return Turn(Fills({"verdict": verdict, "why": why, "sparql": sparql}), expects=[_JUDGES, *expects])
