"""Runs of `saga evaluate` that are killed, resumed, cut off and refused: real processes on the demo."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import stage
from tests.evaluated import (
    PATIENCE_S,
    QUESTIONS,
    SAGA,
    Words,
    alike,
    configured,
    copied,
    count,
    evaluate,
    evaluating,
    indexed,
    outcomes,
    run,
    wait_for_lines,
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("evaluate") / "demo.search")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("evaluate") / "many.jsonl")


@pytest.fixture
def config(demo_store: Path, index: Path, tmp_path: Path) -> Path:
    return configured(tmp_path, index, f'store = "{demo_store}"')


@pytest.fixture(scope="module")
def whole(demo_store: Path, index: Path, many: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    config = configured(folder, index, f'store = "{demo_store}"')
    done = evaluate(*run(many, folder / "out", config))
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_a_run_leaves_outcomes_traces_manifest_report_and_plots(whole: Path, many: Path) -> None:
    total = count(many)
    found = outcomes(whole / "keyless.jsonl")
    assert [each["place"] for each in found] == list(range(total))
    compared = [each for each in found if not each["left_out"]]
    assert {each["left_out"] for each in found} == {"", "language"}
    assert {each["form"] for each in compared} == {"boolean", "count", "factoid", "superlative"}
    assert all(each["queries"] and each["actions"] and each["gold"] and each["status"] for each in compared)

    traces = list((whole / "traces" / "keyless").iterdir())
    assert len(traces) == len(compared)
    trace = json.loads((whole / "traces" / "keyless" / "demo.1%2F0.json").read_text())
    assert trace["id"] == "1/0"
    assert trace["events"][-1]["kind"] == "answer"
    assert trace["gold"]["results"]["results"]["bindings"]

    described = json.loads((whole / "manifest.json").read_text())
    assert described["files"].keys() == {many.name}
    assert described["graph"]
    assert described["schema"]["sha256"]
    assert described["search"]["sha256"]
    assert described["code"]["version"]
    assert described["nl"]["seconds"] == 60.0
    assert described["counts"] == {
        "outcomes": 2 * len(compared),
        "left_out": {"demo": {"language": total - len(compared)}},
    }

    report = (whole / "report.md").read_text()
    for title in ("F1 / EM", "Table 3", "Table 4", "Table 8", "Table 10", "Paired tests", "Questions left out"):
        assert f"## {title}" in report
    assert (whole / "plots" / "f1_by_form.svg").read_text().startswith("<svg")
    assert not list(whole.rglob("*.new"))


def test_a_run_that_is_killed_and_resumed_gives_the_same_report(
    whole: Path, config: Path, many: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = run(many, out, config)
    with evaluating(*words) as child:
        wait_for_lines(out / "keyless.jsonl", 7, child)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    left = count(out / "keyless.jsonl")
    assert 7 <= left < count(many), "killed in the middle"
    # A line that was half written.
    with (out / "keyless.jsonl").open("a") as file:
        file.write('{"id": "30/1", "dataset": "de')

    refused = evaluate(*words)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    assert count(out / "keyless.jsonl") == left

    resumed = evaluate(*words, "--resume", "--concurrency", "5")
    assert resumed.returncode == 0, resumed.stderr
    assert count(out / "keyless.jsonl") == count(many), "nothing was asked twice"
    alike(whole, out)

    again = evaluate(*words, "--resume")
    assert again.returncode == 0, again.stderr
    assert count(out / "keyless.jsonl") == count(many)
    alike(whole, out)


def test_one_writes_at_a_time_and_ctrl_c_says_how_to_go_on(config: Path, many: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = run(many, out, config)
    command = [sys.executable, "-c", SAGA, "evaluate", *map(str, words)]
    with subprocess.Popen(command, cwd=stage.ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        wait_for_lines(out / "keyless.jsonl", 3, child)  # type: ignore[arg-type]  # of text, not bytes
        child.send_signal(signal.SIGSTOP)
        try:
            other = evaluate(*words, "--resume")
        finally:
            # It waits there until the child goes on, which then cannot end before it.
            child.send_signal(signal.SIGINT)
            child.send_signal(signal.SIGCONT)
        _, said = child.communicate(timeout=PATIENCE_S)
    assert other.returncode == 2
    assert "another `saga evaluate`" in other.stderr
    assert child.returncode == 130
    assert "--resume goes on" in said
    assert "Traceback" not in said


def test_another_configuration_is_refused_key_by_key(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words: Words = [*run(QUESTIONS, out, config), "--limit", "3"]
    assert evaluate(*words).returncode == 0
    before = (out / "manifest.json").read_text()
    config.write_text(config.read_text() + "[nl]\nmax_actions = 7\n")
    refused = evaluate(*words[:-1], "4", "--seconds", "30", "--ablate", "gate=off", "--resume")
    assert refused.returncode == 2
    for line in (
        "limit: was 3, is now 4",
        "nl.max_actions: was 15, is now 7",
        "nl.seconds: was 60.0, is now 30.0",
        "questions.count: was 3, is now 4",
        "variants.keyless -gate.switches.gate: was nothing, is now false",
    ):
        assert line in refused.stderr
    assert "concurrency" not in refused.stderr
    assert (out / "manifest.json").read_text() == before


@contextlib.contextmanager
def server_at(store: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    words = [str(Path(sys.executable).parent / "oxigraph"), "serve-read-only", "--location", str(store)]
    with stage.process([*words, "--bind", f"127.0.0.1:{port}"]) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/", child)
        yield child


def test_an_endpoint_that_dies_is_recorded_and_asked_again(
    whole: Path, demo_store: Path, index: Path, many: Path, tmp_path: Path
) -> None:
    port = stage.free_port()
    config = configured(tmp_path, index, f'url = "http://127.0.0.1:{port}/query"\nengine = "oxigraph"')
    out = tmp_path / "out"
    words = [*run(many, out, config), "--retries", "1"]
    with server_at(demo_store, port) as server, evaluating(*words) as child:
        wait_for_lines(out / "keyless.jsonl", 7, child)
        server.kill()
        assert child.wait(PATIENCE_S) == 3
    assert count(out / "keyless.jsonl") == count(many), "it went on to the end"
    missing = [each for each in outcomes(out / "keyless.jsonl") if "unavailable" in (each["status"], each["left_out"])]
    assert missing
    assert all(each["problem"] for each in missing)
    assert "**Not whole**" in (out / "report.md").read_text()

    with server_at(demo_store, port):
        resumed = evaluate(*words, "--resume")
        assert resumed.returncode == 0, resumed.stderr
    alike(whole, out)
    assert "**Not whole**" not in (out / "report.md").read_text()
    assert json.loads((out / "manifest.json").read_text())["triples"] > 10_000


def test_a_full_disk_ends_the_run_and_loses_nothing(
    whole: Path, oxigraph: str, index: Path, many: Path, tmp_path: Path
) -> None:
    config = configured(tmp_path, index, f'url = "{oxigraph}"\nengine = "oxigraph"')
    out = tmp_path / "out"
    words = run(many, out, config)
    most = 20_000
    done = evaluate(*words, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    assert done.returncode == 2
    assert "File too large; all that was written before is whole, --resume goes on" in done.stderr
    assert "Traceback" not in done.stderr
    assert 0 < count(out / "keyless.jsonl") < count(many)
    for path in (*out.glob("*.jsonl"), *out.rglob("*.json")):
        assert (
            [json.loads(line) for line in path.read_text().splitlines()]
            if path.suffix == ".jsonl"
            else json.loads(path.read_text())
        )
    assert not list(out.rglob("*.new"))
    assert evaluate(*words, "--resume").returncode == 0
    alike(whole, out)
