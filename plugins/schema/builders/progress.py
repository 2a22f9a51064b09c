"""How far a build is: a moving line on a terminal, one line a minute elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

_EVERY_S = {True: 0.2, False: 60.0}


class Progress:
    """Count items of named parts. ``total`` is 0 where nobody knows it."""

    def __init__(self, out: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        out = out or sys.stderr
        self._out = out
        self._clock = clock
        self._terminal = out.isatty()
        self._part, self._done, self._total = "", 0, 0
        self._started = self._shown = clock()

    def part(self, name: str, total: int = 0) -> None:
        """Begin a part; the one before it is done."""
        self.end()
        self._part, self._done, self._total = name, 0, total
        self._started = self._shown = self._clock()

    def step(self, count: int = 1) -> None:
        """Count items, and show them when it is time."""
        self._done += count
        now = self._clock()
        if now - self._shown >= _EVERY_S[self._terminal]:
            self._shown = now
            self._show("\r" if self._terminal else "", "" if self._terminal else "\n")

    def say(self, text: str) -> None:
        """Write a line of its own."""
        clear = "\r\033[K" if self._terminal else ""
        self._out.write(f"{clear}{text}\n")
        self._out.flush()

    def end(self) -> None:
        """Write what the part came to."""
        if self._part:
            self._show("\r" if self._terminal else "", "\n")
        self._part = ""

    def _show(self, before: str, after: str) -> None:
        seconds = max(self._clock() - self._started, 1e-9)
        rate = self._done / seconds
        of = f" of {self._total:,}" if self._total else ""
        left = self._total - self._done
        rest = f", {left / rate:,.0f} s left" if self._total and left > 0 and rate > 0 else f", {seconds:,.1f} s"
        clear = "\033[K" if self._terminal else ""
        self._out.write(f"{before}{self._part}: {self._done:,}{of}, {rate:,.0f} per second{rest}{clear}{after}")
        self._out.flush()
