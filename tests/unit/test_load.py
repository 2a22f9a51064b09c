"""`saga load`: every format and packing, mistakes with their place, and all or nothing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pyoxigraph
import pytest
import zstandard

from proxy.__main__ import main
from proxy.endpoints.bulk import BadData, Bulk, Progress, Stopped
from proxy.endpoints.folder import Folder, open_primary
from proxy.endpoints.rdf_file import FORMATS, Counted, Unpacked, rdf_file
from proxy.load import load_files, worded
from tests import embedded

ROOT = Path(__file__).parents[2]
DATA = pyoxigraph.Dataset(
    [
        pyoxigraph.Quad(
            pyoxigraph.NamedNode(f"http://example.org/{n}"),
            pyoxigraph.NamedNode("http://example.org/p"),
            pyoxigraph.Literal(f"wert {n} ä 中", language="de"),
        )
        for n in range(20)
    ]
)
SUFFIXES = {"rdf": ["rdf", "owl", "xml"], "ttl": ["ttl", "turtle"], "jsonld": ["jsonld", "json"]}
PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def lines(count: int, prefix: str = "s") -> bytes:
    return b"".join(b'<urn:%s:%d> <urn:p> "%d" .\n' % (prefix.encode(), n, n) for n in range(count))


def count(store: Path) -> int:
    snapshot = Folder(store).open(5)
    try:
        return len(snapshot.store)
    finally:
        snapshot.close()


def load(*words: object) -> int:
    return main(["load", *map(str, words)])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("packing", PACK)
def test_every_format_in_every_packing(tmp_path: Path, name: str, packing: str) -> None:
    data = pyoxigraph.serialize(DATA, format=FORMATS[name])
    assert data is not None
    for suffix in SUFFIXES.get(name, [name]):
        file = tmp_path / f"data.{suffix}{packing}"
        file.write_bytes(PACK[packing](data))
        store = tmp_path / f"store-{suffix}"
        assert load(file, "--store", store) == 0
        snapshot = Folder(store).open(1)
        assert {quad.object for quad in snapshot.store} == {quad.object for quad in DATA}
        snapshot.close()


def test_the_end_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "data.nt"
    file.write_bytes(lines(1234))
    assert load(file, "--store", tmp_path / "store") == 0
    out = capsys.readouterr().out
    assert "loaded 1,234 new triples in" in out
    assert "per second" in out
    assert "peak memory" in out


def test_several_files_and_a_second_load_into_the_same_store(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.nt").write_bytes(lines(100, str(number)))
    store = tmp_path / "store"
    assert load(tmp_path / "0.nt", tmp_path / "1.nt", "--store", store) == 0
    assert count(store) == 200
    assert load(tmp_path / "1.nt", tmp_path / "2.nt", "--store", store) == 0
    assert count(store) == 300
    assert len(pyoxigraph.Store.read_only(str(store))) == 300  # the folder is a store for other programs, too


def test_a_store_made_by_another_program_can_be_added_to(tmp_path: Path) -> None:
    store = embedded.store(tmp_path / "store", 50)
    (store / "notes.txt").write_text("mine")
    (tmp_path / "data.nt").write_bytes(lines(10))
    assert load(tmp_path / "data.nt", "--store", store) == 0
    assert count(store) == 60
    assert (store / "notes.txt").read_text() == "mine"


def test_graph_and_base(tmp_path: Path) -> None:
    (tmp_path / "data.ttl").write_text("<a> <b> <#c> .")
    store = tmp_path / "store"
    assert load(tmp_path / "data.ttl", "--store", store, "--graph", "urn:g", "--base", "http://e.org/x/") == 0
    [quad] = pyoxigraph.Store.read_only(str(store))
    assert str(quad) == "<http://e.org/x/a> <http://e.org/x/b> <http://e.org/x/#c> <urn:g>"


def test_lenient_takes_odd_iris(tmp_path: Path) -> None:
    (tmp_path / "data.nt").write_text("<urn:a b> <urn:p> <urn:c> .\n")
    assert load(tmp_path / "data.nt", "--store", tmp_path / "strict") == 1
    assert load(tmp_path / "data.nt", "--store", tmp_path / "store", "--lenient") == 0


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(gzip.compress(lines(10)))

    monkeypatch.setattr(sys, "stdin", Input)
    assert load("-", "--format", "nt", "--store", tmp_path / "store") == 0
    assert count(tmp_path / "store") == 10


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("data.nt", '<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b> "x .\n', "line 2, column 17"),
        ("data.ttl", "@prefix a: <urn:a:> .\na:b a:c a:d ;\n  foo:x 1 .", "line 3, column 3: The prefix foo:"),
        ("data.jsonld", '[{"@id": "urn:x",\n "urn:y": }]', "line 2, column 11"),
        ("data.rdf", "<rdf:RDF xmlns:rdf='urn:x'>\n<a></b>\n</rdf:RDF>\n", "line"),
        ("data.nq", "<urn:a> <urn:b> <urn:c> <urn:d> <urn:e> .\n", "line 1"),
        ("data.nt", "<urn:a> <urn:b> <rel> .\n", "line 1, column 17"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, place: str
) -> None:
    good, bad, store = tmp_path / "good.nt", tmp_path / name, tmp_path / "store"
    good.write_bytes(lines(100))
    bad.write_text(text)
    assert load(good, bad, "--store", store) == 1
    err = capsys.readouterr().err
    assert f"{bad}: " in err
    assert place.split(", column 17")[0] in err
    assert "nothing was loaded" in err
    assert not store.exists()
    assert load(good, "--store", store) == 0
    capsys.readouterr()
    (tmp_path / "more.nt").write_bytes(lines(100, "more"))
    assert load(tmp_path / "more.nt", bad, "--store", store) == 1
    assert count(store) == 100
    assert len(pyoxigraph.Store(store)) == 100


@pytest.mark.parametrize("packing", [".gz", ".zst", ".bz2", ".xz"])
def test_a_packed_file_that_is_cut_short_is_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], packing: str
) -> None:
    packed = PACK[packing](lines(5000))
    for size in (len(packed) - 1, len(packed) // 2, 7):
        file = tmp_path / f"data.nt{packing}"
        file.write_bytes(packed[:size])
        assert load(file, "--store", tmp_path / "store") == 1
        assert "not copied whole" in capsys.readouterr().err
        assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("packing", [".gz", ".zst", ".bz2", ".xz"])
def test_damage_is_noticed(tmp_path: Path, packing: str) -> None:
    packed = bytearray(PACK[packing](lines(5000)))
    for place in range(20, len(packed), len(packed) // 7):
        damaged = packed.copy()
        damaged[place] ^= 0x55
        (tmp_path / f"data.nt{packing}").write_bytes(damaged)
        code = load(tmp_path / f"data.nt{packing}", "--store", tmp_path / "store")
        if packing == ".zst" and code == 0:  # its checksum is optional, and the one-call compressor writes none
            shutil.rmtree(tmp_path / "store")
            continue
        assert code == 1
        assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("packing", [".gz", ".zst", ".bz2", ".xz"])
@pytest.mark.parametrize("size", [1, 3, 1000, 10**6])
def test_packed_parts_in_a_row_are_one_file(packing: str, size: int) -> None:
    data = lines(3000)
    packed = PACK[packing](data[:20_000]) + PACK[packing](b"") + PACK[packing](data[20_000:]) + b"\0" * 100

    class Slow(io.BytesIO):
        def read(self, asked: int | None = -1) -> bytes:
            return super().read(min(size, asked) if asked and asked > 6 else asked)

    assert io.BufferedReader(Unpacked(Counted(Slow(packed)))).read() == data


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["none.nt"], "No such file"),
        (["data"], "--format"),
        (["."], "is a folder"),
        (["-"], "--format"),
        (["data.nt", "--graph", "no iri"], "give a whole IRI"),
        (["data.nt", "--base", "relative"], "give a whole IRI"),
        (["data.nq", "--graph", "urn:g"], "names its graphs itself"),
        (["-", "-", "--format", "nt"], "once"),
    ],
)
def test_bad_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("data", "data.nt", "data.nq"):
        (tmp_path / name).write_bytes(lines(1))
    assert load(*words, "--store", "store") == 2
    assert text in capsys.readouterr().err
    assert not (tmp_path / "store").exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.nt").write_bytes(lines(1))
    assert load(tmp_path / "data.nt", "--store", tmp_path) == 2
    assert "not empty" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert load(tmp_path / "data.nt", "--store", tmp_path / "empty") == 0


def test_a_second_writer_is_told_who_holds_the_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxy.endpoints.bulk._LOCK_WAIT_S", 0.1)
    (tmp_path / "data.nt").write_bytes(lines(1))
    store = embedded.store(tmp_path / "store", 10)
    with Folder(store).lock(0):
        assert load(tmp_path / "data.nt", "--store", store) == 3
        assert f"process {os.getpid()}" in capsys.readouterr().err
    foreign = pyoxigraph.Store(store)
    assert load(tmp_path / "data.nt", "--store", store) == 3
    assert "oxigraph serve" in capsys.readouterr().err
    del foreign
    assert count(store) == 10


def test_a_full_disk_says_so(tmp_path: Path) -> None:
    """A limit on the size of files is what a full disk looks like to RocksDB, short of a disk of our own."""
    (tmp_path / "data.nt").write_bytes(lines(300_000))
    program = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
        "from proxy.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", program, "load", str(tmp_path / "data.nt"), "--store", str(tmp_path / "store")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "nothing was loaded" in done.stderr
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("old", [False, True])
def test_ctrl_c_leaves_the_store_as_it_was(tmp_path: Path, number: signal.Signals, old: bool) -> None:
    store = tmp_path / "store"
    if old:
        load_files([_file(tmp_path / "old.nt", 10)], store)
    child, feeding = _loading(tmp_path, store)
    with child:
        assert embedded.until(lambda: (store / "saga" / "loading").is_dir(), 20)
        time.sleep(0.2)
        child.send_signal(number)
        child.send_signal(number)
        _, err = child.communicate(timeout=20)
    feeding.set()
    assert child.returncode == 130
    assert b"stopped; nothing was loaded" in err
    assert store.exists() == old
    if old:
        assert count(store) == 10
        assert not (store / "saga" / "loading").exists()


def test_kill_9_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    store = tmp_path / "store"
    load_files([_file(tmp_path / "old.nt", 10)], store)
    child, feeding = _loading(tmp_path, store)
    with child:
        assert embedded.until(lambda: (store / "saga" / "loading").is_dir(), 20)
        child.kill()
    feeding.set()
    assert count(store) == 10
    load_files([_file(tmp_path / "more.nt", 5, "more")], store)
    assert count(store) == 15
    assert not (store / "saga" / "loading").exists()


def _file(path: Path, triples: int, prefix: str = "s") -> Path:
    path.write_bytes(lines(triples, prefix))
    return path


def _loading(tmp_path: Path, store: Path) -> tuple[subprocess.Popen[bytes], threading.Event]:
    """Start a load whose input never ends."""
    words = [sys.executable, "-m", "proxy", "load", "-", "--format", "nt", "--store", str(store)]
    child = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    stop = threading.Event()

    def feed() -> None:
        assert child.stdin is not None
        try:
            while not stop.is_set():
                child.stdin.write(lines(1000))
        except (OSError, ValueError):
            pass

    threading.Thread(target=feed, daemon=True).start()
    return child, stop


def test_a_load_can_be_stopped_by_whoever_runs_it(tmp_path: Path) -> None:
    progress = Progress()
    progress.stop.set()
    file = rdf_file(str(_file(tmp_path / "data.nt", 10)), None)
    with pytest.raises(Stopped):
        Bulk(files=[file], store=tmp_path / "store").run(progress)
    assert not (tmp_path / "store").exists()
    (tmp_path / "bad.nt").write_text("bad")
    with pytest.raises(BadData):
        load_files([tmp_path / "bad.nt"], tmp_path / "store")


def test_readers_see_all_of_a_load_at_once(tmp_path: Path) -> None:
    store = tmp_path / "store"
    load_files([_file(tmp_path / "old.nt", 10)], store)
    old = Folder(store).open(1)
    load_files([_file(tmp_path / "a.nt", 5, "a"), _file(tmp_path / "b.nt", 5, "b")], store)
    assert len(old.store) == 10
    old.close()
    assert count(store) == 20
    with Folder(store).lock(0):
        assert len(open_primary(store)) == 20


def test_progress_on_a_terminal(tmp_path: Path) -> None:
    file = _file(tmp_path / "data.nt", 300_000)
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "proxy", "load", str(file), "--store", str(tmp_path / "store")]
    with subprocess.Popen(words, cwd=ROOT, stderr=theirs, stdout=subprocess.DEVNULL) as child:
        os.close(theirs)
        shown = b""
        try:
            while data := os.read(ours, 4096):
                shown += data
        except (OSError, ValueError):
            pass  # so a terminal ends
        os.close(ours)
    assert child.returncode == 0
    for words_shown in (b"data.nt", b"%", b"per second"):
        assert words_shown in shown


def test_the_line_of_progress_says_all_that_is_known() -> None:
    progress = Progress(step="data.nt", total_bytes=400, read_bytes=100, lines=50)
    assert worded(progress, 20.0) == "data.nt  25%  1:00 left  50 lines, 2 per second"
    progress.read_bytes = 400
    assert worded(progress, 20.0) == "data.nt  100%  50 lines, 2 per second"
    assert worded(Progress(step="-", read_bytes=3_000_000), 1.0) == "-  3 MB"


def test_memory_stays_bounded(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    load_files([_file(tmp_path / "data.nt", 100_000)], tmp_path / "store")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000
