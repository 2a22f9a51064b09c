"""Table 9: what the modes of `lookup` take away, and what they leave of the properties that gold queries need."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from plugins.evaluation.filtering import LINES, MODES, Places
from plugins.evaluation.folder import write
from plugins.evaluation.published import SAGA
from plugins.evaluation.reporting.published import figures, mark
from plugins.evaluation.tables import NONE, Grid

FILE = "filter.json"


def documents(found: Mapping[str, Mapping[Any, Places]]) -> dict[str, Any]:
    """Return the figures by data set and mode, as JSON."""
    return {dataset: {str(mode): each.document() for mode, each in modes.items()} for dataset, modes in found.items()}


def keep(folder: Path, found: Mapping[str, Any]) -> None:
    """Write the figures into a folder, so that its report has them. Raises UsageError."""
    write(folder / FILE, json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def kept(folder: Path) -> Iterator[Grid]:
    """Yield the tables of what a folder holds of it."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        yield from grids(found)
    except (OSError, ValueError, KeyError, TypeError):
        return


def grids(found: Mapping[str, Any]) -> Iterator[Grid]:
    """Yield the paper's table with ours beside it, and how soon the gold properties come."""
    rows = []
    for dataset, modes in found.items():
        rows += _published(dataset)
        for mode in MODES:
            each = modes[mode]
            cells = (f"{each['raw_edges']:,}", _percent(each["edge_reduction"]), _percent(each["gold_property_recall"]))
            rows.append([dataset, f"ours, {mode}", *cells, f"{each['gold_properties']:,}"])
    yield Grid(
        title="Table 9: Neighborhood reduction and gold-property recall per dataset",
        note=(
            "Edges are pairs of property and value around entities on which a gold query uses a property. Our recall "
            "is of gold properties that the entity has in this graph; `strict` is the paper's rule, `demote` our "
            "default, which takes nothing away."
        ),
        head=["Dataset", "Mode", "Raw edges", "Edge reduc.", "Gold-prop recall", "gold properties"],
        rows=rows,
        words=2,
    )
    head = ["Dataset", "Mode", "properties", *(f"recall@{first}" for first in LINES)]
    rows = [
        [dataset, mode, f"{modes[mode]['lines']:.1f}", *(_percent(modes[mode]["recall_at"][str(n)]) for n in LINES)]
        for dataset, modes in found.items()
        for mode in MODES
    ]
    yield Grid(
        title="Gold properties among the first lines of a look-up",
        note="The mean number of properties that a look-up shows or folds, and the recall of its first lines.",
        head=head,
        rows=rows,
        words=2,
    )


def _published(dataset: str) -> list[list[str]]:
    said = {each.metric: each.value for each in figures(dataset, SAGA, "9", "en")}
    if not said:
        return []
    cells = [f"{said['raw_edges']:,.0f}", f"{said['edge_reduction']}%", f"{said['gold_property_recall']}%"]
    return [[dataset, mark("SAGA"), *cells, NONE]]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
