"""Outcomes for tests, of which only what matters is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plugins.evaluation.outcomes import Outcome
from plugins.evaluation.results import Results

ON = {"filter": "demote", "gate": True, "coverage": 1.0, "seed": 0}


def outcome(name: str, **more: Any) -> Outcome:
    """Return an outcome of a question of the data set `d`."""
    made: dict[str, Any] = {
        "id": name,
        "dataset": "d",
        "group": name,
        "place": 0,
        "strategy": "s",
        "variant": "s",
        "question": "q",
        "status": "answered",
        "gold": 1,
        "given": 1,
        **more,
    }
    return Outcome(**made)


def results(outcomes: Mapping[str, Sequence[Outcome]], **switches: Any) -> Results:
    """Return results of variants; ``switches`` are what is changed, by a variant's name with `_` for a space."""
    changed = {name.replace("_", " "): dict(each) for name, each in switches.items()}
    variants = {name: {"strategy": name.split()[0], "switches": {**ON, **changed.get(name, {})}} for name in outcomes}
    return Results(outcomes=outcomes, manifest={"variants": variants, "language": "en"})
