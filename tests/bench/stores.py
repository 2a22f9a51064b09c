"""Build the stores that benches ask: Wikidata's and Freebase's shared samples, by `saga load`, once.

`python -m tests.bench.stores [wikidata] [wikidata-fair] [freebase]`: without a name all three. They are kept in
`data/stores` (or `SAGA_STORES`) and used again. `wikidata-fair` leaves out the facts that gold answers entail.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from proxy.endpoints.folder import Folder
from tests import stage
from tests.bench.machine import headline

_ANSWERS = "answers.nt.gz"
_OPEN_S = 10.0


def main(arguments: Sequence[str]) -> int:
    """Build what is not there yet, and print the rate and the memory of each load."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.stores", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SOURCES))
    parser.add_argument("--again", action="store_true", help="build anew what is there")
    options = parser.parse_args(arguments)
    print(headline("stores: `saga load` of the shared data"))
    print(f"{'store':14} {'triples':>10} {'seconds':>8} {'triples/s':>10} {'peak MiB':>9} {'on disk MiB':>12}")
    for name in options.names or SOURCES:
        if options.again:
            shutil.rmtree(_home() / name, ignore_errors=True)
        if (_home() / name).is_dir():
            print(f"{name:14} {_triples(_home() / name):10,} is there: {_home() / name}")
        else:
            print(_built(name), flush=True)
    return 0


def store(name: str) -> Path:
    """Return the folder of a store, built if it is not there."""
    if not (_home() / name).is_dir():
        print(_built(name), file=sys.stderr)
    return _home() / name


def shared() -> Path:
    """Return the folder of shared data: beside this checkout, or `SAGA_SHARED`."""
    folder = Path(os.environ.get("SAGA_SHARED", stage.ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        raise SystemExit(f"no shared data in {folder}: put `shared` beside the checkout or set SAGA_SHARED")
    return folder


def _wikidata() -> list[Path]:
    return sorted((shared() / "data" / "wikidata").glob("*.nt.gz"))


def _fair() -> list[Path]:
    return [path for path in _wikidata() if path.name != _ANSWERS]


def _freebase() -> list[Path]:
    return sorted((shared() / "data" / "freebase").rglob("*.nt.gz"))


SOURCES = {"wikidata": _wikidata, "wikidata-fair": _fair, "freebase": _freebase}


def _home() -> Path:
    return Path(os.environ.get("SAGA_STORES", stage.ROOT / "data" / "stores"))


def _built(name: str) -> str:
    """Load into a folder beside, move it into place when all is well, and return a row of the table."""
    place = _home() / f"{name}.building"
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-m", "proxy", "load", *map(str, SOURCES[name]()), "--store", str(place)]
    started = time.perf_counter()
    child = subprocess.Popen(words, cwd=stage.ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if child.returncode != 0:
        raise SystemExit(f"saga load ended with {child.returncode}: {said.decode(errors='replace')}")
    place.rename(_home() / name)
    triples = _triples(_home() / name)
    size = sum(path.stat().st_size for path in (_home() / name).glob("*") if path.is_file())
    return (
        f"{name:14} {triples:10,} {seconds:8.1f} {triples / seconds:10,.0f} {usage.ru_maxrss / 1024:9.0f} "
        f"{size / 1024**2:12.0f}"
    )


def _triples(place: Path) -> int:
    snapshot = Folder(place).open(_OPEN_S)
    try:
        return len(snapshot.store)
    finally:
        snapshot.close()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
