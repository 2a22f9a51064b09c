"""The agent at endpoints that fail: one look-up that fails is an observation, an endpoint that is gone is the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests import stage
from tests.llm import ModelServer, Turn, model_server
from tests.profiles import select
from tests.saga import ask, does, expecting, judges
from tests.upstream import Answer, Sent, Upstream

QUERY = "SELECT ?s { ?s ?p ?o }"


def tables(url: str, server: ModelServer) -> dict[str, Any]:
    return {
        "endpoints": {"up": {"url": url, "graph": "rdf"}},
        "plugins": {"enabled": ["plugins.search", "plugins.nl"]},
        "search": {"endpoints": {"up": {"labels": False}}},
        "llm": {"base_url": server.url, "model": server.model},
    }


def failing(sent: Sent) -> Answer:
    """Answer yes or no, and the one query; look-ups of other things fail."""
    if sent.text.startswith("ASK"):
        return Answer()
    return select(2) if sent.text == QUERY else Answer(status=500, type="text/plain", body=b"too hard")


async def asked(url: str, script: Sequence[Turn]) -> Any:
    async with model_server(script) as server, stage.proxy(tables(url, server)) as base:
        return (await ask(f"{base}/nl", question="What is there?", language="en")).json


async def test_a_lookup_that_fails_is_an_observation() -> None:
    script = [
        expecting("list", "thing"),
        does("lookup", "<http://e.org/1>"),
        does("execute", QUERY, expects=["Observation 1 [fail]: ⟦[ERROR] "]),
        does("stop", expects=["2 rows."]),
        judges(),
    ]
    async with Upstream(failing) as up:
        answer = await asked(up.url, script)
    assert (answer["status"], answer["sparql"]) == ("answered", QUERY)


async def test_an_endpoint_that_is_gone_ends_the_question() -> None:
    script = [expecting("list", "thing"), does("lookup", "<http://e.org/1>")]
    answer = await asked(f"http://127.0.0.1:{stage.free_port()}/sparql", script)
    assert (answer["status"], answer["sparql"]) == ("unavailable", None)
