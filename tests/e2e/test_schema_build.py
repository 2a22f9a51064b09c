"""`saga schema` and `saga check` as commands of an operator: killed, resumed, damaged, swapped in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

from plugins.schema.index import Index
from tests import stage

SAGA = [sys.executable, "-m", "proxy"]
BAD = "SELECT ?d { wd:Q142 wdt:P569 ?d }"


def run(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SAGA, *words], cwd=stage.ROOT, input=text, capture_output=True, text=True, timeout=120)


def write_config(folder: Path, endpoint: str, more: str = "") -> Path:
    config = folder / "saga.toml"
    config.write_text(f'[endpoints.demo]\ngraph = "wikidata"\n{endpoint}\n{more}\n')
    return config


def build(config: Path, out: Path, pause: str = "0") -> list[str]:
    """Return a build in which every page is small, so that there are many."""
    polite = ["--page", "5", "--pause", pause]
    return ["schema", "build", "--config", str(config), "--endpoint", "demo", *polite, "--out", str(out)]


def test_a_build_that_was_killed_goes_on_where_it_was(oxigraph: str, tmp_path: Path) -> None:
    config = write_config(tmp_path, f'url = "{oxigraph}"')
    whole, out, work = (tmp_path / name for name in ("whole.index", "killed.index", "killed.index.work"))
    assert run(*build(config, whole)).returncode == 0
    kept = []
    for _ in range(2):
        with stage.process([*SAGA, *build(config, out, "0.2")], cwd=stage.ROOT) as child:
            before = lines(work)
            wait(lambda: lines(work) >= before + 4)  # noqa: B023 - it is called in this turn
            os.kill(child.pid, signal.SIGKILL)
            child.wait(30)
        kept.append(lines(work) - 1)
        assert not out.exists()
    # The line that a crash of the machine could leave behind.
    with work.open("ab") as file:
        file.write(b'{"key": "cut in the mid')
    done = run(*build(config, out))
    assert done.returncode == 0, done.stderr
    assert f"going on: {kept[1]} answers are there already" in done.stderr
    assert kept[1] > kept[0] > 0
    made, expected = Index.open(out), Index.open(whole)
    assert list(made.properties()) == list(expected.properties())
    assert made.counts == expected.counts
    assert sorted(each.name for each in tmp_path.glob("killed*")) == ["killed.index"]


def test_answers_of_another_address_are_not_taken(oxigraph: str, tmp_path: Path) -> None:
    out = tmp_path / "demo.index"
    (tmp_path / "demo.index.work").write_text('{"saga_work": 1, "source": "demo http://127.0.0.1:1/ wikidata"}\n')
    done = run(*build(write_config(tmp_path, f'url = "{oxigraph}"'), out))
    assert done.returncode == 2
    assert "belongs to another build; delete it" in done.stderr


def test_a_file_that_is_no_index_stops_the_start_unless_the_config_says_so(demo_store: Path, tmp_path: Path) -> None:
    index = tmp_path / "wrong.index"
    index.write_bytes(b"@prefix wd: <http://www.wikidata.org/entity/> .\n" * 9)
    endpoint = f'store = "{demo_store}"\nschema = "wrong.index"\nguard = "block"'
    plugins = '[plugins]\nenabled = ["plugins.schema.guard"]'
    port = stage.free_port()
    config = write_config(tmp_path, endpoint, plugins)
    serve = ["serve", "--config", str(config), "--port", str(port)]
    refused = run(*serve)
    assert refused.returncode == 2
    assert "is not an index of Saga" in refused.stderr
    assert str(index) in refused.stderr
    assert "saga schema build" in refused.stderr
    write_config(tmp_path, endpoint, f"{plugins}\n[guard]\noptional = true")
    with stage.process([*SAGA, *serve], cwd=stage.ROOT) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/health/live", child)
        assert ask(f"http://127.0.0.1:{port}/sparql")[0] == 200


def test_an_index_built_anew_is_taken_by_every_worker_without_a_restart(demo_store: Path, tmp_path: Path) -> None:
    index, port = tmp_path / "demo.index", stage.free_port()
    plain = write_config(tmp_path, f'store = "{demo_store}"')
    narrow = tmp_path / "narrow.ttl"
    narrow.write_text(
        "@prefix wd: <http://www.wikidata.org/entity/> . @prefix wikibase: <http://wikiba.se/ontology#> .\n"
        "wd:P569 a wikibase:Property ; wikibase:propertyType wikibase:Time .\n"
    )
    made = ["schema", "build", "--config", str(plain), "--out", str(index), "--from"]
    assert run(*made, str(narrow)).returncode == 0
    served = tmp_path / "served"
    served.mkdir()
    endpoint = f'store = "{demo_store}"\nschema = "{index}"\nguard = "block"'
    config = write_config(served, endpoint, '[plugins]\nenabled = ["plugins.schema.guard"]')
    words = [*SAGA, "serve", "--config", str(config), "--port", str(port), "--workers", "2"]
    with stage.process(words, cwd=stage.ROOT) as child:
        url = f"http://127.0.0.1:{port}"
        stage.wait_for(f"{url}/health/live", child)
        assert [ask(f"{url}/sparql")[0] for _ in range(8)] == [200] * 8
        assert run(*made, str(stage.DEMO_GRAPH)).returncode == 0
        # Either worker may answer; both have it where a row of answers says so.
        wait(lambda: all(ask(f"{url}/sparql")[0] == 422 for _ in range(16)))


def test_a_newcomer_checks_and_looks_at_the_demo(demo_store: Path, tmp_path: Path) -> None:
    """What the commands print and how they end; tests/unit/schema/test_check.py has every exit code."""
    endpoint = f'store = "{demo_store}"\nschema = "{stage.ROOT / "config" / "demo" / "schema.index"}"'
    config = ["--config", str(write_config(tmp_path, endpoint))]
    bad = run("check", "-", *config, text=BAD)
    assert (bad.returncode, bad.stderr) == (1, "")
    lines = bad.stdout.splitlines()
    assert lines[:2] == [f"    1 | {BAD}", "      |             ^^^^^^^^^^^^^^^^^^^"]
    assert lines[2].startswith("domain (block, verified): [BLOCKED] date of birth (P569) is for human")
    assert any("inception (P571)" in each for each in lines[3:])
    good = run("check", *config, text="SELECT ?d { wd:Q76 wdt:P569 ?d }")
    assert (good.returncode, good.stdout) == (0, "ok\n")
    assert run("check", "--server", f"http://127.0.0.1:{stage.free_port()}", text=BAD).returncode == 3
    shown = run("schema", "show", "P57", *config)
    assert (shown.returncode, shown.stdout.startswith("director (P57): ")) == (0, True)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not come to hold"
        time.sleep(0.05)


def ask(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url, urllib.parse.urlencode({"query": BAD}).encode(), timeout=20) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
