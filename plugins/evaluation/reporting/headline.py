"""The tables that a reader looks for first: F1 and EM by data set beside the published figures, and every measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plugins.evaluation.metrics import Scores, macro_f1_qald
from plugins.evaluation.outcomes import LIMITED, UNAVAILABLE, Outcome
from plugins.evaluation.results import Results
from plugins.evaluation.statistics import interval, mean
from plugins.evaluation.tables import NONE, Grid, percent, share

Values = Callable[[Outcome], float]

# In the papers' sense first: tuples over the projected variables, then the best matching column.
MEASURES: Sequence[tuple[str, Values]] = (
    ("F1", lambda each: each.f1),
    ("EM", lambda each: float(each.exact)),
    ("column F1", lambda each: each.column_f1),
    ("column EM", lambda each: float(each.column_exact)),
    ("row-wise F1", lambda each: each.rowwise_f1),
    ("precision", lambda each: each.precision),
    ("recall", lambda each: each.recall),
)


def measures(results: Results) -> Grid:
    """Return every measure of every variant on every data set, with intervals for the first two."""
    rows = []
    for dataset in results.datasets:
        for variant in results.variants:
            part = results.part(variant, dataset)
            cells = [_measured(part, values, sure=place < 2) for place, (_, values) in enumerate(MEASURES)]
            rows.append([dataset, variant, f"{len(part):,}", *cells, _qald(part)])
    return Grid(
        title="Measures (%)",
        note=(
            "Means over questions; in brackets the 95 % interval by bootstrap over questions. F1 and EM compare tuples "
            "over the gold's variables, without labels; *column* reads one-column answers by the best matching column; "
            "*row-wise* assigns rows to each other. Questions without an answer count as 0, but for the precision of "
            "Macro F1 QALD, which is the harmonic mean of mean precision and mean recall."
        ),
        head=["data set", "method", "n", *(name for name, _ in MEASURES), "Macro F1 QALD"],
        rows=rows,
        words=2,
    )


def endings(results: Results) -> Grid:
    """Return how questions ended: answered, empty, at a limit, unanswered."""
    rows = []
    for dataset in results.datasets:
        for variant in results.variants:
            part = results.part(variant, dataset)
            rows.append(
                [dataset, variant, f"{len(part):,}", *(share(sum(map(test, part)), len(part)) for test in _ENDS)]
            )
    return Grid(
        title="How questions ended (%)",
        note=(
            "*Empty* is an answer without rows, or none at all; *limit* is a budget of actions, queries, tokens or "
            "time that was spent; *unavailable* is endpoint or model gone, and *failed* a fault of this program; both "
            "count as wrong above."
        ),
        head=["data set", "method", "n", "answered", "empty", "limit", "unanswered", "unavailable", "failed"],
        rows=rows,
        words=2,
    )


_ENDS: Sequence[Callable[[Outcome], bool]] = (
    lambda each: each.status == "answered",
    lambda each: not each.given,
    lambda each: each.status in LIMITED,
    lambda each: each.status == "unanswered",
    lambda each: each.status == UNAVAILABLE,
    lambda each: each.status == "failed",
)


def short(results: Results) -> Grid:
    """Return the table that a terminal shows."""
    rows = []
    for dataset in results.datasets:
        for variant in results.variants:
            part = results.part(variant, dataset)
            rows.append([dataset, variant, f"{len(part):,}", *_brief(part)])
    head = ["data set", "method", "n", "F1", "EM", "empty %", "answered %", "limit %", "queries", "LLM calls"]
    return Grid(title="", head=[*head, "tokens"], rows=rows, words=2)


def _brief(part: Sequence[Outcome]) -> Iterator[str]:
    yield percent([each.f1 for each in part])
    yield percent([float(each.exact) for each in part])
    yield share(sum(not each.given for each in part), len(part))
    yield share(sum(each.status == "answered" for each in part), len(part))
    yield share(sum(each.status in LIMITED for each in part), len(part))
    for values in (
        [each.queries for each in part],
        [each.llm_calls for each in part],
        [each.prompt_tokens + each.completion_tokens for each in part],
    ):
        yield f"{mean([float(each) for each in values]):.1f}" if part else NONE


def _qald(part: Sequence[Outcome]) -> str:
    found = (Scores(qald_precision=each.qald_precision, qald_recall=each.qald_recall) for each in part)
    return percent([macro_f1_qald(found)]) if part else NONE


def _measured(part: Sequence[Outcome], values: Values, *, sure: bool) -> str:
    found = [values(each) for each in part]
    if not found or not sure:
        return percent(found)
    low, high = interval(found)
    return f"{percent(found)} [{100 * low:.1f}, {100 * high:.1f}]"
