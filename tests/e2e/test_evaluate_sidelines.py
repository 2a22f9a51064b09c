"""`saga evaluate filter` and `guard`, which need no model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.evaluated import QUESTIONS, configured, evaluate, indexed


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("evaluate") / "demo.search")


@pytest.fixture
def config(demo_store: Path, index: Path, tmp_path: Path) -> Path:
    return configured(tmp_path, index, f'store = "{demo_store}"')


def test_the_filter_keeps_table_9_and_a_report_has_it(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = evaluate("filter", QUESTIONS, "--config", config, "--out", out)
    assert done.returncode == 0, done.stderr
    found = json.loads((out / "filter.json").read_text())["demo"]
    assert found["off"]["raw_edges"] == found["strict"]["raw_edges"] > 0
    assert found["off"]["edge_reduction"] == found["demote"]["edge_reduction"] == 0
    assert found["strict"]["edge_reduction"] >= found["closure"]["edge_reduction"] >= 0
    assert found["demote"]["gold_property_recall"] == 1
    assert "## Table 9" in (out / "filter.md").read_text()
    assert evaluate("run", QUESTIONS, "--limit", "2", "--config", config, "--out", out).returncode == 0
    assert "## Table 9" in (out / "report.md").read_text()


def test_the_guard_says_what_it_makes_of_gold_queries(config: Path, tmp_path: Path) -> None:
    lines = [
        {"id": "good", "question": "Who?", "sparql": "SELECT ?x { wd:Q25188 wdt:P57 ?x }"},
        {"id": "bad", "question": "When?", "sparql": "SELECT ?d { wd:Q142 wdt:P569 ?d }"},
        {"id": "unread", "question": "What?", "sparql": "SELECT ?d { wd:Q142 wdt:P569"},
        {"id": "answers only", "question": "What?", "answers": ["x"]},
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    done = evaluate("guard", path, "--config", config, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    found = {each["id"]: each for each in map(json.loads, (tmp_path / "out" / "guard.jsonl").read_text().splitlines())}
    assert {name: (each["rows"], each["verdict"]) for name, each in found.items()} == {
        "good": (True, "clean"),
        "bad": (False, "blocked"),
        "unread": (False, "unchecked"),
    }
    assert "What the guard says of gold queries" in done.stdout
