"""Files of a run: names that any file system takes, and nothing half written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plugins.evaluation.folder import held, safe, write
from plugins.evaluation.traces import place
from proxy.errors import UsageError
from tests.unit.evaluation.outcome import outcome

NAMES = [
    "1",
    "a/b",
    "../../etc/passwd",
    ".",
    "..",
    "",
    ".hidden",
    "x" * 300,
    "x" * 301,
    "ü" * 200,
    "a\0b",
    "a\nb",
    "\ud800",
]


def test_names_are_files_of_their_own_in_the_folder(tmp_path: Path) -> None:
    made = {safe(name) for name in NAMES}
    assert len(made) == len(NAMES)
    for name in made:
        assert "/" not in name
        assert not name.startswith(".")
        assert len(os.fsencode(name)) < 200
        (tmp_path / name).write_text("x")
    assert len(list(tmp_path.iterdir())) == len(NAMES)


def test_traces_of_different_questions_never_share_a_file(tmp_path: Path) -> None:
    keys = [("a.b", "c"), ("a", "b.c"), ("a", "b"), ("a/b", "c"), ("", "a.b.c")]
    paths = {place(tmp_path, outcome(name, dataset=dataset, variant="saga -filter")) for dataset, name in keys}
    assert len(paths) == len(keys)
    assert {path.parent for path in paths} == {tmp_path / "traces" / "saga -filter"}


def test_a_file_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "file.json"
    write(path, "one")
    write(path, "two\ud800")
    assert path.read_text() == "two?"
    assert [each.name for each in path.parent.iterdir()] == ["file.json"]
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file"):
        write(tmp_path / "file" / "below", "three")


def test_a_folder_is_held_by_one(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "run"
    with held(folder), pytest.raises(UsageError, match="another"), held(folder):
        raise AssertionError("two at once")
    with held(folder):
        assert folder.is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file"), held(tmp_path / "file"):
        raise AssertionError("a file is no folder")
