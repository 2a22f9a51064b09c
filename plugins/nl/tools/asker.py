"""Queries on behalf of one question: through the whole chain, so that cache, limits, guard and metrics count."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from plugins.nl.contract import Budget, Table
from proxy.contract import Caller, Context, Query, Reply
from proxy.errors import BadQuery
from proxy.results import Format, rows
from proxy.results.terms import Solution, Term
from proxy.syntax import Form, read

MOST_ROWS = 1_000
# Rows beyond those that are held are counted up to here; a longer answer is not read on.
MOST_COUNTED = 100_000
# A model writes no longer query; a longer one is a fault.
_LONGEST = 100_000
# A hint that the guard reads: findings of severity block come back instead of rows.
BLOCKING: Mapping[str, str] = {"saga-guard": "block"}
WARNING: Mapping[str, str] = {"saga-guard": "warn"}
# The tools' own look-ups may well find nothing.
UNJUDGED: Mapping[str, str] = {"saga-guard": "off"}


class Asker:
    """Ask one endpoint for one caller. Every query is counted, and ends with the question's time."""

    def __init__(self, context: Context, endpoint: str, caller: Caller, budget: Budget, name: str = "nl") -> None:
        self._context = context
        self._endpoint = endpoint
        self._caller = caller
        self._budget = budget
        self._names = (f"{name}-{number}" for number in itertools.count(1))

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The prefixes that queries may use without declaring them."""
        return self._context.prefixes[self._endpoint]

    async def table(
        self, text: str, *, seconds: float = 10.0, most_rows: int = MOST_ROWS, hints: Mapping[str, str] = UNJUDGED
    ) -> Table:
        """Return the answer of a SELECT or an ASK.

        Units: ``seconds`` is a limit below that of the question. Raises BadQuery for another form and for text that
        cannot be read, OutOfBudget, ProxyError.
        """
        self._budget.spend("queries")
        query = self._query(text, min(seconds, self._budget.left_s), hints)
        async with await self._context.run(query) as reply:
            return await _table(query, reply, most_rows)

    def _query(self, text: str, seconds: float, hints: Mapping[str, str]) -> Query:
        if len(text) > _LONGEST:
            raise BadQuery(f"The query has {len(text):,} characters; at most {_LONGEST:,} are allowed here.")
        syntax = read(text, prefixes=self.prefixes)
        if syntax.form not in (Form.SELECT, Form.ASK):
            raise BadQuery("Only SELECT and ASK can answer a question.")
        return Query(
            id=next(self._names),
            endpoint=self._endpoint,
            syntax=syntax,
            formats=(Format.JSON,),
            caller=self._caller,
            source="nl",
            timeout_s=max(seconds, 0.05),
            hints=hints,
        )


async def _table(query: Query, reply: Reply, most_rows: int) -> Table:
    """Read an answer: hold the first rows, count the others."""
    if query.form is Form.ASK:
        async for _ in reply.chunks:
            pass
        return Table(boolean=bool(reply.state.boolean), complete=reply.state.partial is None)
    assert reply.format is not None
    held: list[Solution] = []
    total, whole = 0, True
    async for solution in rows(reply.chunks, reply.format):
        total += 1
        if total <= most_rows:
            held.append(solution)
        elif total >= MOST_COUNTED:
            whole = False
            break
    names = _variables(query, held)
    return Table(
        variables=names,
        rows=tuple(tuple(solution.get(name) for name in names) for solution in held),
        total=total,
        complete=whole and reply.state.partial is None,
    )


def _variables(query: Query, held: Iterable[Solution]) -> tuple[str, ...]:
    """Return the projected variables; for `*` those that are bound, as they come."""
    if query.syntax.projection is not None:
        return query.syntax.projection
    return tuple(dict.fromkeys(name for solution in held for name in solution))


def column(table: Table, name: str) -> list[Term]:
    """Return the bound values of a variable."""
    place = table.variables.index(name)
    return [row[place] for row in table.rows if (row[place]) is not None]  # type: ignore[misc]
