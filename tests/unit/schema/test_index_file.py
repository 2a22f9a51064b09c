"""The file of an index: whole or refused, with words that help."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from plugins.schema.container import MAGIC
from plugins.schema.index import Index, IndexDamaged
from proxy.errors import ConfigError
from tests.unit.schema.small import draft


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "small.index"
    draft().write(path)
    return path


def refused(path: Path) -> str:
    with pytest.raises(IndexDamaged) as caught:
        Index.open(path)
    assert isinstance(caught.value, ConfigError)
    assert str(path) in str(caught.value)
    assert "saga schema build" in str(caught.value)
    return str(caught.value)


def test_every_flipped_byte_is_noticed(written: Path) -> None:
    whole = written.read_bytes()
    chance = random.Random(3)
    places = {0, 9, 13, 20, len(whole) - 9, *chance.sample(range(len(whole)), 300)}
    noticed = 0
    for place in sorted(places):
        damaged = bytearray(whole)
        damaged[place] ^= 0x41
        written.write_bytes(damaged)
        try:
            Index.open(written).close()
        except IndexDamaged:
            noticed += 1
        else:
            # Padding between sections is the only part that nobody reads.
            assert whole[place] == 0
    assert noticed > 0.9 * len(places)


def test_every_cut_is_noticed(written: Path) -> None:
    whole = written.read_bytes()
    for length in (0, 1, 7, 8, 31, 32, 33, 200, len(whole) // 2, len(whole) - 16):
        written.write_bytes(whole[:length])
        refused(written)


def test_something_appended_is_noticed(written: Path) -> None:
    written.write_bytes(written.read_bytes() + b"more of it")
    assert "appended" in refused(written)


def test_a_foreign_file_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "graph.ttl"
    path.write_text("<urn:a> <urn:b> <urn:c> .\n" * 100)
    assert "not an index of Saga" in refused(path)


def test_another_version_is_named(written: Path) -> None:
    data = bytearray(written.read_bytes())
    data[len(MAGIC)] = 99
    written.write_bytes(data)
    assert "version 99" in refused(written)


def test_an_absent_file_a_folder_and_an_empty_file(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "absent")
    refused(tmp_path)
    (tmp_path / "empty").touch()
    assert "empty" in refused(tmp_path / "empty")


def test_a_failed_write_leaves_the_old_file(written: Path, tmp_path: Path) -> None:
    before = written.read_bytes()
    code = (
        "import resource, signal, sys; from pathlib import Path;"
        "from tests.unit.schema.small import draft; from proxy.errors import ConfigError\n"
        "made = draft()\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))\n"
        f"try: made.write(Path({str(written)!r}))\n"
        "except ConfigError as error: sys.exit(7)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 7
    assert written.read_bytes() == before
    assert os.listdir(tmp_path) == ["small.index"]


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="folder"):
        draft().write(tmp_path / "absent" / "index")


def test_an_open_index_outlives_its_replacement(written: Path) -> None:
    index = Index.open(written)
    draft().write(written)
    assert index.property("P569") is not None
    index.close()


def test_others_may_read_it(written: Path) -> None:
    assert written.stat().st_mode & 0o777 == 0o644
