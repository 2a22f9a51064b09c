"""Our figures beside the published ones, which are marked as such."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plugins.evaluation.outcomes import Outcome
from plugins.evaluation.published import GRISP, MARS, PUBLISHED, QUESTIONS, SAGA, Published, known
from plugins.evaluation.results import Results
from plugins.evaluation.tables import NONE, Grid, percent

_NOTE = (
    "Published figures are copied from the papers: other graphs, other questions of the same data sets, other rules of "
    "comparison. They are marks to look at. Ours are of the questions counted in the head."
)
_METRICS: Sequence[tuple[str, str, Callable[[Outcome], float]]] = (
    ("F1", "f1", lambda each: each.f1),
    ("EM", "exact", lambda each: float(each.exact)),
)
_ROWWISE = (("row-wise F1", "rowwise_f1", lambda each: each.rowwise_f1),)
_TITLES = {
    "1": "Table 1: F1 / EM (%) on Wikidata KGQA benchmarks",
    "2": "Table 2: F1 / EM (%) on Freebase KGQA benchmarks",
}


def mark(system: str) -> str:
    """Return a system's name that cannot be taken for a measurement of ours."""
    return f"{system} (published)"


def figures(dataset: str, paper: str, table: str, language: str) -> list[Published]:
    """Return what a table of a paper says of a data set of ours."""
    name = known(dataset)
    return [
        each
        for each in PUBLISHED
        if (each.dataset, each.paper, each.table, each.language) == (name, paper, table, language)
    ]


def values(results: Results, dataset: str, metric: str, paper: str) -> dict[str, str]:
    """Return by system what a paper says of one metric on a data set, from the first table that does."""
    language = str(results.manifest.get("language", "en"))
    found: dict[str, str] = {}
    for each in PUBLISHED:
        if (each.dataset, each.metric, each.paper, each.language) == (known(dataset), metric, paper, language):
            found.setdefault(each.system, f"{each.value:.2f}")
    return found


def rows(results: Results, metrics: Sequence[str], paper: str, table: str) -> list[list[str]]:
    """Return the rows of a paper's table, a column for each of our data sets and metrics; none where it has neither."""
    language = str(results.manifest.get("language", "en"))
    cells: dict[str, dict[tuple[str, str], str]] = {}
    for dataset in results.datasets:
        for each in figures(dataset, paper, table, language):
            cells.setdefault(each.system, {})[dataset, each.metric] = f"{each.value:.2f}"
    return [
        [mark(system), *(own.get((dataset, metric), NONE) for dataset in results.datasets for metric in metrics)]
        for system, own in cells.items()
    ]


def beside(found: Results) -> Iterator[Grid]:
    """Yield F1 and EM by method and data set, as the papers' first tables have them, and what has no such table."""
    others = list(found.datasets)
    for table, title in _TITLES.items():
        own = [each for each in others if figures(each, SAGA, table, "en")]
        if own:
            others = [each for each in others if each not in own]
            yield _grid(_only(found, own), title, _METRICS, SAGA, table)
    if others:
        yield _grid(_only(found, others), "F1 / EM (%)", _METRICS, "", "")
    yield from _more(found)


def _more(found: Results) -> Iterator[Grid]:
    """Yield the tables of the other papers, where they have one of the data sets in this language."""
    language = str(found.manifest.get("language", "en"))
    for title, metrics, paper, table in (
        (f"MARS, Table 2: Macro F1 (%), language {language}", _METRICS[:1], MARS, "2"),
        ("GRISP, Table 3: F1 (%) with rows assigned to each other", _ROWWISE, GRISP, "3 (in section 4)"),
    ):
        own = [each for each in found.datasets if figures(each, paper, table, language)]
        if own:
            yield _grid(_only(found, own), title, metrics, paper, table)


def _grid(
    found: Results, title: str, metrics: Sequence[tuple[str, str, Callable[[Outcome], float]]], paper: str, table: str
) -> Grid:
    head = ["Method"]
    for dataset in found.datasets:
        head += [f"{counted(found, dataset)} {name}" for name, _, _ in metrics]
    ours = [
        [variant, *(_mean(found, variant, dataset, values) for dataset in found.datasets for _, _, values in metrics)]
        for variant in found.variants
    ]
    theirs = rows(found, [name for _, name, _ in metrics], paper, table)
    return Grid(title=title, note=f"{_NOTE}{_sizes(found, paper)}" if theirs else "", head=head, rows=[*theirs, *ours])


def counted(found: Results, dataset: str) -> str:
    """Return the name of a data set with the number of questions that are compared."""
    return f"{dataset} (n={max((len(found.part(each, dataset)) for each in found.variants), default=0):,})"


def _sizes(found: Results, paper: str) -> str:
    sizes = QUESTIONS.get(paper, {})
    said = [f"{each} {sizes[known(each)]:,}" for each in found.datasets if known(each) in sizes]
    return f" Questions behind the published ones: {', '.join(said)}." if said else ""


def _mean(found: Results, variant: str, dataset: str, values: Callable[[Outcome], float]) -> str:
    return percent([values(each) for each in found.part(variant, dataset)])


def _only(found: Results, datasets: Sequence[str]) -> Results:
    kept = {name: [each for each in every if each.dataset in datasets] for name, every in found.outcomes.items()}
    return Results(outcomes=kept, manifest=found.manifest)
