"""The report of a folder: `report.md` with all tables, `plots/`, and the short text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from plugins.evaluation import results
from plugins.evaluation.folder import write
from plugins.evaluation.reporting import ablation, breakdown, effort, headline, plots, reduction, significance
from plugins.evaluation.reporting.published import beside
from plugins.evaluation.results import Results
from plugins.evaluation.tables import Grid
from plugins.evaluation.truth import REASONS

FILE = "report.md"


def written(folder: Path) -> list[str]:
    """Write the report of a run into its folder, and return the lines for a terminal. Raises UsageError."""
    found = results.read(folder)
    tests = significance.pairs(found)
    pictures = plots.drawn(found)
    for name, picture in pictures.items():
        write(folder / "plots" / name, picture)
    write(folder / FILE, "\n".join(_document(found, _grids(found, folder, tests), list(pictures))) + "\n")
    return list(_short(found, folder, tests))


def _document(found: Results, grids: Iterable[Grid], pictures: list[str]) -> Iterator[str]:
    yield f"# {', '.join(found.variants)} on {', '.join(found.datasets)}"
    yield ""
    yield from _about(found.manifest)
    yield ""
    if unsettled := found.unsettled():
        yield (
            f"**Not whole**: {len(unsettled):,} answers are missing because endpoint or model were gone; they count as "
            "wrong, or are left out where the gold query could not be run. `--resume` asks again."
        )
        yield ""
    for grid in grids:
        yield from grid.markdown()
    if pictures:
        yield "## Plots"
        yield ""
        yield from (f"![{name.removesuffix('.svg')}](plots/{name})" for name in pictures)


def _grids(found: Results, folder: Path, tests: Grid) -> Iterator[Grid]:
    """Yield the tables that say something, in the order of the papers."""
    yield from beside(found)
    yield headline.measures(found)
    yield headline.endings(found)
    tables = [breakdown.by_form(found), breakdown.by_hops(found), breakdown.empties(found)]
    tables += [*ablation.components(found), *ablation.coverage(found)]
    tables += [effort.effort(found), *reduction.kept(folder), breakdown.booleans(found)]
    tables += [tests, significance.surest(found), left_out(found), effort.time(found)]
    yield from (grid for grid in tables if grid.rows)


def left_out(found: Results) -> Grid:
    """Return how many questions are left out of all figures, and why."""
    rows = []
    for dataset in found.datasets:
        counts = found.left_out(dataset)
        kept = max((len(found.part(variant, dataset)) for variant in found.variants), default=0)
        rows.append([dataset, "compared", f"{kept:,}"])
        rows += [[dataset, words, f"{counts[name]:,}"] for name, words in REASONS.items() if counts[name]]
    return Grid(title="Questions left out", head=["data set", "reason", "questions"], rows=rows, words=2)


def _about(described: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was run, in lines of a list."""
    endpoint, code = described.get("endpoint", {}), described.get("code", {})
    yield f"- files: {', '.join(described.get('files', {}))}"
    drawn = described.get("sample")
    if drawn:
        yield f"- a sample of {drawn:,} questions of each file, drawn with seed {described.get('seed')}"
    if described.get("limit"):
        yield f"- the first {described['limit']:,} questions of each file"
    yield f"- language: {described.get('language')}; gold answers: from the {described.get('gold')}"
    where = endpoint.get("store") or endpoint.get("url")
    yield f"- endpoint: {endpoint.get('name')} ({where}), graph {_short_hash(described.get('graph'))}"
    yield f"- schema index: {_index(described.get('schema'))}; search index: {_index(described.get('search'))}"
    model = described.get("nl", {}).get("llm", {})
    if model.get("model"):
        settings = ", ".join(f"{name} {model[name]}" for name in ("seed", "temperature") if model.get(name) is not None)
        yield f"- model: {model['model']} at {model.get('base_url')}{', ' + settings if settings else ''}"
        yield f"- prompts: {_short_hash(described.get('prompts'))}"
    yield f"- words learned: {_learned(described.get('learned'))}"
    later = (f"; gone on with {_code(each)}" for each in described.get("resumed_with", []))
    yield f"- code: {_code(code)}{''.join(later)}"


def _code(code: Mapping[str, Any]) -> str:
    commit = str(code.get("commit", ""))[:12]
    changed = " with changes" if code.get("changed") else ""
    return f"version {code.get('version') or 'unknown'}" + (f", commit {commit}{changed}" if commit else "")


def _index(found: Mapping[str, Any] | None) -> str:
    return f"{found.get('file') or found.get('folder')} ({_short_hash(found.get('sha256'))})" if found else "none"


def _learned(found: Any) -> str:
    return ", ".join(found) if isinstance(found, Mapping) else str(found)


def _short_hash(found: Any) -> str:
    return str(found)[:12] if found else "without a fingerprint"


def _short(found: Results, folder: Path, tests: Grid) -> Iterator[str]:
    """Yield what a terminal shows: the figures, what is left out, which is better, and where the rest is."""
    yield from headline.short(found).plain()
    for dataset in found.datasets:
        counts = found.left_out(dataset)
        said = "; ".join(f"{counts[name]:,}: {words}" for name, words in REASONS.items() if counts[name])
        yield f"{dataset}: questions left out: {counts.total():,}{f' ({said})' if said else ''}"
    for dataset, one, other, measure, number, difference, p in tests.rows:
        yield (
            f"{dataset}: {one} better than {other} by {measure}: p = {p} "
            f"(paired bootstrap, {number} questions, {difference} points)"
        )
    yield from effort.time(found).plain()
    yield f"all tables: {folder / FILE}"
