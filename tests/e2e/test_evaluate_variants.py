"""What `saga evaluate run` can be told: variants, gold, a server, a model; and what it refuses."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests import stage
from tests.evaluated import QUESTIONS, Words, configured, evaluate, indexed, outcomes
from tests.knowing import Knowing


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("evaluate") / "demo.search")


@pytest.fixture
def config(demo_store: Path, index: Path, tmp_path: Path) -> Path:
    return configured(tmp_path, index, f'store = "{demo_store}"')


def test_variants_stand_side_by_side_and_compare_shows_what_changed(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = evaluate(
        "run", QUESTIONS, "--out", out, "--config", config, "--strategy", "keyless",
        "--ablate", "gate=off", "--ablate", "filter=off,coverage=0.5", "--ablate", "coverage=0",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = {path.stem for path in out.glob("*.jsonl")}
    assert names == {"keyless", "keyless -gate", "keyless -filter coverage=0.5", "keyless coverage=0"}
    report = (out / "report.md").read_text()
    assert "## Table 5: Component ablation of keyless" in report
    assert "| − Gate |" in report
    assert "## Table 6: F1 (%) of keyless under different schema-coverage levels" in report
    assert "| 0% | keyless coverage=0 |" in report

    same = evaluate("compare", f"{out}:keyless", f"{out}:keyless")
    assert same.returncode == 0, same.stderr
    assert "questions changed: 0" in same.stdout
    changed = evaluate("compare", f"{out}:keyless", f"{out}:keyless -gate")
    assert changed.returncode == 1, changed.stderr
    assert "switches.gate: there true, here false" in changed.stdout
    assert "Questions that changed" in changed.stdout
    unclear = evaluate("compare", out, tmp_path)
    assert unclear.returncode == 2
    assert "no run of `saga evaluate run` is there" in unclear.stderr


def test_a_dead_model_is_told_and_what_needs_none_goes_on(demo_store: Path, index: Path, tmp_path: Path) -> None:
    more = f'[llm]\nbase_url = "http://127.0.0.1:{stage.free_port()}/v1"\nmodel = "none"\n'
    config = configured(tmp_path, index, f'store = "{demo_store}"', more)
    words: Words = ["run", QUESTIONS, "--strategy", "saga,keyless", "--config", config, "--limit", "4"]
    done = evaluate(*words, "--out", tmp_path / "out", "--retries", "0")
    assert done.returncode == 3, done.stderr
    assert "4 answers are missing, --resume asks again" in done.stderr
    assert {each["status"] for each in outcomes(tmp_path / "out" / "saga.jsonl")} == {"unavailable"}
    assert {each["status"] for each in outcomes(tmp_path / "out" / "keyless.jsonl")} == {"answered"}
    described = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert described["nl"]["llm"]["model"] == "none"
    assert described["prompts"]


def test_gold_may_come_from_the_file(config: Path, tmp_path: Path) -> None:
    nolan = "http://www.wikidata.org/entity/Q25191"
    lines = [
        {"id": "right", "question": "Who directed Inception?", "answers": [nolan]},
        {"id": "wrong", "question": "Who directed Titanic?", "answers": [nolan]},
        {"id": "none", "question": "Who directed Interstellar?", "sparql": "SELECT ?x { wd:Q13417189 wdt:P57 ?x }"},
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    words: Words = ["run", path, "--config", config]
    done = evaluate(*words, "--gold", "file", "--out", tmp_path / "file")
    assert done.returncode == 0, done.stderr
    found = {each["id"]: each for each in outcomes(tmp_path / "file" / "keyless.jsonl")}
    assert (found["right"]["f1"], found["wrong"]["f1"], found["none"]["left_out"]) == (1.0, 0.0, "no_answers")
    done = evaluate(*words, "--out", tmp_path / "endpoint")
    assert done.returncode == 0, done.stderr
    found = {each["id"]: each for each in outcomes(tmp_path / "endpoint" / "keyless.jsonl")}
    assert (found["right"]["left_out"], found["none"]["f1"]) == ("no_query", 1.0)


def test_gold_that_cannot_be_compared_is_counted_by_reason(config: Path, tmp_path: Path) -> None:
    golds = {
        "empty": "SELECT ?x { wd:Q25188 wdt:P999999 ?x }",
        "refused": "SELECT ?x { wd:Q25188 wdt:P57",
        "failed": "SELECT ?x { SERVICE <http://127.0.0.1:9/> { ?x ?y ?z } }",
    }
    path = tmp_path / "mine.jsonl"
    lines = [{"id": name, "question": "Who directed Inception?", "sparql": gold} for name, gold in golds.items()]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    done = evaluate("run", path, "--config", config, "--out", tmp_path / "out", "--retries", "0")
    assert done.returncode == 1, done.stderr
    found = {each["id"]: each["left_out"] for each in outcomes(tmp_path / "out" / "keyless.jsonl")}
    assert found["empty"] == "empty"
    assert found["refused"] in ("refused", "failed")
    assert found["failed"] in ("refused", "failed")
    assert "questions left out: 3" in done.stdout
    assert "the gold query finds nothing here" in (tmp_path / "out" / "report.md").read_text()


async def test_a_server_answers_as_this_process_does(
    demo_store: Path, index: Path, config: Path, tmp_path: Path
) -> None:
    schema = str(stage.ROOT / "config" / "demo" / "schema.index")
    tables = {
        "endpoints": {"demo": {"store": str(demo_store), "graph": "wikidata", "schema": schema}},
        "plugins": {"enabled": ["plugins.schema.guard", "plugins.search", "plugins.nl"]},
        "search": {"endpoints": {"demo": {"index": str(index)}}},
        "nl": {"seconds_per_minute": 0},
    }
    words: Words = ["run", QUESTIONS, "--limit", "8"]
    async with stage.proxy(tables) as base:
        there = await asyncio.to_thread(evaluate, *words, "--server", base, "--out", tmp_path / "there")
        refused = await asyncio.to_thread(
            evaluate, *words, "--server", base, "--out", tmp_path / "no", "--ablate", "gate=off"
        )
        unknown = await asyncio.to_thread(
            evaluate, *words, "--server", base, "--out", tmp_path / "unknown", "--strategy", "guess"
        )
    here = await asyncio.to_thread(evaluate, *words, "--config", config, "--out", tmp_path / "here")
    assert there.returncode == here.returncode == 0, there.stderr
    one, other = (outcomes(tmp_path / name / "keyless.jsonl") for name in ("there", "here"))
    assert [each["f1"] for each in one] == [each["f1"] for each in other]
    assert [each["sparql"] for each in one] == [each["sparql"] for each in other]
    assert refused.returncode == unknown.returncode == 2
    assert "--config" in refused.stderr
    assert "guess" in unknown.stderr
    gone = evaluate(
        *words, "--server", f"http://127.0.0.1:{stage.free_port()}", "--out", tmp_path / "gone", "--retries", "0"
    )
    assert gone.returncode == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--ablate", "filtr=off"], "did you mean filter?"),
        (["--ablate", "filter=of"], "did you mean off?"),
        (["--ablate", "coverage=2"], "a number from 0 to 1"),
        (["--ablate", "gate"], "needs a value"),
        (["--strategy", "keyles"], "did you mean keyless?"),
        (["--concurrency", "0"], "--concurrency"),
        (["--sample", "0"], "--sample"),
        (["--seconds", "0"], "--seconds"),
        (["--seconds", "nan"], "--seconds"),
        (["--format", "xml"], "xml"),
    ],
)
def test_bad_use_is_said_and_leaves_nothing(config: Path, tmp_path: Path, words: list[str], said: str) -> None:
    done = evaluate("run", QUESTIONS, "--config", config, "--out", tmp_path / "out", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_strategy_of_ones_own_is_measured_and_its_faults_are_no_answers(
    demo_store: Path, index: Path, tmp_path: Path
) -> None:
    more = '[nl.strategies]\nfaulty = "tests.scripted:Faulty"\nsilent = "tests.scripted:Silent"\n'
    config = configured(tmp_path, index, f'store = "{demo_store}"', more)
    words: Words = ["run", QUESTIONS, "--limit", "2", "--strategy", "faulty,silent", "--config", config]
    done = evaluate(*words, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "2 answers met a fault" in done.stderr
    assert {each["status"] for each in outcomes(tmp_path / "out" / "faulty.jsonl")} == {"failed"}
    assert {each["status"] for each in outcomes(tmp_path / "out" / "silent.jsonl")} == {"unanswered"}


async def test_saga_is_measured_with_its_parts_switched_off(demo_store: Path, index: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    golds = {text: str(line["sparql"]) for line in lines for text in line["question"].values()}
    out = tmp_path / "out"
    async with Knowing(golds) as model:
        more = (
            f'[llm]\nbase_url = "{model.url}"\nmodel = "{model.model}"\n'
            "[llm.prices.knowing]\nprompt = 1.0\ncompletion = 4.0\n"
        )
        config = configured(tmp_path, index, f'store = "{demo_store}"', more)
        done = await asyncio.to_thread(
            evaluate, "run", QUESTIONS, "--limit", "5", "--strategy", "saga", "--config", config, "--out", out,
            "--ablate", "mode=paper", "--ablate", "filter=off", "--ablate", "answer_prior=off", "--ablate", "gate=off",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {path.stem: outcomes(path) for path in out.glob("*.jsonl")}
    assert set(found) == {"saga", "saga mode=paper", "saga -filter", "saga -answer_prior", "saga -gate"}
    assert all(each["f1"] == 1.0 for every in found.values() for each in every)
    spent = {name: sum(each["llm_calls"] for each in every) for name, every in found.items()}
    assert spent["saga -answer_prior"] < spent["saga"], "what is switched off asks for nothing"
    assert spent["saga -gate"] < spent["saga"]
    assert sum(spent.values()) == len(model.requests)
    tokens = sum(each["prompt_tokens"] for every in found.values() for each in every)
    assert tokens == model.prompt_tokens
    assert all(each["cost"] > 0 for each in found["saga"])
    assert "| Full saga |" in (out / "report.md").read_text()
    assert "cost per question" in (out / "plots" / "cost_and_f1.svg").read_text()
