"""Observations in words, for a person or a model: everything from the graph on one line each, within a bound.

Source: specs/strategies.md section 8 for the formats that are compared with.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugins.nl.contract import Table
from plugins.nl.tools.knowledge import Knowledge
from plugins.nl.tools.labels import Labels
from plugins.nl.tools.lookup import Line, Neighbourhood
from plugins.schema.annotation import side_text, tidy
from plugins.schema.order import Edge, Ordered, folded_line
from plugins.search.desk import line as hit_line
from proxy.results.terms import Term

# About four characters are a token.
MOST_CHARS = 8_000
_HEAD_ROWS, _TAIL_ROWS = 7, 3
_MOST_CELL = 64
_NAMED_IDS = 5
# Induced classes of a smaller share of what was sampled say nothing.
_LEAST_SHARE = 0.5


class Wording:
    """Put what the tools found into words."""

    def __init__(self, knowledge: Knowledge, labels: Labels) -> None:
        self._knowledge = knowledge
        self._labels = labels

    def neighbourhood(self, found: Neighbourhood) -> str:
        """Return types, then properties with values, then the folded rest."""
        head = self._labels.named(found.iri) + (f": {tidy(found.description)}" if found.description else "")
        lines = [head, self._types(found)]
        if found.suspicion:
            others = "; ".join(map(hit_line, found.others))
            lines.append(f"[wrong entity?] {found.suspicion}." + (f" Others of that name: {others}." if others else ""))
        lines += self._direction("out", found.ordered, found.out.values())
        lines += self._direction("in", found.ordered_in, found.into.values())
        if found.removed:
            lines.append(f"{found.removed} properties whose domain does not fit were removed.")
        return clipped(lines)

    def table(self, table: Table) -> str:
        """Return a preview with totals: the first and the last rows."""
        if table.boolean is not None:
            return "true" if table.boolean else "false"
        if not table.total:
            return "0 rows."
        more = "" if table.complete else " or more: the answer is not complete"
        count = "1 row" if table.total == 1 else f"{table.total:,} rows"
        lines = [f"{count}{more}.", " | ".join(f"?{name}" for name in table.variables)]
        rows = list(table.rows)
        if len(rows) <= _HEAD_ROWS + _TAIL_ROWS:
            lines += map(self._row, rows)
        else:
            lines += [*map(self._row, rows[:_HEAD_ROWS]), "...", *map(self._row, rows[-_TAIL_ROWS:])]
        return clipped(lines)

    def term(self, term: Term | None) -> str:
        """Return a term for a cell: `Berlin (wd:Q64)`, `1989-11-09`, `"Köln" (de)`."""
        if term is None:
            return ""
        if term.kind == "iri":
            return _cut(self._labels.named(term.value))
        text = _cut(tidy(term.value))
        return f"{text} ({term.language})" if term.language else text

    def _types(self, found: Neighbourhood) -> str:
        if found.is_class:
            return f"is a class, a kind of: {self._names(found.superclasses)}"
        return f"types: {self._names(found.types)}" if found.types else "types: none known"

    def _names(self, iris: Iterable[str]) -> str:
        return ", ".join(map(self._labels.named, iris))

    def _direction(self, name: str, ordered: Ordered, lines: Iterable[Line]) -> list[str]:
        by_id = {line.property.id: line for line in lines}
        if not by_id:
            return []
        arrow = {"out": "properties:", "in": "used as a value of:"}[name]
        found = [arrow, *(self._line(by_id[edge.property.id]) for edge in ordered.shown)]
        if ordered.folded:
            found.append(f"{len(ordered.folded)} more: {folded_line(ordered.folded)}")
        if ordered.ids:
            found.append(_ids(ordered.ids))
        return found

    def _line(self, line: Line) -> str:
        index = self._knowledge.schema
        record = line.property
        misfit = " [does not fit]" if line.conflicts else ""
        parts = [f"  {tidy(record.name)} ({record.id}){misfit}", self._values(line)]
        for name, side in (("domain", record.domain), ("range", record.range)):
            if index and side and (side.source == "declared" or side.share >= _LEAST_SHARE):
                parts.append(f"{name}: {_cut(side_text(index, side))}")
        if line.qualifiers:
            parts.append(f"qualifiers: {', '.join(map(self._property, line.qualifiers))}")
        if line.statements > line.count:
            parts.append(f"{line.statements} statements of all ranks")
        return " | ".join(parts)

    def _values(self, line: Line) -> str:
        values = ", ".join(map(self.term, line.values))
        more = line.count - len(line.values)
        return f"{'=' if line.direction == 'out' else '<-'} {values}" + (f", {more:,} more" if more > 0 else "")

    def _property(self, name: str) -> str:
        index = self._knowledge.schema
        record = index.property(name) if index else None
        return f"{tidy(record.label)} ({name})" if record and record.label else name

    def _row(self, row: tuple[Term | None, ...]) -> str:
        return " | ".join(map(self.term, row))


def clipped(lines: Iterable[str]) -> str:
    """Return lines joined, within the bound; what is left out is said."""
    given = list(lines)
    text = "\n".join(given)
    if len(text) <= MOST_CHARS:
        return text
    kept: list[str] = []
    size = 0
    for line in given:
        size += len(line) + 1
        if size > MOST_CHARS:
            break
        kept.append(line)
    return "\n".join([*kept, f"({len(given) - len(kept)} more lines are left out)"])


def _ids(edges: Iterable[Edge]) -> str:
    given = list(edges)
    named = ", ".join(f"{each.property.name} ({each.property.id})" for each in given[:_NAMED_IDS])
    return f"{len(given)} external ids: {named}{', ...' if len(given) > _NAMED_IDS else ''}"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CELL else text[: _MOST_CELL - 1] + "…"
