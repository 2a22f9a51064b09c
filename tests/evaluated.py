"""`saga evaluate` as a process, and what it leaves behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from plugins.schema.builders.progress import Progress
from plugins.search.building import build
from plugins.search.profile import profile
from plugins.search.sources import Files
from tests import stage

QUESTIONS = Path(__file__).parent / "e2e" / "keyless_demo.jsonl"
SAGA = "import sys; from proxy.__main__ import main; sys.exit(main(sys.argv[1:]))"
COPIES = 2
PATIENCE_S = 240.0
Words = list[str | Path]


def indexed(folder: Path) -> Path:
    """Build the text index of the demo."""
    asyncio.run(build(Files([stage.DEMO_GRAPH]), profile("wikidata"), folder, Progress()))
    return folder


def copied(path: Path) -> Path:
    """Write the demo's questions several times, so that a run can be caught in the middle."""
    lines = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    return written(path, *({**line, "id": f"{line['id']}/{copy}"} for copy in range(COPIES) for line in lines))


def written(path: Path, *lines: dict[str, Any]) -> Path:
    """Write questions, one a line."""
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    return path


def configured(folder: Path, index: Path, place: str, more: str = "") -> Path:
    """Write a configuration; ``place`` is the line that says where the endpoint is."""
    path = folder / "demo.toml"
    schema = stage.ROOT / "config" / "demo" / "schema.index"
    path.write_text(
        f'[endpoints.demo]\n{place}\ngraph = "wikidata"\nschema = "{schema}"\n'
        '[plugins]\nenabled = ["plugins.schema.guard", "plugins.search", "plugins.nl"]\n'
        f'[search.endpoints.demo]\nindex = "{index}"\n{more}',
        encoding="utf-8",
    )
    return path


def evaluate(*words: str | Path, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; ``before`` is called in its process first."""
    command = [sys.executable, "-c", SAGA, "evaluate", *map(str, words)]
    return subprocess.run(
        command, cwd=stage.ROOT, capture_output=True, text=True, timeout=300, check=False, preexec_fn=before
    )


@contextlib.contextmanager
def evaluating(*words: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command that the test ends."""
    command = [sys.executable, "-c", SAGA, "evaluate", *map(str, words)]
    with stage.process(command, cwd=stage.ROOT) as child:
        yield child


def count(path: Path) -> int:
    """Return how many whole lines a file has."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for_lines(path: Path, least: int, child: subprocess.Popen[bytes]) -> None:
    """Wait until a process has written so many lines."""
    until = time.monotonic() + PATIENCE_S
    while count(path) < least:
        assert child.poll() is None, "it ended before it could be caught"
        assert time.monotonic() < until, f"{path} has {count(path)} lines"
        time.sleep(0.005)


def outcomes(path: Path) -> list[dict[str, Any]]:
    """Return what counts of a journal, without times, in the order of the questions."""
    lines = {(line["dataset"], line["id"]): line for line in map(json.loads, path.read_text().splitlines())}
    found = sorted(lines.values(), key=lambda line: int(line["place"]))
    return [{name: value for name, value in line.items() if name != "seconds"} for line in found]


def timeless(folder: Path) -> str:
    """Return a report without its times, and without what a working copy and a machine say of themselves."""
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert "## Time per question" in text
    text = re.sub(r"## Time per question.*?(?=\n## )", "", text, flags=re.DOTALL)
    # The same graph may be asked over HTTP, and somebody may commit meanwhile.
    return re.sub(r"^- (?:endpoint|code): .*$", "", text, flags=re.MULTILINE)


def alike(one: Path, other: Path) -> None:
    """Demand that two runs came to the same, in every file that tells of it."""
    assert timeless(one) == timeless(other)
    for name in ("keyless.jsonl", "word_overlap.jsonl"):
        assert outcomes(one / name) == outcomes(other / name)
    for plot in (one / "plots").iterdir():
        assert plot.read_text() == (other / "plots" / plot.name).read_text()


def run(questions: Path, out: Path, config: Path, *more: str) -> Words:
    """Return the words of a run of two strategies."""
    names: Words = ["run", questions, "--strategy", "keyless,word_overlap", "--out", out, "--config", config]
    return [*names, *more]
