"""What answers cost: actions, look-ups, queries, calls of the model, tokens, money; and time."""

from __future__ import annotations

from collections.abc import Sequence

from plugins.evaluation.outcomes import Outcome
from plugins.evaluation.published import SAGA
from plugins.evaluation.reporting import published
from plugins.evaluation.results import Results
from plugins.evaluation.statistics import mean, percentile
from plugins.evaluation.tables import NONE, Grid, number, percent

_COUNTED = (
    ("Avg. actions", "actions"),
    ("Avg. lookups", "lookups"),
    ("Avg. queries", "queries"),
    ("empty queries", "empty_queries"),
    ("blocked", "blocked"),
    ("LLM calls", "llm_calls"),
    ("prompt tokens", "prompt_tokens"),
    ("completion tokens", "completion_tokens"),
)


def effort(results: Results) -> Grid:
    """Return what a question costs on average."""
    rows = []
    for dataset in results.datasets:
        rows += _published(results, dataset)
        for variant in results.variants:
            part = results.part(variant, dataset)
            means = [number(mean([float(getattr(each, name)) for each in part])) for _, name in _COUNTED]
            rows.append([dataset, variant, percent([each.f1 for each in part]), *means, _cost(part)])
    return Grid(
        title="Table 8: Average effort per question",
        note="Cost is per question, in the currency of the prices in `[llm]`; none is shown where there are no prices.",
        head=["Dataset", "System", "F1", *(title for title, _ in _COUNTED), "cost"],
        rows=rows,
        words=2,
    )


def time(results: Results) -> Grid:
    """Return what a question takes."""
    rows = []
    for dataset in results.datasets:
        for variant in results.variants:
            seconds = [each.seconds for each in results.part(variant, dataset) if each.seconds]
            cells = [number(percentile(seconds, each), 3) for each in (0.5, 0.9, 0.95)]
            rows.append([dataset, variant, f"{len(seconds):,}", *cells, number(mean(seconds), 3)])
    return Grid(
        title="Time per question (s)",
        note=(
            f"Wall time, with {results.manifest.get('concurrency', 1)} questions at a time on this machine. What the "
            "proxy has cached costs nothing; of several methods another one is the first at each question."
        ),
        head=["data set", "method", "n", "median", "p90", "p95", "mean"],
        rows=rows,
        words=2,
    )


def _published(results: Results, dataset: str) -> list[list[str]]:
    known = [published.values(results, dataset, metric, SAGA) for metric in ("f1", "actions", "lookups")]
    blank = [NONE] * (len(_COUNTED) - 1)
    return [
        [dataset, published.mark(system), *(each.get(system, NONE) for each in known), *blank] for system in known[1]
    ]


def _cost(part: Sequence[Outcome]) -> str:
    costs = [each.cost for each in part]
    return f"{mean(costs):.5f}" if any(costs) else NONE
