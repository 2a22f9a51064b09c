"""What each part is worth: the variants of a strategy beside it whole, and by how much of the schema is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from plugins.evaluation.published import SAGA
from plugins.evaluation.reporting import published
from plugins.evaluation.results import Results
from plugins.evaluation.statistics import mean
from plugins.evaluation.tables import NONE, Grid, percent

# As the papers call the parts.
_PARTS: Mapping[str, str] = {
    "filter": "Type-constrained filtering",
    "type_state": "Persistent type state",
    "answer_prior": "Answer-type prior",
    "gate": "Gate",
    "guard": "Guard",
    "hierarchy": "Class hierarchy",
}
_COVERAGE = frozenset(("coverage", "seed"))


def components(results: Results) -> Iterator[Grid]:
    """Yield a table for each strategy that was run with parts switched off."""
    for strategy in _strategies(results):
        changes = _changes(results, strategy)
        shown = [name for name, changed in changes.items() if not changed or not set(changed) <= _COVERAGE]
        if len(shown) > 1:
            rows = [[_row(strategy, name, changes[name]), *_f1(results, name)] for name in shown]
            yield Grid(
                title=f"Table 5: Component ablation of {strategy}. Values are F1 (%)",
                head=["Variant", *results.datasets, "Avg"],
                rows=[*_published(results, "5", 1), *rows],
            )


def coverage(results: Results) -> Iterator[Grid]:
    """Yield a table for each strategy that was run with a part of the schema."""
    for strategy in _strategies(results):
        changes = _changes(results, strategy)
        shares = {name: _share(results, name) for name, changed in changes.items() if set(changed) <= _COVERAGE}
        if len(shares) > 1:
            rows = [
                [f"{100 * share:g}%", name, *_f1(results, name)]
                for name, share in sorted(shares.items(), key=lambda pair: pair[1])
            ]
            yield Grid(
                title=f"Table 6: F1 (%) of {strategy} under different schema-coverage levels",
                head=["Coverage", "method", *results.datasets, "Avg"],
                rows=[*_published(results, "6", 2), *rows],
                words=2,
            )


def _published(results: Results, table: str, words: int) -> list[list[str]]:
    """Return the paper's rows. The mean is left out: it is over other data sets."""
    blank = [""] * (words - 1)
    return [[*blank, name, *cells, NONE] for name, *cells in published.rows(results, ["f1"], SAGA, table)]


def _strategies(results: Results) -> list[str]:
    described: Mapping[str, Any] = results.manifest["variants"]
    return list(dict.fromkeys(described[name]["strategy"] for name in results.variants))


def _changes(results: Results, strategy: str) -> dict[str, Mapping[str, Any]]:
    """Return by variant the switches that differ from those of the strategy as configured."""
    described: Mapping[str, Any] = results.manifest["variants"]
    whole = described.get(strategy, {}).get("switches", {})
    return {
        name: {key: value for key, value in described[name]["switches"].items() if whole.get(key) != value}
        for name in results.variants
        if described[name]["strategy"] == strategy
    }


def _share(results: Results, variant: str) -> float:
    return float(results.manifest["variants"][variant]["switches"]["coverage"])


def _row(strategy: str, variant: str, changed: Mapping[str, Any]) -> str:
    if not changed:
        return f"Full {strategy}"
    if all(name in _PARTS and value in (False, "off") for name, value in changed.items()):
        return ", ".join(f"− {_PARTS[name]}" for name in changed)
    return variant


def _f1(results: Results, variant: str) -> list[str]:
    """Return F1 by data set, and their unweighted mean as the paper has it."""
    means = [[each.f1 for each in results.part(variant, dataset)] for dataset in results.datasets]
    known = [mean(values) for values in means if values]
    return [*(percent(values) for values in means), percent(known) if known else NONE]
