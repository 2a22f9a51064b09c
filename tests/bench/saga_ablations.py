"""Run `saga` through the harness with every part switched off in turn, on 20 questions and a model that reads.

`python -m tests.bench.saga_ablations --out DIR [--limit N] [--resume]`: the model is a server that knows the query each
question wants, and uses a property only where an observation has shown it: what a switch takes out of the observations
is missing in its queries. It shows that the harness, the switches and the tables work; a score of this model says
nothing of a real one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests import stage, toolbox
from tests.bench.machine import headline
from tests.knowing import JUDGES, PRUNES, TYPES, Knowing
from tests.llm import Answer, Fills, Says

QUESTIONS = stage.ROOT / "tests" / "e2e" / "keyless_demo.jsonl"
VARIANTS = (
    "filter=strict",
    "filter=off",
    "type_state=off",
    "answer_prior=off",
    "gate=off",
    "hierarchy=off",
    "guard=off",
    "coverage=0",
    "coverage=0.25",
    "coverage=0.5",
    "coverage=0.75",
    "mode=paper",
)
_THING, _STEP = re.compile(r"\bwd:(Q\d+)"), re.compile(r"\bwdt:(P\d+)")


class Reading(Knowing):
    """Answer as one who knows what is asked, and believes only in what was shown."""

    def _said(self, text: str) -> Answer:
        query = next((gold for question, gold in self._golds.items() if question in text), "ASK {}")
        if TYPES in text:
            form = "ask" if query.startswith("ASK") else "count" if "COUNT(" in query else "entity"
            return Fills({"form": form, "type_label": "", "type_id": ""})
        if PRUNES in text:
            return Fills({"keep": ", ".join(_STEP.findall(query))})
        if JUDGES in text:
            return Fills({"verdict": "done", "why": "", "sparql": ""})
        return next(_actions(query, text))


def _actions(query: str, text: str) -> Iterator[Answer]:
    """Yield what may be done, the most urgent first: look, see examples of what is missing, run, stop."""
    if re.search(r"^Action \d+: execute", text, re.MULTILINE):
        yield Says("It has run.", "stop")
    for thing in dict.fromkeys(_THING.findall(query)):
        if f"lookup(⟦wd:{thing}⟧)" not in text:
            yield Says("What stands around it?", "lookup", f"wd:{thing}")
    missing = [each for each in dict.fromkeys(_STEP.findall(query)) if f"({each})" not in text]
    shown = re.findall(r"\((P\d+)\)", text)
    for each in missing if shown else ():
        query = query.replace(f"wdt:{each}", f"wdt:{shown[0]}")
    yield Says("This is what was shown of it.", "execute", query)


def reading() -> Reading:
    """Return the server, for all questions in English."""
    lines = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    return Reading({line["question"]["en"]: line["sparql"] for line in lines if "en" in line["question"]})


async def run(out: Path, limit: int, more: list[str]) -> int:
    """Evaluate all variants on the demo, and return the exit code of the harness."""
    store, index = out / "store", out / "demo.search"
    if not store.exists():
        await asyncio.to_thread(stage.demo_store, store)
        await asyncio.to_thread(toolbox.demo_index, index)
    async with reading() as server:
        config = out / "config.toml"
        schema = stage.ROOT / "config" / "demo" / "schema.index"
        config.write_text(
            f'[endpoints.demo]\nstore = "{store}"\ngraph = "wikidata"\nschema = "{schema}"\nsearch = "{index}"\n'
            f'guard = "block"\n[llm]\nbase_url = "{server.url}"\nmodel = "{server.model}"\nmode = "text"\n',
            encoding="utf-8",
        )
        words = [sys.executable, "-m", "proxy", "evaluate", "run", str(QUESTIONS), "--config", str(config)]
        words += ["--strategy", "saga", "--limit", str(limit), "--out", str(out / "run"), *more]
        words += [word for each in VARIANTS for word in ("--ablate", each)]
        done = await asyncio.to_thread(subprocess.run, words, check=False)
        return done.returncode


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    print(headline("saga: ablations"))
    return asyncio.run(run(args.out.resolve(), args.limit, ["--resume"] if args.resume else []))


if __name__ == "__main__":
    sys.exit(main())
