"""The trace of every question: what was asked, what came of each step, and what it was compared with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plugins.evaluation.answering import Done
from plugins.evaluation.folder import safe, write
from plugins.evaluation.outcomes import Outcome
from plugins.nl.answer import sparql_json
from plugins.nl.contract import Table

# Gold answers are shown, not kept.
_MOST_GOLD = 100


def place(folder: Path, outcome: Outcome) -> Path:
    """Return the file of a trace. Names of questions and data sets may hold anything."""
    # The first dot ends the data set, so that no two questions share a file.
    dataset = safe(outcome.dataset).replace(".", "%2E")
    return folder / "traces" / safe(outcome.variant) / f"{dataset}.{safe(outcome.id)}.json"


def keep(folder: Path, outcome: Outcome, sparql: str, gold: Table, done: Done) -> None:
    """Write the trace of a question. Raises UsageError on a full disk."""
    shown = Table(variables=gold.variables, rows=gold.rows[:_MOST_GOLD], boolean=gold.boolean)
    document: Mapping[str, Any] = {
        "id": outcome.id,
        "dataset": outcome.dataset,
        "variant": outcome.variant,
        "question": outcome.question,
        "gold": {"sparql": sparql, "rows": outcome.gold, "results": sparql_json(shown)},
        "f1": outcome.f1,
        "problem": done.problem,
        "events": list(done.events),
    }
    write(place(folder, outcome), json.dumps(document, ensure_ascii=False, indent=1, default=str) + "\n")
