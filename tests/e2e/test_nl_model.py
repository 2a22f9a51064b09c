"""/nl with a model: which strategy answers, what the answer says of the model, and what happens when it is gone."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from plugins.nl.prompts import digest
from proxy.errors import ConfigError
from tests import stage, toolbox, wire
from tests.asking import key, post
from tests.llm import Fills, Says, Turn, model_server
from tests.observed import until
from tests.prometheus import panels, prometheus_server

QUESTION = "Where was Marie Curie born?"
QUERY = "SELECT DISTINCT ?x { wd:Q7186 wdt:P19 ?x }"
SCRIPT = [
    Turn(Fills({"form": "entity", "type_label": "place", "type_id": ""}), purpose="answer_type"),
    Turn(Says("Who is it?", "search", "Marie Curie"), expects=(QUESTION,)),
    Turn(Says("What is around her?", "lookup", "wd:Q7186"), expects=("Marie Curie (Q7186)",)),
    Turn(Says("That is it.", "execute", QUERY), expects=("place of birth (P19)",)),
    Turn(Says("Done.", "stop"), expects=("Warsaw",)),
    Turn(Fills({"verdict": "done", "why": "", "sparql": ""}), purpose="judge"),
]
PRICE = {"prompt": 2.0, "completion": 8.0}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toolbox.demo_index(tmp_path_factory.mktemp("model") / "demo.search")


@asynccontextmanager
async def serving(store: Path, index: Path, llm: dict[str, Any], **tables: Any) -> AsyncIterator[str]:
    """Serve the demo with questions and a model."""
    made = toolbox.tables(store, index)
    made["plugins"]["enabled"].append("plugins.nl")
    async with stage.proxy({**made, "llm": llm, **tables}) as base:
        yield base


@asynccontextmanager
async def modelled(store: Path, index: Path, script: Sequence[Turn], **tables: Any) -> AsyncIterator[tuple[str, Any]]:
    """Serve the demo with a model that follows a script."""
    async with model_server(script) as server:
        llm = {"base_url": server.url, "model": server.model, "prices": {server.model: PRICE}}
        async with serving(store, index, llm, **tables) as base:
            yield base, server


def gone() -> dict[str, Any]:
    return {"base_url": f"http://127.0.0.1:{stage.free_port()}/v1", "model": "scripted", "attempts": 1}


async def test_with_a_model_saga_answers_and_says_which_model_and_what_it_cost(demo_store: Path, index: Path) -> None:
    async with modelled(demo_store, index, SCRIPT) as (base, server):
        got = await post(f"{base}/nl", question=QUESTION)
        answer = got.json
    assert got.status == 200
    assert (answer["status"], answer["strategy"]) == ("answered", "saga")
    assert [row["x"]["value"] for row in answer["results"]["results"]["bindings"]] == [f"{toolbox.WD}Q270"]
    assert answer["model"] == {"name": server.model, "prompts": digest()}
    usage = answer["usage"]
    assert usage["llm_calls"] >= len(SCRIPT)
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (server.prompt_tokens, server.completion_tokens)
    cost = (2 * usage["prompt_tokens"] + 8 * usage["completion_tokens"]) / 1e6
    assert usage["cost"] == pytest.approx(cost, abs=2e-6)


async def test_where_the_model_is_gone_keyless_answers_whoever_named_nobody(demo_store: Path, index: Path) -> None:
    async with serving(demo_store, index, gone()) as base:
        answer = (await post(f"{base}/nl", question=QUESTION)).json
        named = await post(f"{base}/nl", question=QUESTION, strategy="saga")
        chosen = (await post(f"{base}/nl", question=QUESTION, strategy="keyless")).json
        ready = await wire.get(f"{base}/health/ready")
    assert (answer["status"], answer["strategy"]) == ("answered", "keyless")
    (warning,) = [each for each in answer["warnings"] if each["code"] == "model_unavailable"]
    assert "llm.base_url" in warning["message"]
    assert "keyless answered instead" in warning["message"]
    assert "model" not in answer
    assert (named.status, named.json["code"]) == (503, "unavailable")
    assert "llm.base_url" in named.json["detail"]
    assert (chosen["status"], chosen["warnings"]) == ("answered", [])
    # Queries need no model: the proxy is ready without.
    assert (ready.status, ready.json["model"]["ok"]) == (200, False)
    assert ready.json["endpoints"]["demo"]["ok"]


async def test_without_a_model_whoever_names_saga_is_told_what_is_missing(demo_store: Path, index: Path) -> None:
    async with serving(demo_store, index, {}) as base:
        named = await post(f"{base}/nl", question=QUESTION, strategy="saga")
        answer = (await post(f"{base}/nl", question=QUESTION)).json
        ready = (await wire.get(f"{base}/health/ready")).json
    assert named.status == 503
    assert "[llm]" in named.json["detail"]
    assert answer["strategy"] == "keyless"
    assert "model" not in ready
    assert ready["search"] == ready["schema"] == {"ok": True, "detail": ""}


async def test_saga_as_the_default_needs_a_model_at_the_start(demo_store: Path, index: Path) -> None:
    with pytest.raises(ConfigError, match=r"nl\.strategy: saga needs a model"):
        async with serving(demo_store, index, {}, nl={"strategy": "saga"}):
            pass


async def test_the_money_of_a_key_ends_its_questions_and_nobody_elses(demo_store: Path, index: Path) -> None:
    tables = {
        "keys": {"ann": key("ann", "nl"), "bob": key("bob", "nl")},
        "nl": {"keys": {"ann": {"money_per_day": 0.000_001}}},
    }
    ann, bob = ({"Authorization": f"Bearer {name}"} for name in ("ann", "bob"))
    async with modelled(demo_store, index, [*SCRIPT, *SCRIPT], **tables) as (base, _):
        first = await post(f"{base}/nl", ann, question=QUESTION)
        second = await post(f"{base}/nl", ann, question=QUESTION)
        other = await post(f"{base}/nl", bob, question=QUESTION)
    assert (first.status, other.status) == (200, 200)
    assert (second.status, second.json["code"]) == (429, "too_many")
    assert int(second.header("Retry-After") or 0) > 60
    assert "money" in second.json["detail"]


async def test_a_run_that_is_replayed_gives_the_same_answer_and_ask_the_same_as_nl(
    demo_store: Path, index: Path, tmp_path: Path
) -> None:
    tape = tmp_path / "tape.jsonl"
    async with model_server(SCRIPT) as server:
        llm = {"base_url": server.url, "model": server.model, "record": str(tape)}
        async with serving(demo_store, index, llm) as base:
            first = (await post(f"{base}/nl", question=QUESTION)).json
    # Nobody is there any more: what is not on the tape cannot be answered.
    replayed = {"base_url": server.url, "model": server.model, "replay": str(tape)}
    async with serving(demo_store, index, replayed) as base:
        second = (await post(f"{base}/nl", question=QUESTION)).json
    assert first["strategy"] == "saga"
    assert lasting(second) == lasting(first)
    config = tmp_path / "saga.toml"
    config.write_text(toml(demo_store, index, replayed), encoding="utf-8")
    words = [sys.executable, "-m", "proxy", "ask", QUESTION, "--json", "--config", str(config)]
    asked = await asyncio.to_thread(subprocess.run, words, capture_output=True, check=False, cwd=stage.ROOT)
    assert asked.returncode == 0, asked.stderr
    assert lasting(json.loads(asked.stdout)) == lasting(first)


async def test_a_replay_that_does_not_match_is_no_answer_and_shows_the_difference(
    demo_store: Path, index: Path, tmp_path: Path
) -> None:
    tape = tmp_path / "tape.jsonl"
    async with model_server(SCRIPT) as server:
        llm = {"base_url": server.url, "model": server.model, "record": str(tape)}
        async with serving(demo_store, index, llm) as base:
            assert (await post(f"{base}/nl", question=QUESTION)).status == 200
    replayed = {"base_url": server.url, "model": server.model, "replay": str(tape), "temperature": 0.5}
    async with serving(demo_store, index, replayed) as base:
        refused = await post(f"{base}/nl", question=QUESTION)
    assert (refused.status, refused.json["code"]) == (409, "replay_mismatch")
    assert "+temperature: 0.5" in refused.json["detail"]
    config = tmp_path / "saga.toml"
    config.write_text(toml(demo_store, index, replayed), encoding="utf-8")
    asked = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "proxy", "ask", QUESTION, "--config", str(config)],
        capture_output=True,
        check=False,
        cwd=stage.ROOT,
        text=True,
    )
    assert asked.returncode == 3
    assert "saga: llm.replay does not match" in asked.stderr
    assert "\n+temperature: 0.5\n" in asked.stderr


async def test_a_real_prometheus_fills_every_panel_of_questions_and_model(
    demo_store: Path, index: Path, tmp_path: Path
) -> None:
    wanted = [each for title, each in panels("[20s]") if re.search("saga_(nl|llm)_", each)]
    assert len(wanted) >= 6
    async with modelled(demo_store, index, SCRIPT) as (base, _):
        with prometheus_server(base, tmp_path / "prometheus") as prometheus:
            assert (await post(f"{base}/nl", question=QUESTION)).status == 200

            async def all_shown() -> bool:
                return all([await prometheus.ask(expression) for expression in wanted])

            await until(all_shown)


def lasting(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what of an answer does not hang on the moment."""
    found = {name: value for name, value in answer.items() if name not in ("id", "conversation")}
    found["steps"] = [{name: value for name, value in step.items() if name != "ms"} for step in answer["steps"]]
    found["usage"] = {name: value for name, value in answer["usage"].items() if name != "seconds"}
    return found


def toml(store: Path, index: Path, llm: dict[str, Any]) -> str:
    """Return the same configuration as a file."""
    schema = stage.ROOT / "config" / "demo" / "schema.index"
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in llm.items())
    return (
        f'[endpoints.demo]\nstore = "{store}"\ngraph = "wikidata"\nschema = "{schema}"\nguard = "block"\n'
        '[plugins]\nenabled = ["plugins.schema.guard", "plugins.search", "plugins.nl"]\n'
        f'[search.endpoints.demo]\nindex = "{index}"\n[llm]\n{lines}\n'
    )
