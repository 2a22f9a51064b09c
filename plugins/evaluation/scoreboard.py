"""How far a run is, and how good so far: a moving line on a terminal, one line a minute elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from plugins.evaluation.outcomes import Outcome

_EVERY_S = {True: 0.2, False: 60.0}
_MOST_NAMES = 4


@dataclass(slots=True)
class _Sum:
    f1: float = 0.0
    count: int = 0

    def add(self, outcome: Outcome) -> None:
        if outcome.counts:
            self.f1 += outcome.f1
            self.count += 1


class Scoreboard:
    """Count questions, and the F1 of each variant so far."""

    def __init__(self, out: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out or sys.stderr
        self._clock = clock
        self._terminal = self._out.isatty()
        self._sums: dict[str, _Sum] = {}
        self._done, self._total = 0, 0
        self._started = self._shown = clock()

    def begin(self, total: int, before: Mapping[str, Sequence[Outcome]]) -> None:
        """Begin with so many questions to go, and what earlier runs came to."""
        self._sums = {name: _Sum() for name in before}
        for outcomes in before.values():
            for each in outcomes:
                if each.settled:
                    self.add(each)
        self._total = total
        self._started = self._shown = self._clock()

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self._sums[outcome.variant].add(outcome)

    def step(self) -> None:
        """Count a question, and show how it stands when it is time."""
        self._done += 1
        if self._clock() - self._shown >= _EVERY_S[self._terminal]:
            self._shown = self._clock()
            self._show("" if self._terminal else "\n")

    def end(self) -> None:
        """Show what it came to."""
        if self._total:
            self._show("\n")

    def _show(self, end: str) -> None:
        seconds = max(self._clock() - self._started, 1e-9)
        rate = self._done / seconds
        left = self._total - self._done
        time_left = f", {left / rate:,.0f} s left" if left and self._done else f", {seconds:,.1f} s"
        before, clear = ("\r", "\033[K") if self._terminal else ("", "")
        said = (
            f"{self._done:,} of {self._total:,} questions, {rate:,.1f} per second{time_left}; F1 so far: {self._f1()}"
        )
        self._out.write(f"{before}{said}{clear}{end}")
        self._out.flush()

    def _f1(self) -> str:
        known = [f"{name} {100 * each.f1 / each.count:.1f}" for name, each in self._sums.items() if each.count]
        more = f", and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
        return ", ".join(known[:_MOST_NAMES]) + more if known else "nothing yet"
