"""What happened on the way to an answer: events with their numbers and times, and the steps made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from plugins.nl.contract import Candidate, Event


class Trace:
    """Stamp events and keep them. Units: times in seconds since the question came."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started = clock()
        self.events: list[Event] = []

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return self._clock() - self._started

    def stamp(self, event: Event) -> Event:
        """Return the event with its number and time, and keep it."""
        stamped = replace(event, seq=len(self.events) + 1, t=self.seconds)
        self.events.append(stamped)
        return stamped

    @property
    def candidate(self) -> Candidate | None:
        """The last candidate, which is the one that counts."""
        return next((each.candidate for each in reversed(self.events) if each.candidate is not None), None)

    @property
    def actions(self) -> int:
        """How many actions there were."""
        return sum(each.kind == "action" for each in self.events)

    def steps(self) -> Sequence[Mapping[str, Any]]:
        """Return thoughts and actions, each action with its observation. Source: design.md section 4."""
        steps: list[dict[str, Any]] = []
        for each in self.events:
            if each.kind == "observation" and steps and steps[-1]["kind"] == "action":
                steps[-1] |= each.data
            elif each.kind in ("thought", "action"):
                steps.append({"n": len(steps) + 1, "kind": each.kind, **each.data})
        return steps
