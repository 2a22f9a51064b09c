"""Runs are told apart, and no secret is written down."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from plugins.evaluation import fingerprints, manifest
from plugins.nl.model.options import LlmOptions
from plugins.nl.options import NlOptions
from proxy.errors import UsageError
from proxy.settings import EndpointTable

RUN: dict[str, Any] = {
    "files": {"q.jsonl": "abc"},
    "limit": 3,
    "nl": {"seconds": 60.0, "llm": {"model": "m"}},
    "code": {"version": "1", "commit": "one"},
    "concurrency": 2,
}


def test_a_run_is_begun_once_and_gone_on_with_by_the_same(tmp_path: Path) -> None:
    first = manifest.begun(tmp_path, RUN, resume=False)
    assert manifest.read(tmp_path) == first == RUN
    with pytest.raises(UsageError, match="--resume goes on with it"):
        manifest.begun(tmp_path, RUN, resume=False)
    assert manifest.begun(tmp_path, RUN, resume=True) == RUN


def test_how_it_is_run_may_differ_and_other_code_is_remembered(tmp_path: Path) -> None:
    manifest.begun(tmp_path, RUN, resume=False)
    later = {**RUN, "concurrency": 8, "code": {"version": "1", "commit": "two"}}
    found = manifest.begun(tmp_path, later, resume=True)
    assert found["code"]["commit"] == "one"
    assert found["concurrency"] == 8
    assert manifest.begun(tmp_path, later, resume=True)["resumed_with"] == [later["code"]]
    assert manifest.begun(tmp_path, RUN, resume=True)["resumed_with"] == [later["code"]]


def test_what_differs_is_shown_key_by_key(tmp_path: Path) -> None:
    manifest.begun(tmp_path, RUN, resume=False)
    before = (tmp_path / manifest.FILE).read_text()
    other = {**RUN, "limit": None, "nl": {"seconds": 30.0, "llm": {"model": "m", "seed": 1}}, "files": {"p.jsonl": "x"}}
    with pytest.raises(UsageError) as error:
        manifest.begun(tmp_path, other, resume=True)
    assert str(error.value).splitlines()[1:] == [
        '  files.p.jsonl: was nothing, is now "x"',
        '  files.q.jsonl: was "abc", is now nothing',
        "  limit: was 3, is now null",
        "  nl.llm.seed: was nothing, is now 1",
        "  nl.seconds: was 60.0, is now 30.0",
    ]
    assert (tmp_path / manifest.FILE).read_text() == before


@pytest.mark.parametrize("text", ["", "no JSON", "[1]", '{"half'])
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / manifest.FILE).write_text(text)
    with pytest.raises(UsageError, match=r"manifest\.json"):
        manifest.begun(tmp_path, RUN, resume=True)


@dataclass(frozen=True)
class Options:
    """What a plugin of somebody else may have."""

    password: str = "geheim"
    api_key: str = "geheim"
    url: str = "redis://user:geheim@host:6379/0?password=geheim"
    headers: dict[str, str] = field(default_factory=lambda: {"Authorization": "geheim"})
    folder: Path = Path("/geheim/index")
    most: float = float("inf")
    inner: tuple[dict[str, str], ...] = ({"secret": "geheim", "name": "open"},)


def test_options_are_written_without_secrets_and_without_places_of_this_machine() -> None:
    found = fingerprints.plain(Options())
    text = json.dumps(found)
    assert "geheim" not in text
    assert found == {"url": "redis://host:6379/0", "folder": "index", "most": "inf", "inner": [{"name": "open"}]}
    table = EndpointTable(url="https://me:geheim@host/sparql", user="geheim", headers={"X-Key": "geheim"})
    assert "geheim" not in json.dumps(fingerprints.plain(table))


def test_the_options_of_questions_keep_what_decides_answers() -> None:
    found = fingerprints.plain(NlOptions(llm=LlmOptions(base_url="http://host/v1", model="m", tokens=5)))
    assert found["llm"]["tokens"] == 5
    assert found["llm"]["model"] == "m"
    assert found["llm"]["base_url"] == "http://host/v1"
    assert found["switches"]["filter"] == "demote"
    json.dumps(found)


def test_a_store_is_told_by_its_tables(tmp_path: Path) -> None:
    (tmp_path / "1.sst").write_text("abc")
    first = fingerprints.store(tmp_path)
    (tmp_path / "LOG").write_text("opened")
    assert fingerprints.store(tmp_path) == first
    (tmp_path / "2.sst").write_text("abc")
    assert fingerprints.store(tmp_path) != first
