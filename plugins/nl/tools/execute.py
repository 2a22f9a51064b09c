"""Run a query: blocked, failed, partial, empty with the reason, or complete.

A query that the guard blocks comes back with the reason instead of rows; the same query sent again in the same run is
run, so that a wrong block costs one step.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from plugins.nl.contract import OutOfBudget, Switches, Table
from plugins.nl.tools.asker import BLOCKING, UNJUDGED, WARNING, Asker
from plugins.nl.tools.diagnosis import Diagnosis, Doctor
from proxy.errors import BadQuery, Blocked, ProxyError

Outcome = Literal["complete", "partial", "failed", "blocked"]
_SECONDS = 30.0
_MOST_ROWS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What came of a query.

    Shapes: ``findings`` are the guard's JSON objects; ``diagnosis`` says why an answer is empty; ``problem`` is what a
    person or a model can do about a failure.
    """

    sparql: str
    outcome: Outcome
    table: Table | None = None
    findings: tuple[Mapping[str, Any], ...] = ()
    diagnosis: Diagnosis | None = None
    problem: str = ""


class Executor:
    """Run the queries of one question."""

    def __init__(self, asker: Asker, doctor: Doctor, switches: Switches) -> None:
        self._asker = asker
        self._doctor = doctor
        self._hints = BLOCKING if switches.guard else UNJUDGED
        self._blocked: set[str] = set()

    async def run(self, sparql: str) -> Execution:
        """Return what came of it. Raises OutOfBudget, and ProxyError where the endpoint is gone."""
        again = sparql.strip() in self._blocked
        try:
            table = await self._asker.table(
                sparql, seconds=_SECONDS, most_rows=_MOST_ROWS, hints=WARNING if again else self._hints
            )
        except Blocked as error:
            self._blocked.add(sparql.strip())
            found = error.members.get("findings", ())
            findings = tuple(found) if isinstance(found, (list, tuple)) else ()
            return Execution(sparql=sparql, outcome="blocked", findings=findings, problem=error.detail)
        except BadQuery as error:
            return Execution(sparql=sparql, outcome="failed", problem=_placed(error))
        except ProxyError as error:
            if error.status in (502, 503) and not await self._alive():
                raise
            return Execution(sparql=sparql, outcome="failed", problem=error.detail)
        diagnosis = await self._reason(sparql) if _silent(table) else None
        outcome: Outcome = "complete" if table.complete else "partial"
        return Execution(sparql=sparql, outcome=outcome, table=table, diagnosis=diagnosis)

    async def _reason(self, sparql: str) -> Diagnosis | None:
        """Return why an answer is empty; an answer that is there is not lost for want of a reason."""
        with suppress(OutOfBudget):
            return await self._doctor.examine(sparql)
        return None

    async def _alive(self) -> bool:
        try:
            await self._asker.table("ASK {}", seconds=5.0)
        except ProxyError:
            return False
        return True


def _silent(table: Table) -> bool:
    """Whether the answer is empty, or a count of nothing."""
    if table.boolean is not None:
        return False
    if table.total == 1 and len(table.variables) == 1:
        value = table.rows[0][0]
        return value is None or (value.kind == "literal" and value.value == "0")
    return table.empty


def _placed(error: BadQuery) -> str:
    line, column = error.members.get("line"), error.members.get("column")
    return f"{error.detail} (line {line}, column {column})" if line else error.detail
