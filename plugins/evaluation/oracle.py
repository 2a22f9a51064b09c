"""Gold answers: what the gold query finds on the endpoint now, or what the file says."""

from __future__ import annotations

from typing import Literal

from plugins.evaluation.gold import table_of
from plugins.evaluation.records import Record
from plugins.evaluation.truth import Truth, judged
from plugins.nl.contract import Budget, OutOfBudget, Table
from plugins.nl.tools.asker import Asker
from proxy.contract import Caller, Context
from proxy.errors import ProxyError

Source = Literal["endpoint", "file"]
CALLER = Caller(address="evaluation", rights=frozenset({"query", "nl"}))

_GOLD_S = 20.0
_ALIVE_S = 5.0
# An answer is compared as a whole; a longer one is not compared.
_MOST_ROWS = 50_000


class Oracle:
    """Run gold queries on one endpoint."""

    def __init__(self, context: Context, endpoint: str) -> None:
        self._context = context
        self._endpoint = endpoint

    async def truth(self, sparql: str) -> Truth:
        """Return what a gold query finds, or why nothing can be compared with it."""
        try:
            return judged(await self._table(sparql, _GOLD_S))
        except OutOfBudget:
            return Truth(left_out="timeout")
        except ProxyError as error:
            return Truth.failed(error)

    async def whole(self, sparql: str) -> Table | None:
        """Return an answer with all of its rows; None where there is none."""
        try:
            return await self._table(sparql, _GOLD_S)
        except (OutOfBudget, ProxyError):
            return None

    async def alive(self) -> bool:
        """Whether the endpoint answers anything."""
        try:
            await self._table("ASK {}", _ALIVE_S)
        except (OutOfBudget, ProxyError):
            return False
        return True

    async def triples(self) -> int | None:
        """Return how many triples the default graph has; None where the endpoint does not count them in time."""
        found = await self.whole("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
        cell = found.rows[0][0] if found is not None and found.rows else None
        return int(cell.value) if cell is not None and cell.value.isdecimal() else None

    async def _table(self, sparql: str, seconds: float) -> Table:
        clock = self._context.clock
        budget = Budget(clock=clock, started=clock(), seconds=2 * seconds)
        asker = Asker(self._context, self._endpoint, CALLER, budget, "gold")
        return await asker.table(sparql, seconds=seconds, most_rows=_MOST_ROWS, hints={"saga-guard": "off"})


class Truths:
    """Where gold answers come from: the endpoint, by the gold query, or the file."""

    def __init__(self, oracle: Oracle, source: Source) -> None:
        self._oracle = oracle
        self._source = source

    async def of(self, record: Record) -> Truth:
        """Return what a record is compared with."""
        if self._source == "endpoint":
            return await self._oracle.truth(record.sparql) if record.sparql.strip() else Truth(left_out="no_query")
        return judged(table_of(record.answers)) if record.answers is not None else Truth(left_out="no_answers")
