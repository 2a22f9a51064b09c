"""The two schema indexes, built by `saga schema build` from the shared data where they are not there yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests import stage
from tests.bench.stores import shared

_FILES = {
    "wikidata": ("wikidata/*.nt.gz", "wikidata/classes.tsv.gz", "wikidata/class_ancestors.tsv.gz"),
    "freebase": ("freebase/schema/schema.nt.gz",),
}


def index(graph: str) -> Path:
    """Return the index of a graph."""
    path = stage.ROOT / "data" / "indexes" / f"{graph}.index"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        data = shared() / "data"
        files = [str(each) for pattern in _FILES[graph] for each in sorted(data.glob(pattern))]
        words = [sys.executable, "-m", "proxy", "schema", "build", "--from", *files]
        subprocess.run([*words, "--graph", graph, "--out", str(path)], cwd=stage.ROOT, check=True)
    return path
