"""What happened in each second of a run: faults, workers, load, and every error that was not injected."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime

from tests.bench.soak.journal import Journal
from tests.bench.soak.ledger import Fault, Outcome
from tests.bench.soak.traffic import Traffic

_LOOK_S = 0.05
# Less than this is the ordinary course of things.
_MANY_WAIT, _LATE_S = 100, 0.1


class Timeline:
    """Write down what happens, by the second."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._wall = time.time() - self._begun
        self._notes: defaultdict[int, list[str]] = defaultdict(list)
        self._errors: defaultdict[int, Counter[str]] = defaultdict(Counter)

    def note(self, text: str, moment: float | None = None) -> None:
        """Note one thing that happened, now or at a moment of the monotonic clock."""
        self._notes[self._second(time.monotonic() if moment is None else moment)].append(text)

    async def watch(self, traffic: Traffic, journal: Journal) -> None:
        """Look at the load every second: who waits, and whether the clients themselves are late."""
        while True:
            most_late_s, begun = 0.0, time.monotonic()
            while (now := time.monotonic()) < begun + 1.0:
                await asyncio.sleep(_LOOK_S)
                most_late_s = max(most_late_s, time.monotonic() - now - _LOOK_S)
            if most_late_s > _LATE_S:
                self.note(f"clients {most_late_s * 1000:.0f} ms late")
            if traffic.waiting > _MANY_WAIT:
                self.note(f"{traffic.waiting} wait")
            journal.look()

    def read(self, journal: Journal, faults: list[Fault], errors: list[Outcome]) -> None:
        """Note what the proxy's log says of its workers, the faults, and the errors at their end."""
        for line in journal:
            self.note(line["event"], datetime.fromisoformat(line["time"]).timestamp() - self._wall)
        for fault in faults:
            self.note(f"{fault.name} begins", fault.begun)
            self.note(f"{fault.name} ends", fault.ended)
        for outcome in errors:
            took = round(outcome.ended - outcome.begun)
            self._errors[self._second(outcome.ended)][f"{outcome} after {took} s"] += 1

    def __iter__(self) -> Iterator[str]:
        """Return a line for every second in which something happened."""
        for second in sorted({*self._notes, *self._errors}):
            errors = [f"{count} x {what}" for what, count in self._errors[second].most_common()]
            yield f"{second:5} s  {'; '.join([*self._notes[second], *errors])}"

    def _second(self, moment: float) -> int:
        return int(moment - self._begun)
