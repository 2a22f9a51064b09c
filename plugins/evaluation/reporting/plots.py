"""Plots as SVG, written by hand: a bar for each form, a point for each variant. No library is worth its weight here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

from plugins.evaluation.outcomes import Outcome
from plugins.evaluation.reporting.breakdown import FORMS
from plugins.evaluation.results import Results
from plugins.evaluation.statistics import interval, mean

# Told apart by people who do not see all colours. Source: Okabe and Ito, "Color Universal Design", 2008.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442", "#000000")
_WIDTH, _HEIGHT = 720, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 40, 60
_LEGEND = 18
_TICKS = 5

Series = Mapping[str, Sequence[Outcome]]


def drawn(results: Results) -> dict[str, str]:
    """Return the plots by file name; none where nothing was compared."""
    series = {
        variant: [each for dataset in results.datasets for each in results.part(variant, dataset)]
        for variant in results.variants
    }
    if not any(series.values()):
        return {}
    name, costs = _costs(series)
    return {
        "f1_by_form.svg": "\n".join(_bars(series)) + "\n",
        "cost_and_f1.svg": "\n".join(_points(series, name, costs)) + "\n",
    }


def _bars(series: Series) -> Iterator[str]:
    """Yield bars of F1 with intervals, a group for each form that there are questions of."""
    forms = [form for form in FORMS if any(each.form == form for outcomes in series.values() for each in outcomes)]
    yield from _frame("F1 by question type (%)", list(series))
    group = (_WIDTH - _LEFT - _RIGHT) / max(1, len(forms))
    bar = 0.8 * group / len(series)
    for place, form in enumerate(forms):
        start = _LEFT + place * group + 0.1 * group
        most = 0
        for number, (variant, outcomes) in enumerate(series.items()):
            values = [each.f1 for each in outcomes if each.form == form]
            most = max(most, len(values))
            if values:
                yield from _bar(start + number * bar, bar, values, _colour(number), f"{variant}, {form}")
        yield _text(_LEFT + (place + 0.5) * group, _HEIGHT - _BOTTOM + 18, f"{form} (n={most})", "middle")
    yield "</svg>"


def _bar(left: float, size: float, values: Sequence[float], colour: str, name: str) -> Iterator[str]:
    height = mean(values)
    low, high = interval(values)
    middle = left + size / 2
    yield (
        f'<rect x="{left:.1f}" y="{_y(height):.1f}" width="{0.9 * size:.1f}" height="{_y(0) - _y(height):.1f}" '
        f'fill="{colour}"><title>{escape(name)}: {100 * height:.1f} %, n={len(values)}</title></rect>'
    )
    yield f'<path d="M{middle:.1f} {_y(low):.1f}V{_y(high):.1f}" stroke="#333" fill="none"/>'


def _points(series: Series, name: str, costs: Mapping[str, float]) -> Iterator[str]:
    """Yield a point for each variant: what a question costs, and F1."""
    yield from _frame(f"F1 (%) against {name} per question", list(series))
    step = _step(max(costs.values()))
    for number in range(_TICKS + 1):
        yield _text(_x(number / _TICKS), _HEIGHT - _BOTTOM + 18, f"{step * number:,.4g}", "middle")
    yield _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - _BOTTOM + 40, f"{name} per question", "middle")
    for number, (variant, outcomes) in enumerate(series.items()):
        if outcomes:
            height = mean([each.f1 for each in outcomes])
            said = f"{variant}: {costs[variant]:,.4g} {name}, F1 {100 * height:.1f} %"
            yield (
                f'<circle cx="{_x(costs[variant] / (step * _TICKS)):.1f}" cy="{_y(height):.1f}" r="6" '
                f'fill="{_colour(number)}" fill-opacity="0.7"><title>{escape(said)}</title></circle>'
            )
    yield "</svg>"


def _costs(series: Series) -> tuple[str, dict[str, float]]:
    """Return what answers cost, in the dearest of what is known: money, tokens or queries; never time."""
    kinds: Mapping[str, Callable[[Outcome], float]] = {
        "cost": lambda each: each.cost,
        "tokens": lambda each: each.prompt_tokens + each.completion_tokens,
        "queries": lambda each: each.queries,
    }
    found: dict[str, float] = {}
    for name, values in kinds.items():
        found = {
            variant: mean([float(values(each)) for each in outcomes]) if outcomes else 0.0
            for variant, outcomes in series.items()
        }
        if any(found.values()):
            return name, found
    return "queries", found


def _frame(title: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the beginning of a picture: title, legend, and the lines of F1."""
    height = _HEIGHT + _LEGEND * len(names)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="sans-serif" font-size="12">'
    )
    yield f"<title>{escape(title)}</title>"
    yield f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>'
    yield _text(_LEFT, 22, title, "start", size=15)
    for number in range(_TICKS + 1):
        value = number / _TICKS
        yield f'<path d="M{_LEFT} {_y(value):.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>'
        yield _text(_LEFT - 8, _y(value) + 4, f"{100 * value:.0f}", "end")
    for number, name in enumerate(names):
        top = _HEIGHT + _LEGEND * number
        yield f'<rect x="{_LEFT}" y="{top - 10}" width="12" height="12" fill="{_colour(number)}"/>'
        yield _text(_LEFT + 20, top, name, "start")


def _step(most: float) -> float:
    """Return the least of 1, 2, 2.5 and 5 times a power of ten with which the ticks reach so far."""
    least = most / _TICKS
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= least)


def _text(x: float, y: float, text: str, anchor: str, size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP)


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]
