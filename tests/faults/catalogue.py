"""Every fault that is tried, in the order in which they are shown, and what the README says of each."""

from __future__ import annotations

from tests.faults.clients import CLIENTS
from tests.faults.fault import Fault, Sight
from tests.faults.surroundings import SURROUNDINGS
from tests.faults.upstreams import UPSTREAMS

FAULTS: list[Fault] = [*UPSTREAMS, *CLIENTS, *SURROUNDINGS]


def row(fault: Fault) -> str:
    """Return a fault as a row of the table: what its client sees, and what the metrics say."""
    sees = sorted({words(sight) for sight in fault.sees})
    cells = [
        fault.name,
        " or ".join(sees),
        ", ".join(sorted(fault.outcomes)) or "-",
        "opens" if fault.opens else "-",
        fault.retries or "-",
    ]
    return f"| {' | '.join(cells)} |"


def words(sight: Sight | None) -> str:
    """Return what a client saw, in words."""
    if sight is None:
        return "nothing"
    told = "Retry-After" if sight.retry else ""
    cut = "" if sight.end == "whole" else "cut by a reset"
    return " ".join(each for each in (str(sight.status), sight.code, told, cut) if each)
