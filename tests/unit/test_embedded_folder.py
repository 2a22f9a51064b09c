"""A store folder: snapshots that readers can trust, one writer, and what a dead process left is put right."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph
import pytest

from proxy.endpoints.folder import Folder, StoreDamaged, StoreMissing, open_primary
from proxy.endpoints.gate import Gate, StoreBusy
from tests import embedded

NOBODY = 65534


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return embedded.store(tmp_path_factory.mktemp("folder") / "store", 100)


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Folder:
    return Folder(shutil.copytree(original, tmp_path / "store"))


def count(folder: Folder) -> int:
    snapshot = folder.open(1)
    try:
        return len(snapshot.store)
    finally:
        snapshot.close()


def write(folder: Folder, value: int) -> None:
    with folder.lock(1):
        store = open_primary(folder.path)
        store.update(f"INSERT DATA {{ <urn:new> <urn:is> {value} }}")
        folder.publish(store)
        del store
        folder.note()


def test_a_plain_store_gets_a_snapshot_of_its_own(folder: Folder) -> None:
    assert folder.exists
    assert folder.current() == ""
    assert count(folder) == 100
    first = folder.current()
    assert first
    assert count(folder) == 100
    assert folder.current() == first  # nothing changed: no new one


def test_an_open_snapshot_does_not_change_and_is_kept(folder: Folder) -> None:
    old = folder.open(1)
    for value in range(3):
        write(folder, value)
    assert len(old.store) == 100
    assert (folder.home / old.name).is_dir()
    assert count(folder) == 103
    old.close()
    folder.sweep()
    assert not (folder.home / old.name).exists()
    assert [name for name in os.listdir(folder.home) if name.isdigit()] == [folder.current()]


def test_a_change_from_outside_is_noticed(folder: Folder) -> None:
    assert count(folder) == 100
    foreign = pyoxigraph.Store(folder.path)
    foreign.update("INSERT DATA { <urn:new> <urn:is> 1 }")
    del foreign
    assert count(folder) == 101


def test_a_folder_made_anew_under_the_same_path_has_another_snapshot(folder: Folder, original: Path) -> None:
    assert count(folder) == 100
    first = folder.current()
    shutil.rmtree(folder.path)
    shutil.copytree(original, folder.path)
    assert count(folder) == 100
    assert folder.current() != first


def test_a_copy_is_a_store_of_its_own(folder: Folder, tmp_path: Path) -> None:
    write(folder, 1)
    copy = Folder(shutil.copytree(folder.path, tmp_path / "copy"))
    write(copy, 2)
    assert (count(folder), count(copy)) == (101, 102)


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(StoreMissing):
            Folder(path).open(0)
        assert not (path / "saga").exists()


def test_a_damaged_store(folder: Folder) -> None:
    (folder.path / "CURRENT").write_bytes(b"MANIFEST-999999\n")
    with pytest.raises(StoreDamaged):
        folder.open(0)


def test_a_snapshot_that_vanished_is_made_again(folder: Folder) -> None:
    assert count(folder) == 100
    shutil.rmtree(folder.home / folder.current())
    assert count(folder) == 100


def test_what_a_killed_writer_left_is_swept(folder: Folder) -> None:
    assert count(folder) == 100
    (folder.home / "123.tmp").mkdir()
    (folder.home / "123").mkdir()
    (folder.home / "loading").mkdir()
    write(folder, 1)
    assert sorted(os.listdir(folder.home)) == sorted([folder.current(), "current", "lock", "next", "published"])


def test_the_lock_says_who_holds_it(folder: Folder) -> None:
    with folder.lock(0):
        started = time.monotonic()
        with pytest.raises(StoreBusy, match=f"process {os.getpid()}"), folder.lock(0.1):
            pass
        assert 0.1 <= time.monotonic() - started < 2
    with folder.lock(0):
        pass


def test_whoever_waits_is_noticed_and_comes_next(folder: Folder) -> None:
    folder.home.mkdir()
    gate, turns = Gate(folder.home), []

    def other() -> None:
        with Gate(folder.home).hold(10):
            turns.append("other")

    with gate.hold(0):
        assert not gate.contended
        waiting = threading.Thread(target=other)
        waiting.start()
        assert embedded.until(lambda: gate.contended, 5)
        turns.append("first")
    with gate.hold(10):
        turns.append("again")
    waiting.join()
    assert turns == ["first", "other", "again"]


def test_a_lock_of_a_killed_process_is_free(folder: Folder) -> None:
    folder.home.mkdir()
    program = "import sys, time; from pathlib import Path; from proxy.endpoints.gate import Gate\n"
    program += "with Gate(Path(sys.argv[1])).hold(0): print(flush=True); time.sleep(60)"
    words = [sys.executable, "-c", program, str(folder.home)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as child:
        assert child.stdout is not None
        child.stdout.readline()
        with pytest.raises(StoreBusy, match=f"process {child.pid}"), folder.lock(0):
            pass
        child.kill()
    with folder.lock(1):
        pass


def test_a_lock_on_a_file_that_was_removed_keeps_nobody_out(folder: Folder) -> None:
    folder.home.mkdir()
    with Gate(folder.home).hold(0):
        (folder.home / "lock").unlink()
        with Gate(folder.home).hold(0):
            pass


@pytest.fixture
def foreign_folder(original: Path) -> Iterator[Path]:
    """Copy the store to where any user may read it, and take the right to write from everyone."""
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o755)
        path = shutil.copytree(original, Path(home) / "store")
        os.chmod(path, 0o555)
        for file in path.iterdir():
            file.chmod(0o444)
        yield path
        os.chmod(path, 0o755)


def test_a_folder_that_may_only_be_read_is_read_as_it_is(foreign_folder: Path) -> None:
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        assert count(Folder(foreign_folder)) == 100
    finally:
        if root:
            os.seteuid(0)
    assert not (foreign_folder / "saga").exists()


@pytest.mark.parametrize("moved", range(0, 16, 3))
def test_a_load_that_was_sealed_is_finished_by_whoever_comes_next(folder: Folder, moved: int) -> None:
    """Stop the adoption after so many files, as a kill would, and lock again."""
    assert count(folder) == 100
    with folder.lock(0):
        store = open_primary(folder.path)
        store.backup(folder.loading)
        del store
        loading = pyoxigraph.Store(folder.loading)
        lines = "".join(f"<urn:l:{n}> <urn:is> {n} .\n" for n in range(50))
        loading.bulk_load(input=lines, format=pyoxigraph.RdfFormat.TURTLE)
        loading.optimize()
        del loading
        folder.seal()
        names = [name for name in sorted(os.listdir(folder.loaded)) if name not in ("saga.files", "CURRENT")]
        if moved:
            (folder.path / "CURRENT").unlink()
        for name in names[:moved]:
            (folder.loaded / name).replace(folder.path / name)
    assert folder.exists
    assert count(folder) == 150
    assert not folder.loaded.exists()
