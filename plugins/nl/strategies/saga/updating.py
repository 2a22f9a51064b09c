"""UpdateTypeState: what a query and its rows say of the types of its variables.

Forward from explicit patterns and from the values that were returned, along the planned path by what domains and ranges
declare, backward from the expected answer to what is projected. Source: SAGA, "Persistent type state", appendix E.6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from plugins.nl.contract import OutOfBudget, Switches, Table
from plugins.nl.gate.values import kinds, things
from plugins.nl.strategies.saga.answer_type import AnswerType
from plugins.nl.strategies.saga.planned import Plan
from plugins.nl.strategies.saga.state import Known, TypeState
from plugins.nl.tools import Tools
from plugins.nl.tools.asker import column
from plugins.schema.body import askable
from proxy.errors import ProxyError

_SAMPLE, _COLUMNS = 5, 2
_SECONDS = 5.0
_MOST_ROWS = 200
_LITERALS = {"number": "a number", "date": "a date", "year": "a year"}
_THINGS = frozenset(("entity", "list", "winner"))


class Updating:
    """Bring the type state up to date, and say what about an answer does not fit what is expected."""

    def __init__(self, theta: TypeState, answer: AnswerType, tools: Tools, switches: Switches) -> None:
        self._theta = theta
        self._answer = answer
        self._tools = tools
        self._published = switches.mode == "paper"
        self._hierarchy = switches.hierarchy

    async def update(self, plan: Plan, table: Table | None) -> list[str]:
        """Line 18 of Algorithm 1. Return in words which types became known for sure."""
        news = []
        for name, types in plan.patterns.items():
            news += [name] if self._theta.learn(name, types, "pattern") else []
        sampled = await self._sampled(plan, table) if table is not None and table.rows else {}
        for name, types in sampled.items():
            news += [name] if self._theta.learn(name, types, "values") else []
            if name in plan.unranged:
                # For this run only: it guides, and neither the index nor any filter ever sees it.
                self._theta.evidence[plan.unranged[name].id] = types
        if not self._published:
            self._guess(plan, table)
        return [f"{name} is {self.said(self._theta.of(name))}" for name in news]

    def _guess(self, plan: Plan, table: Table | None) -> None:
        """Type by domain and range what no fact types, and then what is projected by the expected answer."""
        for name, types in plan.schema.items():
            self._theta.learn(name, types, "schema")
        for name in table.variables if table is not None else ():
            if not self._theta.of(f"?{name}").types:
                self._theta.learn(f"?{name}", self._answer.types, "question")

    async def _sampled(self, plan: Plan, table: Table) -> dict[str, tuple[str, ...]]:
        """Return the classes of a few values of the projected variables that no pattern types."""
        columns = [name for name in things(table) if f"?{name}" not in plan.patterns]
        if self._published:
            columns = [name for name in columns if f"?{name}" in plan.unranged]
        values = {name: list(dict.fromkeys(_iris(table, name)))[:_SAMPLE] for name in columns[:_COLUMNS]}
        known = self._tools.knowledge.vocabulary
        path = "|".join(f"<{iri}>" for iri in known.types)
        branches = [
            f"{{ <{iri}> {path} ?c BIND({number} AS ?n) }}"
            for number, found in enumerate(values.values())
            for iri in found
        ]
        if not branches:
            return {}
        with suppress(OutOfBudget, ProxyError):
            text = f"SELECT ?n ?c {{ {' UNION '.join(branches)} }}"
            answer = await self._tools.asker.table(text, seconds=_SECONDS, most_rows=_MOST_ROWS)
            return await self._counted(list(values), answer)
        return {}

    async def _counted(self, names: Sequence[str], answer: Table) -> dict[str, tuple[str, ...]]:
        """Return the classes of each variable, those of most values first."""
        counts: dict[str, Counter[str]] = {}
        for number, cls in answer.rows:
            if number is not None and cls is not None and cls.kind == "iri":
                counts.setdefault(f"?{names[int(number.value)]}", Counter())[cls.value] += 1
        found = {name: tuple(cls for cls, _ in count.most_common()) for name, count in counts.items()}
        await self._tools.labels.learn(cls for types in found.values() for cls in types)
        return found

    def shortfall(self, table: Table | None) -> str:
        """Say that an answer is of another kind than is expected; it may stop a step too early."""
        if table is None or table.boolean is not None or table.empty or self._published or not self._answer.known:
            return ""
        form, held = self._answer.shape.form, kinds(table)
        columns = [name for name, each in held.items() if each == "thing"]
        if form in _LITERALS and set(held.values()) <= {"thing", ""} and columns:
            return self._missing(columns[0], _LITERALS[form])
        if form in _THINGS and columns and self._answer.types and all(map(self._misfit, columns)):
            return self._missing(columns[0], self._answer.text)
        return ""

    def _missing(self, name: str, wanted: str) -> str:
        said = self.said(self._theta.of(f"?{name}")) or "a thing"
        return f"[WARNING] ?{name} is {said}; the question asks for {wanted}. One more step may be missing."

    def _misfit(self, name: str) -> bool:
        """Whether it is known for sure that a variable is nothing like the expected answer."""
        known, index = self._theta.of(f"?{name}"), self._tools.knowledge.schema
        if index is None or not known.sure or not known.types:
            return False
        hierarchy = index.hierarchy
        if not all(map(hierarchy.known, (*known.types, *self._answer.types))):
            return False
        return not any(self.alike(one, other) for one in known.types for other in self._answer.types)

    def alike(self, one: str, other: str) -> bool:
        """Whether a class is another one, or above or below it."""
        index = self._tools.knowledge.schema
        if one == other or index is None or not self._hierarchy:
            return one == other
        return index.hierarchy.is_under(one, other) or index.hierarchy.is_under(other, one)

    def said(self, known: Known) -> str:
        """Return types by name."""
        index = self._tools.knowledge.schema
        infos = [(iri, index.class_info(iri) if index is not None else None) for iri in known.types]
        short = self._tools.knowledge.short
        return ", ".join(
            f"{info.label} ({short(iri)})" if info and info.label else self._tools.labels.named(iri)
            for iri, info in infos
        )


def _iris(table: Table, name: str) -> list[str]:
    return [term.value for term in column(table, name) if term.kind == "iri" and askable(term.value)]
