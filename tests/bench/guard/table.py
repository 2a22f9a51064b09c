"""Rows of the report: a figure, and beside it what the specification asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure. ``target`` is empty where none is asked; ``met`` is then None."""

    name: str
    reached: str
    target: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        verdict = "" if self.met is None else "ok" if self.met else "MISSED"
        return f"  {self.name:62} {self.reached:>24}   {self.target:22} {verdict}".rstrip()


def plain(name: str, reached: object) -> Row:
    """Return a figure that nothing is asked of."""
    return Row(name=name, reached=str(reached))


def at_least(name: str, part: int, whole: int, percent: float) -> Row:
    """Return a share that must be so many percent or more."""
    share = 100 * part / whole if whole else float("nan")
    return Row(name=name, reached=counted(part, whole), target=f">= {percent:g} %", met=share >= percent)


def below(name: str, part: int, whole: int, percent: float) -> Row:
    """Return a share that must stay under so many percent."""
    share = 100 * part / whole if whole else float("nan")
    return Row(name=name, reached=counted(part, whole, 2), target=f"< {percent:g} %", met=share < percent)


def none_of(name: str, part: int, whole: int) -> Row:
    """Return a count that must be 0."""
    return Row(name=name, reached=f"{part} of {whole:,}", target="0", met=part == 0)


def near(name: str, reached: float, expected: float, allowed: float = 1.0) -> Row:
    """Return a percentage that was expected, give or take."""
    met = abs(reached - expected) <= allowed
    return Row(name=name, reached=f"{reached:.1f} %", target=f"{expected:g} % +-{allowed:g}", met=met)


def under(name: str, reached: float, target: float, unit: str) -> Row:
    """Return a measure that must stay under a bound."""
    return Row(name=name, reached=f"{reached:,.2f} {unit}", target=f"< {target:g} {unit}", met=reached < target)


def counted(part: int, whole: int, digits: int = 1) -> str:
    """Return `12 of 345 = 3.5 %`."""
    share = f"{100 * part / whole:.{digits}f} %" if whole else "-"
    return f"{part:,} of {whole:,} = {share}"


def show(title: str, rows: Iterable[Row]) -> bool:
    """Print a part of the report, and return whether no target in it was missed."""
    print(f"\n{title}", flush=True)
    met = True
    for row in rows:
        print(row, flush=True)
        met = met and row.met is not False
    return met
