"""What was sent and what came of it; and which fault each error comes of: by its endpoint and time, or connection."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

# After a fault: the circuit opens again, pauses end, and who waited gets an answer.
_TAIL_S = 6.0
_SHOWN = 10


@dataclass(slots=True)
class Fault:
    """One fault of some kind: of an endpoint, or (None) of a worker that is killed, with the connections it had.

    Shapes: ``lost`` are the clients' ports of those. Units: moments of the monotonic clock, in seconds.
    """

    name: str
    endpoint: str | None
    begun: float
    ended: float = float("inf")
    lost: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one request ended.

    Shapes: ``status`` is 0 where no answer came; ``end`` is that of `wire.Received`, or the name of the error; ``port``
    is the client's end of the connection, 0 where there was none.
    Units: moments of the monotonic clock, in seconds.
    """

    endpoint: str
    expected: frozenset[int]
    status: int
    end: str
    begun: float
    ended: float
    right: bool = True
    port: int = 0

    @property
    def good(self) -> bool:
        """Whether this is what a client hopes for."""
        return self.status in self.expected and self.end == "whole" and self.right

    def __str__(self) -> str:
        """Return it in a few words."""
        where = "" if self.port else ", not connected"
        return f"{self.endpoint}: {self.status or 'no answer'}, {self.end}{where}{'' if self.right else ', wrong body'}"


@dataclass(slots=True)
class Ledger:
    """Every request, counted. Units: ``waits`` in seconds, of good answers of the calm endpoint."""

    faults: list[Fault] = field(default_factory=list)
    statuses: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    broken: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    explained: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    unexplained: list[Outcome] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    good: int = 0

    def begin(self, name: str, endpoint: str | None = None) -> Fault:
        """Note that a fault begins."""
        fault = Fault(name, endpoint, time.monotonic())
        self.faults.append(fault)
        return fault

    def note(self, outcome: Outcome) -> None:
        """Count a request that has ended."""
        if outcome.status:
            self.statuses[outcome.endpoint][outcome.status] += 1
        else:
            self.broken[outcome.endpoint] += 1
        if outcome.good:
            self.good += 1
            if outcome.endpoint == "calm":
                self.waits.append(outcome.ended - outcome.begun)
        elif fault := self._reason(outcome):
            self.explained[fault.name][str(outcome)] += 1
        else:
            self.unexplained.append(outcome)

    def _reason(self, outcome: Outcome) -> Fault | None:
        """Return the latest fault that this may come of."""
        if not outcome.right and outcome.end == "whole" and outcome.status == 200:
            return None
        for fault in reversed(self.faults):
            there = outcome.begun <= fault.ended + _TAIL_S and outcome.ended >= fault.begun
            if there and fault.endpoint in (None, outcome.endpoint) and _fits(fault, outcome):
                return fault
        return None

    def lost(self, ports: set[int]) -> bool:
        """Whether one of these connections ended with a worker that was killed."""
        return any(ports & fault.lost for fault in self.faults)

    @property
    def requests(self) -> int:
        """How many there were, those that left among them."""
        return sum(map(sum, (counter.values() for counter in self.statuses.values()))) + sum(
            (*self.broken.values(), *self.left.values())
        )

    def shown(self) -> list[str]:
        """Return the unexplained errors, each kind once, with how often."""
        return [f"{count} x {what}" for what, count in Counter(map(str, self.unexplained)).most_common(_SHOWN)]


def _fits(fault: Fault, outcome: Outcome) -> bool:
    """Whether a fault may look like this: one of the endpoint is told; only a worker that was killed says nothing."""
    if fault.endpoint is None:
        return outcome.port in fault.lost and (outcome.status == 0 or outcome.end != "whole")
    return outcome.status in (502, 503, 504) or (outcome.status == 200 and outcome.end == "reset")
