"""Whether a difference is more than chance, and how far an answer's own confidence can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from plugins.evaluation.outcomes import Outcome
from plugins.evaluation.results import Results
from plugins.evaluation.statistics import better, mean, precision_by_share
from plugins.evaluation.tables import Grid


def pairs(results: Results) -> Grid:
    """Return paired tests between variants, the better one first."""
    rows = []
    for dataset in results.datasets:
        parts = {variant: results.part(variant, dataset) for variant in results.variants}
        for one, other in _worth_it(results):
            rows += [[dataset, *each] for each in compared(one, parts[one], other, parts[other])]
    return Grid(
        title="Paired tests",
        note=(
            "p is the share of resampled sets of questions in which the first is not better (paired bootstrap over the "
            "questions that both were asked). Many comparisons make a small p likely by chance."
        ),
        head=["data set", "better", "than", "by", "n", "difference", "p"],
        rows=rows,
        words=4,
    )


def _worth_it(results: Results) -> Iterator[tuple[str, str]]:
    """Yield the pairs that answer a question: strategies as configured, and each beside its own variants."""
    strategies = {name: results.manifest["variants"][name]["strategy"] for name in results.variants}
    for one, other in combinations(results.variants, 2):
        whole = one == strategies[one]
        if whole and (other == strategies[other] or strategies[one] == strategies[other]):
            yield one, other


def compared(one: str, first: Sequence[Outcome], other: str, second: Sequence[Outcome]) -> Iterator[list[str]]:
    """Yield the better one, the other, by which measure, n, the difference in points, and p."""
    known = {each.key: each for each in second}
    both = [(each, known[each.key]) for each in first if each.key in known]
    if not both:
        return
    for measure, columns in (
        ("F1", ([a.f1 for a, _ in both], [b.f1 for _, b in both])),
        ("EM", ([float(a.exact) for a, _ in both], [float(b.exact) for _, b in both])),
    ):
        (best, high), (worst, low) = sorted(zip((one, other), columns, strict=True), key=lambda pair: -mean(pair[1]))
        if high == low:
            continue
        difference = 100 * (mean(high) - mean(low))
        yield [best, worst, measure, f"{len(both):,}", f"{difference:+.2f}", f"{better(high, low):.4f}"]


def surest(results: Results) -> Grid:
    """Return how good the surest answers are, of variants that say how sure they are."""
    rows = []
    for dataset in results.datasets:
        for variant in results.variants:
            part = results.part(variant, dataset)
            sure = [each.confidence for each in part]
            if len(set(sure)) > 2:
                rows += [
                    [dataset, variant, f"{100 * share:.0f} %", f"{100 * value:.2f}", f"{least:.2f}"]
                    for share, value, least in precision_by_share(sure, [each.f1 for each in part])
                ]
    return Grid(
        title="The surest answers",
        note="The mean F1 of the answers that are surest, by their share of all questions, and the least confidence.",
        head=["data set", "method", "share", "F1", "confidence from"],
        rows=rows,
        words=2,
    )
