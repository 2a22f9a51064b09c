"""Builds: from every kind of file, killed in the middle and gone on with, swapped in as a whole."""

from __future__ import annotations

import asyncio
import gzip
import io
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph
import pytest
import zstandard

from plugins.schema.builders.progress import Progress
from plugins.search.building import build
from plugins.search.folder import BUILDING, LIST, SearchDamaged, alone, unsealed
from plugins.search.index import Index
from plugins.search.profile import profile
from plugins.search.sources import Files, guessed
from proxy.errors import UsageError
from tests import stage
from tests.unit.search.graphs import RDF, WD, WIKIDATA, built, built_from, contents

_ENTITIES = 9_000

# Builds with small runs and few records a commit; after so many steps of progress it is killed, as by `kill -9`.
_KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from plugins.schema.builders.progress import Progress
from plugins.search.building import build
from plugins.search.profile import profile
from plugins.search.sources import Files

left = int(sys.argv[3])

class Mortal(Progress):
    def step(self, count=1):
        global left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

files = Files([Path(sys.argv[1])])
asyncio.run(build(files, profile("wikidata"), Path(sys.argv[2]), Mortal(), run_iris=2_000, commit_records=1_500))
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graph whose names and links come in no order."""
    chance = random.Random(3)
    lines = []
    for number in range(_ENTITIES):
        lines.append(f'<{WD}Q{number}> <http://www.w3.org/2000/01/rdf-schema#label> "thing {number}"@en .\n')
        lines.append(f'<{WD}Q{number}> <http://www.w3.org/2004/02/skos/core#altLabel> "Ding {number % 500}"@de .\n')
        for _ in range(5):
            other = chance.randrange(_ENTITIES)
            lines.append(f"<{WD}Q{number}> <http://www.wikidata.org/prop/direct/P31> <{WD}Q{other}> .\n")
    chance.shuffle(lines)
    path = tmp_path_factory.mktemp("large") / "large.nt"
    path.write_text("".join(lines), encoding="utf-8")
    return path


async def _whole(path: Path, out: Path) -> None:
    await build(Files([path]), profile("wikidata"), out, Progress(io.StringIO()), run_iris=2_000, commit_records=1_500)


@pytest.fixture(scope="module")
def whole(large: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of the large graph whose build nobody interrupted."""
    out = tmp_path_factory.mktemp("whole")
    asyncio.run(_whole(large, out))
    return out


def _kill(large: Path, out: Path, steps: int) -> None:
    """Begin a build that dies after so many steps: four for reading, then nine for writing."""
    words = [sys.executable, "-c", _KILLED, str(large), str(out), str(steps)]
    died = subprocess.run(words, cwd=stage.ROOT, capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert not (out / LIST).exists()
    assert (out / BUILDING).exists()


@pytest.mark.parametrize("steps", [(1,), (3,), (4, 2, 3), (5,), (9, 8), (13,)], ids=str)
async def test_a_build_that_was_killed_goes_on_and_is_complete_and_equal(
    large: Path, whole: Path, tmp_path: Path, steps: tuple[int, ...]
) -> None:
    out = tmp_path / "killed"
    for each in steps:
        _kill(large, out, each)
    await _whole(large, out)
    assert contents(out) == contents(whole)
    assert len(contents(out)) == _ENTITIES
    assert unsealed(out).counts == unsealed(whole).counts
    assert not (out / BUILDING).exists()


async def test_what_is_left_of_another_graph_is_thrown_away(large: Path, tmp_path: Path) -> None:
    _kill(large, tmp_path / "index", 8)
    index = await built(tmp_path, WIKIDATA, "wikidata")
    assert index.find("thing 5") == []
    assert index.find("Berlin")[0].id == "Q64"


def _packed(folder: Path) -> Iterator[Path]:
    store = pyoxigraph.Store()
    store.load(RDF.encode(), pyoxigraph.RdfFormat.TURTLE)
    named = pyoxigraph.Store()
    for quad in store:
        named.add(pyoxigraph.Quad(quad.subject, quad.predicate, quad.object, pyoxigraph.NamedNode("urn:graph")))
    default = pyoxigraph.DefaultGraph()
    for suffix, form in (("nt", "N_TRIPLES"), ("ttl", "TURTLE"), ("rdf", "RDF_XML"), ("owl", "RDF_XML")):
        data = store.dump(format=getattr(pyoxigraph.RdfFormat, form), from_graph=default)
        assert data is not None
        for tail, pack in (("", bytes), (".gz", gzip.compress), (".zst", zstandard.compress)):
            path = folder / f"graph.{suffix}{tail}"
            path.write_bytes(pack(data))
            yield path
    for suffix, form in (("nq", "N_QUADS"), ("trig", "TRIG")):
        quads = named.dump(format=getattr(pyoxigraph.RdfFormat, form))
        assert quads is not None
        path = folder / f"graph.{suffix}"
        path.write_bytes(quads)
        yield path


async def test_every_format_gives_the_same_records(tmp_path: Path) -> None:
    found = {}
    for number, path in enumerate(_packed(tmp_path)):
        out = tmp_path / f"out{number}"
        await built_from(out, [path], "rdf")
        found[path.name] = contents(out)
    assert len(found) == 14
    wrong = [name for name, each in found.items() if each != found["graph.nt"]]
    assert not wrong
    assert len(found["graph.nt"]) > 5


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("x.ttl", b"<a> <b> ", "is not the RDF that its name says"),
        ("x.nt.gz", b"\x1f\x8bgarbage", "cannot be read"),
        ("x.nt.zst", b"garbage", "cannot be read"),
        ("x.csv", b"a,b", "does not tell the format"),
        ("x.tsv", b"a\tb", "made from RDF files"),
        ("x.nt", b"", "nothing in this graph has a name"),
        ("x.nt", b"<urn:a> <urn:b> <urn:c> .\n", ""),
    ],
)
async def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(data)
    if not says:
        # A property without a label has its own name.
        index = await built_from(tmp_path / "out", [tmp_path / name], "rdf")
        assert index.find("b")[0].kind == "property"
        return
    with pytest.raises(UsageError, match=says):
        await built_from(tmp_path / "out", [tmp_path / name], "rdf")
    assert not (tmp_path / "out" / LIST).exists()


def test_a_file_that_is_absent_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        Files([tmp_path / "none.nt"])


def test_the_graph_is_found_out_by_looking(tmp_path: Path) -> None:
    for text, graph in ((WIKIDATA, "wikidata"), (RDF, "rdf")):
        (tmp_path / "g.ttl").write_text(text, encoding="utf-8")
        assert guessed(Files([tmp_path / "g.ttl"])).graph == graph


async def test_two_builds_at_once_are_one_too_many(tmp_path: Path) -> None:
    with alone(tmp_path / "out") as free:
        assert free
        (tmp_path / "g.ttl").write_text(RDF, encoding="utf-8")
        with pytest.raises(UsageError, match="another process builds there"):
            await built_from(tmp_path / "out", [tmp_path / "g.ttl"], "rdf")


async def test_a_build_over_an_index_takes_its_place_and_readers_keep_the_old_one(tmp_path: Path) -> None:
    old = await built(tmp_path, RDF, "rdf")
    new = await built(tmp_path, RDF.replace("London", "Londinium"), "rdf")
    assert old.find("london")[0].label == "London"
    assert new.find("londinium")[0].label == "Londinium"
    assert len(list((tmp_path / "index").glob("index-*"))) == 1


async def damaged(folder: Path) -> Path:
    await built(folder, WIKIDATA, "wikidata")
    return folder / "index"


async def test_an_index_of_another_graph_is_refused(tmp_path: Path) -> None:
    out = await damaged(tmp_path)
    with pytest.raises(SearchDamaged, match="of a graph of kind 'wikidata', the endpoint's is 'freebase'"):
        Index.open(out, "freebase")
    assert len(Index.open(out, "wikidata")) == len(Index.open(out))


async def test_an_index_that_is_damaged_anywhere_is_refused(tmp_path: Path) -> None:
    out = await damaged(tmp_path)
    folder = unsealed(out).folder
    tried = 0
    for path in [*sorted(folder.iterdir()), out / LIST]:
        if path.name.endswith(".lock"):
            continue
        whole = path.read_bytes()
        middle = len(whole) // 2
        changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :] if whole else b"x"
        for data in (changed, whole[:-1], whole + b"x", None):
            if data is None:
                path.unlink()
            else:
                path.write_bytes(data)
            with pytest.raises(SearchDamaged, match="saga search build"):
                Index.open(out, "wikidata")
            tried += 1
        path.write_bytes(whole)
    assert tried > 20
    assert Index.open(out, "wikidata").find("Berlin")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "damaged, or not of Saga"),
        (b"[]", "damaged, or not of Saga"),
        (b'{"saga_search": 99, "index": {}}', "version 99 of the format"),
        (b'{"saga_search": 1, "index": {}, "check": ""}', "has changed"),
        (b"\xff\xfe", "damaged, or not of Saga"),
    ],
)
def test_a_foreign_list_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / LIST).write_bytes(data)
    with pytest.raises(SearchDamaged, match=says):
        Index.open(tmp_path)


def test_a_folder_without_an_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SearchDamaged, match="there is no index"):
        Index.open(tmp_path)
    with pytest.raises(SearchDamaged, match="there is no index"):
        Index.open(tmp_path / "none")
