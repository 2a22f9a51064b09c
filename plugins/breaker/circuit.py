"""The state of one endpoint: closed, open or half-open, and the pause that it asked for. No I/O."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Mode(Enum):
    """Whether queries pass."""

    CLOSED = "all pass"
    OPEN = "none passes until the cool-off has ended"
    HALF_OPEN = "one passes, to try"


@dataclass(frozen=True, slots=True)
class Pass:
    """Let one query through. ``era`` is the opening that it belongs to: an older one says nothing about now."""

    era: int
    probe: bool


class Circuit:
    """Count failures in a row and decide who passes.

    Units: times in seconds of one monotonic clock.
    """

    def __init__(self, failures: int, cool_off_s: float, clock: Callable[[], float]) -> None:
        self._most = failures
        self._cool_off_s = cool_off_s
        self._clock = clock
        self._failures = 0
        self._opened_at: float | None = None
        self._ready = False
        self._probing = False
        self._era = 0
        self._rests_until = clock()

    @property
    def mode(self) -> Mode:
        """Whether queries pass now."""
        if self._opened_at is None:
            return Mode.CLOSED
        return Mode.HALF_OPEN if self._ready or self.remaining_s <= 0 else Mode.OPEN

    @property
    def remaining_s(self) -> float:
        """Seconds until the cool-off ends."""
        return 0.0 if self._opened_at is None else max(0.0, self._opened_at + self._cool_off_s - self._clock())

    @property
    def rest_s(self) -> float:
        """Seconds until the pause ends that the endpoint asked for."""
        return max(0.0, self._rests_until - self._clock())

    def enter(self) -> Pass | None:
        """Let a query through, to be followed by one of the words below; None where it may not pass."""
        mode = self.mode
        if mode is Mode.OPEN or (mode is Mode.HALF_OPEN and self._probing):
            return None
        probe = self._probing = mode is Mode.HALF_OPEN
        return Pass(self._era, probe)

    def worked(self, given: Pass) -> None:
        """Note an answer."""
        if given.era == self._era and (given.probe or self._opened_at is None):
            self.close()

    def failed(self, given: Pass) -> None:
        """Note that nobody was there. So many times in a row, or once for a probe, open the circuit."""
        if self.doubted(given):
            self.open()

    def doubted(self, given: Pass) -> bool:
        """Note a failure that may be the query's own, and return whether there are too many in a row."""
        if given.era != self._era:
            return False
        if given.probe:
            self.open()
            return False
        self._failures += 1
        return self._failures >= self._most

    def learned_nothing(self, given: Pass) -> None:
        """Note an end that says nothing about the endpoint; another probe may go."""
        if given.probe and given.era == self._era:
            self._probing = False

    def rest(self, seconds: float) -> None:
        """Let nobody pass for so long; a longer pause stands."""
        self._rests_until = max(self._rests_until, self._clock() + seconds)

    def open(self) -> None:
        """Let nobody pass until the cool-off has ended."""
        self._opened_at = self._clock()
        self._ready = self._probing = False
        self._failures = 0
        self._era += 1

    def close(self) -> None:
        """Let everybody pass."""
        if self._opened_at is not None:
            self._era += 1
        self._opened_at = None
        self._ready = self._probing = False
        self._failures = 0

    def forgive(self) -> None:
        """Forget the failures in a row: they were the queries' own."""
        self._failures = 0

    def revive(self) -> None:
        """Note a sign of life from beside the queries: the first lets one query try, the next one closes the circuit.

        Without the second, a probe that takes a minute would keep everybody out for a minute, and a circuit that
        nobody asks would never close.
        """
        if self._ready or self._probing:
            self.close()
        else:
            self._ready = True

    def go_silent(self) -> None:
        """Note that a sign of life did not come: those before count no more."""
        self._ready = False
