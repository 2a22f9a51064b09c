"""How long until an index is ready, and what it takes: the real one, and 13,000 properties with a million classes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.guard.indexes import index
from tests.bench.guard.place import Place
from tests.bench.guard.table import Row, plain, under
from tests.bench.hierarchy import make

_CLASSES = 1_000_000
_OPEN = """
import json, sys, time
from pathlib import Path
from plugins.schema.index import Index
def kilobytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])
before, started = kilobytes(), time.perf_counter()
opened = Index.open(Path(sys.argv[1]))
next(opened.properties())
seconds = time.perf_counter() - started
for record in opened.properties():
    for each in record.domain.classes if record.domain else ():
        opened.hierarchy.up(each)
print(json.dumps([seconds, kilobytes() / 1024, (kilobytes() - before) / 1024]))
"""


async def loading(place: Place, most: int | None) -> list[Row]:
    """Open each index in a process of its own, and touch all its properties and the classes of their domains."""
    rows = _opened(index(place.graph), f"the {place.graph} sample's")
    if place.graph == "wikidata":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "large.index"
            make(path, _CLASSES)
            rows += _opened(path, "13,000 properties and 1,000,000 classes")
    return rows


def _opened(path: Path, name: str) -> list[Row]:
    done = subprocess.run([sys.executable, "-c", _OPEN, str(path)], capture_output=True, text=True, check=True)
    seconds, resident, grown = json.loads(done.stdout)
    return [
        under(f"{name}: ready", seconds, 2.0, "s"),
        under(f"{name}: memory of the process, all properties read", resident, 400.0, "MB"),
        plain(f"{name}: of that the index", f"{grown:.0f} MB; file {path.stat().st_size / 1e6:.0f} MB"),
    ]
