"""The `[llm]` table: what is half filled or cannot work is said with the key."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from plugins.nl.model.options import LlmOptions, Price
from proxy.config import read_table
from proxy.errors import ConfigError

WHOLE: dict[str, Any] = {"base_url": "http://127.0.0.1:8000/v1", "model": "toy"}


def mistakes(**options: Any) -> list[str]:
    made = LlmOptions(**options)
    return [*made.mistakes(), *made.missing()]


def test_no_table_is_no_model() -> None:
    assert mistakes() == []
    assert not LlmOptions().configured


def test_a_whole_table_is_a_model() -> None:
    assert mistakes(**WHOLE) == []
    assert LlmOptions(**WHOLE).configured


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"base_url": WHOLE["base_url"]}, "llm.model: is missing"),
        ({"model": "toy"}, "llm.base_url: is missing"),
        ({"api_key_env": "PATH"}, "llm: has api_key_env, but not base_url and model"),
        ({"temperature": 0.5, "seed": 1}, "llm: has temperature, seed, but not base_url and model"),
        ({"embedding_model": "e"}, "llm: has embedding_model, but not base_url and model"),
        ({**WHOLE, "base_url": "127.0.0.1:8000/v1"}, "llm.base_url: must begin with http"),
        ({**WHOLE, "base_url": "ftp://e.org/v1"}, "llm.base_url: must begin with http"),
        ({**WHOLE, "base_url": "https://"}, "llm.base_url: must begin with http"),
        ({**WHOLE, "base_url": "https://user:secret@e.org/v1"}, "llm.base_url: must begin with http"),
        ({**WHOLE, "base_url": "https://e.org/v1?key=secret"}, "llm.base_url: must begin with http"),
        ({**WHOLE, "base_url": "https://[::1/v1"}, "llm.base_url: must begin with http"),
        ({**WHOLE, "api_key_env": "NOBODY_SET_THIS"}, "llm.api_key_env: the environment variable 'NOBODY_SET_THIS'"),
        ({**WHOLE, "attempts": 0}, "llm.attempts: must be at least 1"),
        ({**WHOLE, "concurrency": 0}, "llm.concurrency: must be at least 1"),
        ({**WHOLE, "most_tokens": 0}, "llm.most_tokens: must be at least 1"),
        ({**WHOLE, "calls": 0}, "llm.calls: must be at least 1"),
        ({**WHOLE, "tokens": 0}, "llm.tokens: must be at least 1"),
        ({**WHOLE, "timeout_s": 0.0}, "llm.timeout_s: must be above 0"),
        ({**WHOLE, "silence_s": 0.0}, "llm.silence_s: must be above 0"),
        ({**WHOLE, "temperature": 3.0}, "llm.temperature: must be from 0 to 2"),
        ({**WHOLE, "top_p": 0.0}, "llm.top_p: must be above 0"),
        ({**WHOLE, "money": 1.0}, "llm.money: needs the prices of the model, as [llm.prices.'toy']"),
        ({**WHOLE, "replay": Path("/nowhere/calls.jsonl")}, "llm.replay: there is no file"),
        ({**WHOLE, "record": Path("/nowhere/calls.jsonl")}, "llm.record: there is no folder"),
        ({**WHOLE, "record": Path("/tmp/a"), "replay": Path("/etc/hostname")}, "llm.record: cannot be used together"),
        ({**WHOLE, "cache": Path("/tmp/a"), "replay": Path("/etc/hostname")}, "llm.cache: cannot be used together"),
    ],
)
def test_what_cannot_work_names_its_key(options: dict[str, Any], said: str) -> None:
    found = mistakes(**options)
    assert len(found) == 1
    assert found[0].startswith(said)


def test_all_mistakes_come_at_once() -> None:
    assert len(mistakes(base_url="nothing", api_key_env="NOBODY_SET_THIS", attempts=0)) == 4


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-secret")
    assert mistakes(**WHOLE, api_key_env="MODEL_KEY") == []
    assert "sk-secret" not in repr(LlmOptions(**WHOLE, api_key_env="MODEL_KEY"))


def test_the_table_is_read_from_a_configuration(tmp_path: Path) -> None:
    table = {
        **WHOLE,
        "mode": "json",
        "seed": 7,
        "cache": "replies",
        "prices": {"toy": {"prompt": 2.5, "completion": 10}},
    }
    options = read_table(LlmOptions, table, "llm", tmp_path)
    assert options.cache == tmp_path / "replies"
    assert options.prices["toy"].of(1_000_000, 100_000) == pytest.approx(3.5)
    with pytest.raises(ConfigError, match="did you mean"):
        read_table(LlmOptions, {"base_ur": "x"}, "llm", tmp_path)


def test_money_without_a_price_of_the_model_is_a_mistake_and_with_it_none() -> None:
    assert mistakes(**WHOLE, money=1.0, prices={"toy": Price(prompt=1.0)}) == []


def test_every_key_is_documented_where_it_is_defined() -> None:
    for table in (LlmOptions, Price):
        for each in dataclasses.fields(table):
            assert each.metadata.get("text"), each.name
