"""Print what `keyless` and its baselines reach on the shared halves, on both stores, by `saga evaluate run`.

    python -m tests.bench.keyless.figures --out DIR [--store wikidata-fair] [--limit N]

Builds what is not there yet: the stores with and without the facts of gold answers, the schema index, a text index
of each store. Each store is asked twice: by `keyless` and both baselines, and by `keyless` with words learned
five-fold. SimpleQuestions is a sample of 1,000 questions drawn with a fixed seed, and another one of those whose topic
has a name in the sample of Wikidata: what has none, nothing can link. A run that was stopped goes on with the same
command.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests import stage
from tests.bench.guard.indexes import index
from tests.bench.keyless.place import ENDPOINT, search_index
from tests.bench.machine import headline
from tests.bench.stores import shared, store

_STORES = ("wikidata-fair", "wikidata")
_WHOLE = ("qald7", "qald10", "qald9plus", "wikiwebquestions")
_SIMPLE = "simplequestions-wikidata"
_SAMPLE, _SEED = 1_000, 7
_RUNS = (("plain", "keyless,top_property,word_overlap", "none"), ("taught", "keyless", "five-fold"))


def main(arguments: Sequence[str]) -> int:
    """Build, ask, print. The exit code is that of the first run that fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.keyless.figures", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of samples and outcomes")
    parser.add_argument("--store", action="append", choices=_STORES, help="one of them alone; again for more")
    parser.add_argument("--limit", type=int, metavar="N", help="of each set the first N questions")
    options = parser.parse_args(arguments)
    print(headline("keyless: F1 and EM on the shared halves"))
    files = [*(shared() / "data" / "benchmarks" / f"{name}.jsonl.gz" for name in _WHOLE), *_samples(options.out)]
    for name in options.store or _STORES:
        for title, strategies, learned in _RUNS:
            print(f"\n{name}, {title}", flush=True)
            out = options.out / f"{name}-{title}"
            words = ["--config", _config(name, options.out), "--out", out, "--strategy", strategies]
            words += ["--learned", learned, "--concurrency", "1", *(["--resume"] if out.exists() else [])]
            words += ["--limit", options.limit] if options.limit else []
            status = _evaluate("run", *files, *words)
            if status:
                return status
    return 0


def _samples(out: Path) -> list[Path]:
    """Write the samples of SimpleQuestions, each with a name of its own as its data set."""
    out.mkdir(parents=True, exist_ok=True)
    named = _named()
    records = list(_lines(shared() / "data" / "benchmarks" / f"{_SIMPLE}.jsonl.gz"))
    parts = {
        "simplequestions": records,
        "simplequestions-named": [each for each in records if not named.isdisjoint(each["topic_entities"])],
    }
    made = []
    for name, given in parts.items():
        chosen = random.Random(_SEED).sample(given, min(_SAMPLE, len(given)))
        made.append(out / f"{name}.jsonl")
        made[-1].write_text("".join(json.dumps({**each, "dataset": name}) + "\n" for each in chosen), encoding="utf-8")
    return made


def _named() -> frozenset[str]:
    """Return the ids of what has a label or another name in the sample of Wikidata."""
    found = set()
    for name in ("graph.nt.gz", "labels_extra.nt.gz"):
        with gzip.open(shared() / "data" / "wikidata" / name, "rt", encoding="utf-8") as file:
            for line in file:
                subject, predicate, _ = line.split(" ", 2)
                if predicate.endswith(("#label>", "#altLabel>")):
                    found.add(subject.strip("<>").rpartition("/")[2])
    return frozenset(found)


def _lines(path: Path) -> Iterator[dict[str, dict[str, str]]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _config(name: str, out: Path) -> Path:
    path = out / f"{name}.toml"
    path.write_text(
        f'[endpoints.{ENDPOINT}]\nstore = "{store(name)}"\ngraph = "wikidata"\nschema = "{index("wikidata")}"\n'
        'guard = "warn"\n[plugins]\nenabled = ["plugins.schema.guard", "plugins.search", "plugins.nl"]\n'
        f'[search.endpoints.{ENDPOINT}]\nindex = "{search_index(name)}"\n',
        encoding="utf-8",
    )
    return path


def _evaluate(*words: object) -> int:
    command = [sys.executable, "-m", "proxy", "evaluate", *map(str, words)]
    return subprocess.run(command, cwd=stage.ROOT, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
