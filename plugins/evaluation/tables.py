"""The figures of a run in words: one row for a data set and strategy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from plugins.evaluation.outcomes import Journal, Outcome
from plugins.evaluation.scores import better, mean, percentile, precision_by_share

_HEAD = (
    f"{'data set':26} {'strategy':14} {'n':>5} {'F1':>6} {'EM':>6} {'empty':>6} {'median s':>9} {'p95 s':>7} "
    f"{'queries':>8}  status"
)


def report(journals: Mapping[str, Journal]) -> Iterator[str]:
    """Yield the lines of a report: figures, precision by answered share, and which strategy is better."""
    whole = {strategy: list(journal.outcomes.values()) for strategy, journal in journals.items()}
    yield _HEAD
    for dataset in dict.fromkeys(each.dataset for outcomes in whole.values() for each in outcomes):
        part = {strategy: _counted(outcomes, dataset) for strategy, outcomes in whole.items()}
        for strategy, outcomes in part.items():
            yield _row(dataset, strategy, outcomes)
        left_out = sum(not each.counts for each in next(iter(whole.values())) if each.dataset == dataset)
        yield f"{'':26} {left_out} questions left out: their gold query finds nothing here"
        yield from _shares(part)
        yield from _compared(part)


def _counted(outcomes: Sequence[Outcome], dataset: str) -> list[Outcome]:
    return [each for each in outcomes if each.dataset == dataset and each.counts]


def _row(dataset: str, strategy: str, outcomes: Sequence[Outcome]) -> str:
    seconds = [each.seconds for each in outcomes]
    statuses = Counter(each.status for each in outcomes)
    said = ", ".join(f"{name} {100 * count / len(outcomes):.0f} %" for name, count in statuses.most_common())
    return (
        f"{dataset:26} {strategy:14} {len(outcomes):5,} {_percent([each.f1 for each in outcomes]):>6} "
        f"{_percent([float(each.exact) for each in outcomes]):>6} "
        f"{_percent([float(not each.given) for each in outcomes]):>6} "
        f"{percentile(seconds, 0.5):9.3f} {percentile(seconds, 0.95):7.3f} "
        f"{mean([float(each.queries) for each in outcomes]):8.1f}  {said}"
    )


def _percent(values: Sequence[float]) -> str:
    return f"{100 * mean(values):.1f}" if values else "-"


def _shares(part: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    """Yield how good the surest answers are, for the strategies that say how sure they are."""
    for strategy, outcomes in part.items():
        sure = [each.confidence for each in outcomes]
        if len(set(sure)) > 2:
            found = precision_by_share(sure, [each.f1 for each in outcomes])
            said = ", ".join(
                f"{100 * share:.0f} %: {100 * value:.1f} (>= {least:.2f})" for share, value, least in found
            )
            yield f"{'':26} {strategy}: mean F1 of the surest, by answered share (and least confidence): {said}"


def _compared(part: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    """Yield whether the first strategy is better than each of the others, on the questions that both answered to."""
    first, *others = part
    for other in others:
        pairs = _paired(part[first], part[other])
        for name, values in (("F1", [(a.f1, b.f1) for a, b in pairs]), ("EM", [(a.exact, b.exact) for a, b in pairs])):
            if values:
                one, two = ([float(value) for value in column] for column in zip(*values, strict=True))
                yield f"{'':26} {first} better than {other} by {name}: p = {better(one, two):.4f} (paired bootstrap)"


def _paired(one: Sequence[Outcome], other: Sequence[Outcome]) -> list[tuple[Outcome, Outcome]]:
    known = {each.id: each for each in other}
    return [(each, known[each.id]) for each in one if each.id in known]
