"""Every configuration that comes with the project can be used as it is, and so can what stands in its comments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.loader import load
from tests import stage

FILES = sorted((stage.ROOT / "config").glob("*.toml"))
# A line of TOML that is commented out: a table, or a key with a value.
_OFF = re.compile(r"^# (\[[\w.]+\]|\w+ = .+)$", re.MULTILINE)


def test_there_is_one_for_each_use() -> None:
    assert {each.stem for each in FILES} == {"demo", "wikidata", "freebase", "endpoint"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_right(path: Path) -> None:
    assert load(path).settings.endpoints


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_right_with_all_that_is_commented_out(path: Path, tmp_path: Path) -> None:
    text, changed = _OFF.subn(r"\1", path.read_text(encoding="utf-8"))
    made = tmp_path / path.name
    made.write_text(text, encoding="utf-8")
    assert load(made).plugins
    assert changed or path.stem == "demo"
