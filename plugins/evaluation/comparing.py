"""Two runs side by side: what differs in what was run, which is better, and the questions that changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from plugins.evaluation import manifest, results
from plugins.evaluation.outcomes import Outcome
from plugins.evaluation.reporting.significance import compared
from plugins.evaluation.results import Results
from plugins.evaluation.tables import Grid, percent
from plugins.schema.findings import line
from proxy.errors import UsageError

_MOST_QUESTION = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One variant of one run. ``name`` is how the comparison calls it."""

    name: str
    variant: str
    outcomes: Sequence[Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Pairs of variants to be compared, and what differs between what was run."""

    pairs: Sequence[tuple[Side, Side]]
    differences: Sequence[str]

    @property
    def changed(self) -> list[tuple[Outcome, Outcome]]:
        """The questions that differ in F1 or in their status, in the order of the questions."""
        return [both for one, other in self.pairs for both in _paired(one, other) if _differ(*both)]

    def grids(self) -> Iterator[Grid]:
        """Yield the figures, the tests, and the questions that changed."""
        yield Grid(
            title="F1 / EM (%)",
            head=["data set", "first", "second", "n", "F1", "F1 then", "EM", "EM then"],
            rows=[row for pair in self.pairs for row in _figures(*pair)],
            words=3,
        )
        rows = []
        for one, other in self.pairs:
            for dataset in _datasets(one, other):
                parts = (
                    [each for each in side.outcomes if each.dataset == dataset and each.counts] for side in (one, other)
                )
                first, second = parts
                rows += [[dataset, *each] for each in compared(one.name, first, other.name, second)]
        yield Grid(
            title="Paired tests",
            note="Paired bootstrap over the questions that both were asked.",
            head=["data set", "better", "than", "by", "n", "difference", "p"],
            rows=rows,
            words=4,
        )
        yield Grid(
            title="Questions that changed",
            head=["data set", "id", "variant", "question", "status", "then", "F1", "F1 then"],
            rows=[_row(*both) for both in self.changed],
            words=6,
        )


def comparison(first: str, second: str) -> Comparison:
    """Read what two words name: folders of runs, each with `:VARIANT` where one of several is meant.

    Raises UsageError.
    """
    (one, chosen), (other, also) = _named(first), _named(second)
    pairs = [
        (
            _side(first if chosen else f"{first}:{left}", left, one),
            _side(second if also else f"{second}:{right}", right, other),
        )
        for left, right in _matched(one, chosen, other, also, first, second)
    ]
    return Comparison(pairs=pairs, differences=_differences(one, other, pairs))


def _differences(one: Results, other: Results, pairs: Sequence[tuple[Side, Side]]) -> list[str]:
    """Return what differs between two runs, of their variants only those that are compared."""
    before, after = (
        {
            **found.manifest,
            "variants": {
                f"pair {place}": found.manifest["variants"][pair[side].variant] for place, pair in enumerate(pairs)
            },
        }
        for side, found in enumerate((one, other))
    )
    return manifest.differences(before, after)


def _side(name: str, variant: str, found: Results) -> Side:
    return Side(name=name, variant=variant, outcomes=found.outcomes[variant])


def _named(text: str) -> tuple[Results, str]:
    """Return the run that a word names, and its variant where it says one. Raises UsageError."""
    if Path(text).is_dir():
        return results.read(Path(text)), ""
    folder, sign, variant = text.rpartition(":")
    if not sign or not Path(folder).is_dir():
        raise UsageError(f"{text}: no such folder; give the --out of a run, or DIR:VARIANT for one of its variants")
    found = results.read(Path(folder))
    if variant not in found.outcomes:
        raise UsageError(f"{folder}: there is no variant {variant!r}; there are {', '.join(found.outcomes)}")
    return found, variant


def _matched(one: Results, chosen: str, other: Results, also: str, first: str, second: str) -> list[tuple[str, str]]:
    """Return which variant goes with which: those named, those of the same name, or the only ones."""
    if chosen or also:
        return [(chosen or _only(one, first), also or _only(other, second))]
    same = [(name, name) for name in one.variants if name in other.outcomes]
    if same:
        return same
    return [(_only(one, first), _only(other, second))]


def _only(found: Results, text: str) -> str:
    if len(found.variants) != 1:
        raise UsageError(f"{text}: there are {', '.join(found.variants)}; say which one, as {text}:VARIANT")
    return found.variants[0]


def _figures(one: Side, other: Side) -> Iterator[list[str]]:
    for dataset in _datasets(one, other):
        pairs = [(a, b) for a, b in _paired(one, other) if a.dataset == dataset and a.counts and b.counts]
        f1 = (percent([pair[place].f1 for pair in pairs]) for place in (0, 1))
        exact = (percent([float(pair[place].exact) for pair in pairs]) for place in (0, 1))
        yield [dataset, one.name, other.name, f"{len(pairs):,}", *f1, *exact]


def _datasets(one: Side, other: Side) -> list[str]:
    known = {each.dataset for each in other.outcomes}
    return [each for each in dict.fromkeys(each.dataset for each in one.outcomes) if each in known]


def _paired(one: Side, other: Side) -> list[tuple[Outcome, Outcome]]:
    known = {each.key: each for each in other.outcomes}
    return [(each, known[each.key]) for each in one.outcomes if each.key in known]


def alone(one: Side, other: Side) -> tuple[int, int]:
    """Return how many questions only the first has, and only the second."""
    first, second = ({each.key for each in side.outcomes} for side in (one, other))
    return len(first - second), len(second - first)


def _differ(one: Outcome, other: Outcome) -> bool:
    return (one.f1, one.left_out) != (other.f1, other.left_out)


def _row(one: Outcome, other: Outcome) -> list[str]:
    before, after = (each.left_out or each.status for each in (one, other))
    question = line(one.question, _MOST_QUESTION)
    variant = one.variant if one.variant == other.variant else f"{one.variant}, {other.variant}"
    return [one.dataset, one.id, variant, question, before, after, f"{100 * one.f1:.1f}", f"{100 * other.f1:.1f}"]
