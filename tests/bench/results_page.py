"""Print the tables of plugins/evaluation/RESULTS.md from runs of `saga evaluate run`.

    python -m tests.bench.results_page --fair DIR... [--full DIR...] [--taught DIR...]

The first are runs on the store without the facts of gold answers, with `keyless` and its baselines; the others are of
`keyless` on the store with them, and with words learned from the other folds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from plugins.evaluation import results
from plugins.evaluation.outcomes import Outcome
from plugins.evaluation.published import PUBLISHED, SAGA, known
from plugins.evaluation.statistics import better, interval, mean, percentile, precision_by_share

_OURS = "keyless"
_BASELINES = ("top_property", "word_overlap")
_MARKS = ("SAGA (gpt-oss-120B)", "SPINACH")


class Runs:
    """The outcomes of some folders, by data set and variant."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._found = [results.read(folder) for folder in folders]

    @property
    def datasets(self) -> list[str]:
        """All data sets, in the order of the folders."""
        return list(dict.fromkeys(name for found in self._found for name in found.datasets))

    def part(self, variant: str, dataset: str) -> list[Outcome]:
        """Return what counts of a variant and a data set."""
        for found in self._found:
            if dataset in found.datasets and variant in found.variants:
                return found.part(variant, dataset)
        return []

    def left_out(self, dataset: str) -> str:
        """Return how many are left out, by reason."""
        counts = next(found.left_out(dataset) for found in self._found if dataset in found.datasets)
        return ", ".join(f"{count} {why.replace('_', ' ')}" for why, count in counts.most_common()) or "0"


def page(fair: Runs, full: Runs, taught: Runs) -> Iterator[str]:
    """Yield the lines of all tables."""
    yield "| data set | n | left out | keyless F1 [95 %] | EM | top_property | word_overlap | p | published |"
    yield "| :-- | --: | :-- | --: | --: | --: | --: | --: | :-- |"
    for name in fair.datasets:
        yield _headline(fair, name)
    yield from ("", "| data set | fair | with answers | fair, learned |", "| :-- | --: | --: | --: |")
    for name in fair.datasets:
        yield f"| {name} | " + " | ".join(_pair(runs.part(_OURS, name)) for runs in (fair, full, taught)) + " |"
    yield from ("", "| data set | Boolean | count | factoid | superlative |", "| :-- | --: | --: | --: | --: |")
    for name in fair.datasets:
        parts = [[each for each in fair.part(_OURS, name) if each.form == form] for form in _FORMS]
        yield f"| {name} | " + " | ".join(map(_pair, parts)) + " |"
    yield from ("", "| data set | answered share: mean F1 of the surest (least confidence) |", "| :-- | :-- |")
    for name in fair.datasets:
        yield f"| {name} | {_surest(fair.part(_OURS, name))} |"
    yield from ("", "| data set | median s | p90 | p95 | queries |", "| :-- | --: | --: | --: | --: |")
    for name in fair.datasets:
        part = fair.part(_OURS, name)
        seconds = [each.seconds for each in part]
        cells = [f"{percentile(seconds, share):.3f}" for share in (0.5, 0.9, 0.95)]
        yield f"| {' | '.join([name, *cells, f'{mean([each.queries for each in part]):.1f}'])} |"


_FORMS = ("boolean", "count", "factoid", "superlative")


def _headline(fair: Runs, name: str) -> str:
    part = fair.part(_OURS, name)
    values = [each.f1 for each in part]
    low, high = interval(values)
    other = [fair.part(each, name) for each in _BASELINES]
    worst = max(_p(part, each) for each in other)
    cells = [name, str(len(part)), fair.left_out(name), f"{_percent(values)} [{100 * low:.1f}, {100 * high:.1f}]"]
    cells += [_percent([float(each.exact) for each in part]), *map(_pair, other), f"{worst:.4f}", _published(name)]
    return f"| {' | '.join(cells)} |"


def _p(ours: Sequence[Outcome], other: Sequence[Outcome]) -> float:
    """Return the greater p-value of `ours is better`, by F1 and by EM."""
    known_ = {each.key: each for each in other}
    pairs = [(each, known_[each.key]) for each in ours if each.key in known_]
    by_f1 = better([one.f1 for one, _ in pairs], [two.f1 for _, two in pairs])
    return max(by_f1, better([float(one.exact) for one, _ in pairs], [float(two.exact) for _, two in pairs]))


def _published(name: str) -> str:
    dataset = known(name)
    found = {
        (each.system, each.metric): each.value for each in PUBLISHED if each.paper == SAGA and each.dataset == dataset
    }
    pairs = ((each, found.get((each, "f1")), found.get((each, "exact"))) for each in _MARKS)
    return ", ".join(f"{system} {f1} / {exact}" for system, f1, exact in pairs if f1 is not None) or "-"


def _surest(part: Sequence[Outcome]) -> str:
    found = precision_by_share([each.confidence for each in part], [each.f1 for each in part])
    return ", ".join(f"{100 * share:.0f} %: {100 * value:.1f} ({least:.2f})" for share, value, least in found)


def _pair(part: Sequence[Outcome]) -> str:
    if not part:
        return "-"
    return f"{_percent([each.f1 for each in part])} / {_percent([float(each.exact) for each in part])} (n={len(part)})"


def _percent(values: Sequence[float]) -> str:
    return f"{100 * mean(values):.1f}" if values else "-"


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("fair", "full", "taught"):
        parser.add_argument(f"--{name}", type=Path, nargs="+", default=[], metavar="DIR")
    args = parser.parse_args()
    print("\n".join(page(Runs(args.fair), Runs(args.full), Runs(args.taught))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
