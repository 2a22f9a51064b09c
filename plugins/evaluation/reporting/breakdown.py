"""Figures by what a question asks for: its form, its hops; and how many answers are empty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from plugins.evaluation.outcomes import Outcome
from plugins.evaluation.published import SAGA
from plugins.evaluation.reporting import published
from plugins.evaluation.results import Results
from plugins.evaluation.tables import NONE, Grid, percent, share

FORMS = ("boolean", "count", "factoid", "superlative")
_SYSTEMS = ("SPINACH", "SAGA (gpt-oss-120B)")
_HOPS = ("1", "2", "3 or more")


def by_form(results: Results) -> Grid:
    """Return F1 and EM by the form of the gold query."""
    grid = _split(
        results,
        "Table 3: F1 / EM (%) by question type",
        "By the form of the gold query; n is the number of questions.",
        FORMS,
        lambda each: each.form,
    )
    theirs = [row for dataset in results.datasets for row in _published_forms(results, dataset)]
    return replace(grid, rows=[*theirs, *grid.rows])


def by_hops(results: Results) -> Grid:
    """Return F1 and EM by the hops of the gold query."""
    return _split(
        results,
        "F1 / EM (%) by hops",
        "By the longest path of the gold query from what it names to what it asks for.",
        _HOPS,
        lambda each: str(each.hops) if each.hops < 3 else "3 or more",
    )


def empties(results: Results) -> Grid:
    """Return the share of answers without rows, a data set a column."""
    rows = [
        [
            variant,
            *(
                share(sum(not each.given for each in part), len(part))
                for part in (results.part(variant, dataset) for dataset in results.datasets)
            ),
        ]
        for variant in results.variants
    ]
    return Grid(
        title="Table 4: Empty-result rate (%)",
        note="Lower is better. A question without a query counts as empty.",
        head=["Method", *(published.counted(results, dataset) for dataset in results.datasets)],
        rows=[*published.rows(results, ["empty_rate"], SAGA, "4"), *rows],
    )


def booleans(results: Results) -> Grid:
    """Return the F1 of Boolean questions by data set."""
    rows = []
    for dataset in results.datasets:
        parts = [
            [each for each in results.part(variant, dataset) if each.form == "boolean"] for variant in results.variants
        ]
        if any(parts):
            ours = [percent([each.f1 for each in part]) for part in parts]
            rows.append([dataset, f"{max(map(len, parts)):,}", *_published_booleans(results, dataset), *ours])
    head = ["Dataset", "#Bool", *map(published.mark, _SYSTEMS), *results.variants]
    return Grid(title="Table 10: Boolean F1 (%)", head=head, rows=rows)


def _split(results: Results, title: str, note: str, kinds: Sequence[str], kind: Callable[[Outcome], str]) -> Grid:
    rows = []
    for dataset in results.datasets:
        for variant in results.variants:
            part = results.part(variant, dataset)
            cells = [_both([each for each in part if kind(each) == name]) for name in kinds]
            rows.append([dataset, variant, *cells, _both(part)])
    return Grid(title=title, note=note, head=["data set", "method", *kinds, "overall"], rows=rows, words=2)


def _both(part: Sequence[Outcome]) -> str:
    if not part:
        return NONE
    return f"{percent([each.f1 for each in part])} / {percent([float(each.exact) for each in part])} (n={len(part):,})"


def _published_booleans(results: Results, dataset: str) -> list[str]:
    found = published.values(results, dataset, "boolean_f1", SAGA)
    return [found.get(each, NONE) for each in _SYSTEMS]


def _published_forms(results: Results, dataset: str) -> Iterator[list[str]]:
    """Yield the rows of the paper's table about a data set."""
    known = {
        metric: published.values(results, dataset, metric, SAGA)
        for metric in ("boolean_f1", "boolean_exact", "factoid_f1", "factoid_exact", "f1", "exact")
    }
    for system in _SYSTEMS:
        if system in known["factoid_f1"]:
            both = {
                each: f"{known[f'{each}_f1'][system]} / {known[f'{each}_exact'][system]}"
                for each in ("boolean", "factoid")
            }
            overall = f"{known['f1'].get(system, NONE)} / {known['exact'].get(system, NONE)}"
            yield [dataset, published.mark(system), *(both.get(form, NONE) for form in FORMS), overall]
