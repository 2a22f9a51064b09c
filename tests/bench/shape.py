"""How well the shape of a question is read: its form beside that of the gold query, by benchmark and language.

    python -m tests.bench.shape [--wrong FORM] [--dataset NAME]

Forms are compared as far as a gold query tells them: ASK, COUNT, YEAR() or other; and whether it orders and cuts. Ends
with exit code 1 where ASK is recognised worse than the tests demand. `--wrong` lists the questions of a gold form, or
`superlative`, that were read differently.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plugins.nl.contract import Question, Shape
from plugins.nl.shape import read
from tests.bench.machine import headline
from tests.bench.stores import shared

DATASETS = {
    "qald7": ("en",),
    "qald9plus": ("en", "de", "es", "ru", "fr"),
    "qald10": ("en", "de", "ru", "zh"),
    "qawiki": ("en", "es"),
    "wikiwebquestions": ("en",),
}
KINDS = ("ask", "count", "year", "superlative")
FORMS = ("ask", "count", "year", "other")
# Below this many questions a share says nothing.
FEW = 15
_OPAQUE = re.compile(r"<[^<>\s]*>|\"[^\"\n]*\"|PREFIX\s+\S+\s+\S+", re.IGNORECASE)

# The year itself is the answer; a difference of years is an age, a filter only narrows.
_BY_YEAR = re.compile(
    r"(?:BIND|SELECT(?: DISTINCT)?) ?\( ?(?:XSD:INTEGER ?\( ?)?YEAR ?\( ?\?\w+ ?\) ?\)? ?AS(?!.*FILTER)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question in one language, what its gold query tells of its shape, and the shape that was read."""

    dataset: str
    language: str
    text: str
    form: str
    ordered: bool
    shape: Shape
    seconds: float


@dataclass(slots=True, kw_only=True)
class Score:
    """Right, missed and wrongly found ones of a form."""

    right: int = 0
    missed: int = 0
    wrong: int = 0

    @property
    def recall(self) -> float | None:
        """The share of those there are that was found; None where there are few."""
        total = self.right + self.missed
        return self.right / total if total >= FEW else None

    @property
    def precision(self) -> float | None:
        """The share of those found that is right; None where few were found."""
        total = self.right + self.wrong
        return self.right / total if total >= FEW else None


def cases(folder: Path) -> Iterator[Case]:
    """Yield every question of the shared halves; its language is to be recognised."""
    for dataset, languages in DATASETS.items():
        with gzip.open(folder / f"{dataset}.jsonl.gz", "rt", encoding="utf-8") as file:
            for record in map(json.loads, file):
                texts = {language: record["question"].get(language) for language in languages}
                wanted = gold(record["sparql"])
                yield from (_case(dataset, language, text, *wanted) for language, text in texts.items() if text)


def _case(dataset: str, language: str, text: str, form: str, ordered: bool) -> Case:
    started = time.perf_counter()
    shape = read(Question(text=text, endpoint=""))
    seconds = time.perf_counter() - started
    return Case(dataset=dataset, language=language, text=text, form=form, ordered=ordered, shape=shape, seconds=seconds)


def gold(sparql: str) -> tuple[str, bool]:
    """Return the form of a gold query, and whether it orders rows and takes the first."""
    text = " ".join(_OPAQUE.sub(" ", sparql).upper().split())
    head = text.partition("{")[0]
    ordered = "ORDER BY" in text and "LIMIT" in text
    if re.search(r"\bASK\b", head):
        return "ask", ordered
    if "COUNT" in head:
        return "count", ordered
    return ("year" if _BY_YEAR.search(text) else "other"), ordered


def form(shape: Shape) -> str:
    """Return the form of a shape as a gold query tells it."""
    return shape.form if shape.form in FORMS else "other"


def ordered(shape: Shape) -> bool:
    """Whether a shape wants the first of several by some measure."""
    return shape.superlative != "none"


def score(found: list[Case], kind: str) -> Score:
    """Return how well a form, or `superlative`, is told."""
    total = Score()
    for case in found:
        if kind == "superlative" and case.shape.compare:
            # Two things that are compared: gold queries order them, or choose by IF.
            continue
        wanted = case.ordered if kind == "superlative" else case.form == kind
        read_so = ordered(case.shape) if kind == "superlative" else form(case.shape) == kind
        total.right += wanted and read_so
        total.missed += wanted and not read_so
        total.wrong += read_so and not wanted
    return total


def accuracy(found: list[Case]) -> float:
    """Return the share of questions whose form is that of the gold query."""
    return sum(form(case.shape) == case.form for case in found) / len(found)


def main() -> int:
    """Print the table. Return the exit code."""
    options = _options()
    found = [case for case in cases(shared() / "data" / "benchmarks") if options.dataset in ("", case.dataset)]
    if options.wrong:
        _list(found, options.wrong)
        return 0
    print(headline("shape: the form of questions, read without a model"))
    kinds = " | ".join(f"{kind} R / P" for kind in KINDS)
    print(f"| benchmark | language | n | language told | form | {kinds} | µs |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for dataset, languages in DATASETS.items():
        for language in languages:
            _row(dataset, language, [case for case in found if (case.dataset, case.language) == (dataset, language)])
    for language in sorted({case.language for case in found}):
        _row("all", language, [case for case in found if case.language == language])
    _row("all", "all", found)
    asks = score(found, "ask")
    return 0 if min(asks.recall or 1, asks.precision or 1) >= 0.95 else 1


def _row(dataset: str, language: str, found: list[Case]) -> None:
    if not found:
        return
    told = sum(case.shape.language == case.language for case in found) / len(found)
    scores = (score(found, kind) for kind in KINDS)
    parts = [f"{_share(each.recall)} / {_share(each.precision)}" for each in scores]
    micros = statistics.median(case.seconds for case in found) * 1e6
    cells = [dataset, language, f"{len(found)}", f"{told:.3f}", f"{accuracy(found):.3f}", *parts, f"{micros:.0f}"]
    print(f"| {' | '.join(cells)} |")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _list(found: list[Case], kind: str) -> None:
    for case in found:
        one = score([case], kind)
        if one.missed or one.wrong:
            said = f"{case.dataset} {case.language} read as {case.shape.language} {case.shape.form}"
            print(f"{'missed' if one.missed else 'wrong '} {said}: {case.text}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--wrong", default="", choices=("", *FORMS, "superlative"), help="list what was read differently"
    )
    parser.add_argument("--dataset", default="", choices=("", *DATASETS), help="one benchmark only")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
