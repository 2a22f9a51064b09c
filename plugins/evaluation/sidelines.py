"""The commands beside `run`, which need no model: two runs compared, what `lookup` shows, what the guard says."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable

from plugins.evaluation.comparing import alone, comparison
from plugins.evaluation.filtering import LINES, MODES, Filtering, Places
from plugins.evaluation.folder import write
from plugins.evaluation.guarding import Guarding, broken, grids, shown
from plugins.evaluation.records import Record, records
from plugins.evaluation.reporting import reduction
from plugins.evaluation.tables import Grid
from plugins.nl.options import NlOptions
from plugins.schema.builders.progress import Progress
from proxy.contract import Context

OK, NEGATIVE = 0, 1


def compare(args: argparse.Namespace) -> int:
    """Print two runs side by side. Raises UsageError."""
    found = comparison(args.one, args.other)
    for each in found.differences:
        sys.stdout.write(f"what was run differs: {each}\n")
    for one, other in found.pairs:
        first, second = alone(one, other)
        if first or second:
            sys.stdout.write(f"not compared: {first:,} questions only in {one.name}, {second:,} only in {other.name}\n")
    for grid in found.grids():
        _print(grid)
    changed = found.changed
    sys.stdout.write(f"questions changed: {len(changed):,}\n")
    return NEGATIVE if changed else OK


async def filtering(context: Context, args: argparse.Namespace, endpoint: str) -> int:
    """Print what each mode of `lookup` leaves, a line for each mode and data set. Raises UsageError, ConfigError."""
    made = Filtering(context, endpoint, NlOptions(), args.concurrency)
    await made.read(_records(args), args.language, Progress())
    head = "".join(f"  recall@{each} (lines)" for each in LINES)
    sys.stdout.write(
        f"{'mode':8} {'n':>6} {'lines':>6}{head}  {'raw edges':>9} {'reduc.':>7} {'recall':>7}  data set\n"
    )
    for dataset, modes in made.found.items():
        for mode in MODES:
            sys.stdout.write(f"{mode:8} {_line(modes[mode])}  {dataset}\n")
    if args.out is not None:
        found = reduction.documents(made.found)
        reduction.keep(args.out, found)
        write(args.out / "filter.md", _document("What `lookup` takes away", reduction.grids(found)))
    return OK if any(modes["off"].places for modes in made.found.values()) else NEGATIVE


async def guarding(context: Context, args: argparse.Namespace, endpoint: str) -> int:
    """Print what the guard says of gold queries. Raises UsageError."""
    found = await Guarding.of(context, endpoint, args.concurrency).read(_records(args), Progress())
    for grid in grids(found):
        _print(grid)
    sys.stdout.write("".join(f"{each}\n" for each in shown(found)))
    if args.out is not None:
        lines = (json.dumps(each.document(), ensure_ascii=False) for each in found)
        write(args.out / "guard.jsonl", "".join(f"{each}\n" for each in lines))
        write(args.out / "guard.md", _document("The guard and gold queries", grids(found)))
    return NEGATIVE if broken(found) else OK


def _records(args: argparse.Namespace) -> list[Record]:
    return records(args.files, args.limit, format=args.format, sample=args.sample, seed=args.seed)


def _line(found: Places) -> str:
    figures = "".join(f"  {100 * found.recall(each):6.1f} % ({found.shown(each):4.1f}) " for each in LINES)
    whole = sum(found.lines) / max(1, len(found.lines))
    edges = f"{found.raw:9,} {100 * found.reduction:6.1f}% {100 * found.left:6.1f}%"
    return f"{len(found.places):6,} {whole:6.1f}{figures}  {edges}"


def _print(grid: Grid) -> None:
    if grid.rows:
        sys.stdout.write("\n".join(("", grid.title, *grid.plain(), "")) + "\n")


def _document(title: str, grids: Iterable[Grid]) -> str:
    return "\n".join((f"# {title}", "", *(line for grid in grids for line in grid.markdown()))) + "\n"
