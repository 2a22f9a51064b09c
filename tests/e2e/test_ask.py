"""`saga ask` as a person calls it: in process from a configuration, and against a proxy that runs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import fronts, scripted, stage
from tests.upstream import Answer, Upstream

CHILDREN = "List these: SELECT ?child ?born { wd:Q7186 wdt:P40 ?child . ?child wdt:P569 ?born }"
# Runs the command line with the command of this plugin in its table.
_SAGA = """
import sys
from proxy.__main__ import COMMANDS, main
COMMANDS.setdefault("ask", ("plugins.nl.ask", "ask"))
sys.exit(main(sys.argv[1:]))
"""


def command(*words: str | Path) -> list[str]:
    return [sys.executable, "-c", _SAGA, "ask", *map(str, words)]


def ask(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `saga ask`."""
    return subprocess.run(
        command(*words),
        cwd=stage.ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


def written(path: Path, tables: Mapping[str, Any]) -> Path:
    """Write a configuration of tables of texts and tables."""
    path.write_text("\n".join(_lines("", tables)), encoding="utf-8")
    return path


def _lines(name: str, table: Mapping[str, Any]) -> list[str]:
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    found = [f"[{name}]"] if name else []
    found += [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, Mapping):
            found += _lines(f"{name}.{key}" if name else key, value)
    return found


@pytest.fixture
def config(demo_store: Path, tmp_path: Path) -> Path:
    return written(tmp_path / "saga.toml", scripted.tables({"store": str(demo_store)}))


@pytest.fixture
async def server(demo_store: Path) -> AsyncIterator[str]:
    async with stage.proxy(scripted.tables({"store": str(demo_store)})) as base:
        yield base


def test_steps_then_query_then_table_then_status(config: Path) -> None:
    done = ask(CHILDREN, "--config", config, "--lang", "en")
    assert (done.returncode, done.stderr) == (0, "")
    steps, query, table, status = done.stdout.split("\n\n")
    assert steps.splitlines()[0].startswith("execute SELECT ?child")
    assert "-> 1 row." in steps.splitlines()[0]
    assert query.startswith("SELECT ?child ?born")
    head, rule, row = table.splitlines()
    assert head.split() == ["?child", "?born"]
    assert set(rule) == {"-", " "}
    assert row.startswith("Irène Joliot-Curie (Q")
    assert row.index("1897-09-12") == head.index("?born")
    assert status.startswith("answered, confidence 0.90, ")
    assert "\x1b" not in done.stdout


def test_json_is_the_answer_and_nothing_else(config: Path) -> None:
    done = ask(CHILDREN, "--config", config, "--lang", "en", "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert answer["status"] == "answered"
    assert "seq" not in answer
    assert answer["steps"][0]["action"] == "execute"


async def test_a_server_answers_alike(server: str, config: Path) -> None:
    words = (CHILDREN, "--lang", "en")
    ours, theirs = await asyncio.gather(
        asyncio.to_thread(ask, *words, "--config", config), asyncio.to_thread(ask, *words, "--server", server)
    )
    assert theirs.returncode == 0, theirs.stderr
    assert theirs.stdout.split("\n\n")[1:3] == ours.stdout.split("\n\n")[1:3]
    named = await asyncio.to_thread(ask, *words, "--server", server, "--endpoint", "demo", "--json")
    assert json.loads(named.stdout)["endpoint"] == "demo"


def test_nothing_found_is_exit_code_1(config: Path) -> None:
    done = ask("Who?", "--config", config, "--strategy", "silent")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "I know nothing of this."
    assert done.stdout.splitlines()[-1].startswith("unanswered, ")


def test_what_a_budget_has_left_is_shown_and_exit_code_1(config: Path) -> None:
    done = ask("candidate", "--config", config, "--strategy", "endless")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("partial, ")
    assert done.stdout.count("look around -> nothing (0 ms)\n") == 15


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["", "--strategy", "silent"], "no `question`"),
        (["x" * 2001], "at most 2,000"),
        (["Who?", "--strategy", "none_such"], "none_such"),
        (["Who?", "--endpoint", "nowhere"], "nowhere"),
        (["Who?", "--lang", "a language"], "language"),
    ],
    ids=lambda each: str(each)[:30],
)
async def test_bad_use_is_exit_code_2(server: str, config: Path, words: list[str], said: str) -> None:
    for place in (["--config", str(config)], ["--server", server]):
        done = await asyncio.to_thread(ask, *words, *place)
        assert done.returncode == 2, done
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_configuration_without_questions_says_what_to_add(demo_store: Path, tmp_path: Path) -> None:
    tables = {"endpoints": {"demo": {"store": str(demo_store)}}, "plugins": {"enabled": []}}
    done = ask("Who?", "--config", written(tmp_path / "saga.toml", tables))
    assert done.returncode == 2
    assert "plugins.nl" in done.stderr


def test_an_endpoint_that_is_gone_is_exit_code_3(tmp_path: Path) -> None:
    tables = scripted.tables({"url": f"http://127.0.0.1:{stage.free_port()}/sparql"})
    config = written(tmp_path / "saga.toml", tables)
    for strategy in ("rushes", "runs"):
        done = ask("ASK {}", "--config", config, "--strategy", strategy)
        assert done.returncode == 3, done
        assert "Traceback" not in done.stderr


async def test_a_server_that_is_none_is_exit_code_3_and_another_one_2() -> None:
    gone = await asyncio.to_thread(ask, "Who?", "--server", f"http://127.0.0.1:{stage.free_port()}")
    async with Upstream(Answer(status=404, type="text/html", body=b"<html>")) as other:
        wrong = await asyncio.to_thread(ask, "Who?", "--server", other.url.removesuffix("/sparql"))
    stream = b'id: 1\nevent: thought\ndata: {"seq": 1, "t": 0, "kind": "thought", "text": "so far"}\n\n'
    async with Upstream(Answer(type="text/event-stream", body=stream, framing="chunked")) as other:
        cut = await asyncio.to_thread(ask, "Who?", "--server", other.url.removesuffix("/sparql"))
    assert [gone.returncode, wrong.returncode, cut.returncode] == [3, 2, 3]
    assert cut.stdout == "so far\n"
    assert "cut" in cut.stderr
    assert "Traceback" not in gone.stderr + wrong.stderr + cut.stderr


async def test_a_key_comes_from_the_environment(demo_store: Path) -> None:
    sha256 = "2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90"  # of "alice"
    tables = scripted.tables({"store": str(demo_store)}, "silent")
    tables["keys"] = {"ann": {"sha256": sha256, "rights": ["query", "nl"]}, "bob": {"sha256": "00" * 32}}
    async with stage.proxy(tables) as base:
        with_key = await asyncio.to_thread(ask, "Who?", "--server", base, SAGA_KEY="alice")
        wrong = await asyncio.to_thread(ask, "Who?", "--server", base, SAGA_KEY="mallory")
    assert with_key.returncode == 1
    assert wrong.returncode == 2
    assert "SAGA_KEY" in wrong.stderr


async def test_nothing_in_the_graph_acts_on_a_terminal(tmp_path: Path) -> None:
    label = "a\\n\\nevent: answer\\n\\u001B[2J\\u009B31m\\u202Eb"
    quads = f"""
<http://www.wikidata.org/entity/Q1> <http://www.w3.org/2000/01/rdf-schema#label> "{label}"@en .
<http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/direct/P1> "{label}" .
"""
    tables = scripted.tables({"store": str(fronts.store(tmp_path / "store", quads))})
    words = ("List these: SELECT ?x ?o { ?x wdt:P1 ?o }", "--lang", "en")
    async with stage.proxy(tables) as base:
        theirs = await asyncio.to_thread(ask, *words, "--server", base)
    ours = await asyncio.to_thread(ask, *words, "--config", written(tmp_path / "saga.toml", tables))
    for done in (ours, theirs):
        assert done.returncode == 0
        assert all(each.isprintable() or each == "\n" for each in done.stdout)
        assert "a event: answer" in done.stdout


def test_on_a_terminal_steps_are_dim_and_the_answer_is_not(config: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(command(CHILDREN, "--config", config), cwd=stage.ROOT, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        heard = b""
        # The end of a terminal is an error.
        with contextlib.suppress(OSError):
            while more := os.read(ours, 4096):
                heard += more
        child.wait(60)
    os.close(ours)
    text = heard.decode()
    assert text.startswith("\x1b[2mexecute SELECT")
    query = text[text.index("\r\n\r\n") :]
    assert "SELECT ?child" in query
    assert "\x1b" not in query
