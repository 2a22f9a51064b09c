"""SELECT, sub-selects and solution modifiers. Source: SPARQL 1.1 productions 7 to 9 and 13 to 28; WITH ... AS from
Blazegraph, bare aggregates and commas between columns from Virtuoso.
"""

from __future__ import annotations

from typing import NamedTuple

from proxy.syntax.group import Groups
from proxy.syntax.parts import PartKind
from proxy.syntax.scopes import Scope, ScopeKind
from proxy.syntax.words import AGGREGATES

_CONDITION_ENDS = frozenset(("}", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES", "BINDINGS", "end", "{", ";", ")"))


class Selection(NamedTuple):
    """A SELECT clause: its variables (None for ``*``) and whether it aggregates."""

    projection: tuple[str, ...] | None
    aggregates: bool


class Selects(Groups):
    """Read SELECT queries, whole ones and those in groups, and what may follow any WHERE."""

    selection: Selection | None = None
    grouped = False
    limit: int | None = None
    offset: int | None = None

    def where(self, scope: Scope) -> None:
        """WhereClause [17]."""
        self.accept("WHERE")
        if self.kinds[self.i] != "{":
            self.fail("WHERE", "'{'")
        self.group(scope)

    def root(self) -> Scope:
        """The scope of the outermost WHERE, whose bracket is here or behind the word."""
        brace = self.i + (self.kinds[self.i] == "WHERE")
        end = self.closing.get(brace, brace)
        return Scope(ScopeKind.WHERE, None, True, self.starts[brace], self.ends[end])

    def select_query(self) -> None:
        """SelectQuery [7]."""
        selection = self._select()
        self.datasets()
        named = self._named_subqueries()
        root = self.root()
        aggregated = self._aggregated(selection)
        self.where(Scope(root.kind, None, True, root.start, root.end, None, selection.projection, aggregated))
        self._read_named(named)
        self.selection = selection
        self.grouped = self.kinds[self.i] == "GROUP"
        self.limit, self.offset = self.modifiers()

    def subselect(self) -> None:
        """SubSelect [8]: one more scope, with what it lets out."""
        outer = self.scope
        selection = self._select()
        self.datasets()
        named = self._named_subqueries()
        aggregated = self._aggregated(selection)
        brace = self.root()
        scope = Scope(
            ScopeKind.SUBSELECT,
            outer,
            outer.required and not aggregated,
            brace.start,
            brace.end,
            None,
            selection.projection,
            aggregated,
        )
        self.where(scope)
        self._read_named(named)
        self.modifiers()
        self.trailing_values(scope)

    def _select(self) -> Selection:
        """SelectClause [9]."""
        start = self.take("SELECT")
        if self.kinds[self.i] in ("DISTINCT", "REDUCED"):
            self.i += 1
        if self.accept("*"):
            self.note(PartKind.SELECT, start)
            return Selection(None, False)
        names: list[str] = []
        first = self.i
        while (name := self._column_name(len(names))) is not None:
            names.append(name)
            self.note(PartKind.COLUMN, first, name)
            self.accept(",")  # Virtuoso
            first = self.i
        if not names:
            self.fail("a variable", "'('", "'*'")
        self.note(PartKind.SELECT, start)
        return Selection(tuple(names), not AGGREGATES.isdisjoint(self.kinds[start : self.i]))

    def _column_name(self, n: int) -> str | None:
        """Read one column of a SELECT; None where there is no further one."""
        kind = self.kinds[self.i]
        if kind == "variable":
            name = self.variable().name
            return self.variable().name if self.accept("AS") else name
        if kind == "(":
            self.i += 1
            self.expression()
            name = self.variable().name if self.accept("AS") else f"callret-{n}"
            self.take(")")
            return name
        if kind in AGGREGATES or (kind in ("name", "iri") and self.kinds[self.i + 1] == "("):
            self.operand()  # Virtuoso: SELECT COUNT(?x) AS ?n
            return self.variable().name if self.accept("AS") else f"callret-{n}"
        return None

    def datasets(self) -> None:
        """DatasetClause [13]."""
        while self.accept("FROM"):
            self.accept("NAMED")
            self.iri()
            if self.accept("OPTION"):
                self.skip_brackets()

    def _named_subqueries(self) -> list[tuple[int, str]]:
        """Blazegraph: step over ``WITH { SELECT ... } AS %name``; return where each starts, and its name."""
        found = []
        while self.accept("WITH"):
            found.append((self.i, ""))
            if self.kinds[self.i] != "{":
                self.fail("'{'")
            self.skip_brackets()
            self.take("AS")
            found[-1] = (found[-1][0], self.texts[self.take("solutions")])
        return found

    def _read_named(self, named: list[tuple[int, str]]) -> None:
        """Read the named subqueries, the last first: each stands inside the scope that INCLUDEs it."""
        after, outer = self.i, self.scope
        for brace, name in reversed(named):
            self.i = brace
            place = self.includes.get(name)
            start, end = self.extent()
            required = place is not None and place.required
            self.group(Scope(ScopeKind.NAMED, place or outer, required, start, end, name))
        self.i, self.scope = after, outer

    def _aggregated(self, selection: Selection) -> bool:
        """Tell whether the SELECT whose WHERE starts here aggregates without GROUP BY."""
        brace = self.i + (self.kinds[self.i] == "WHERE")
        after = self.closing.get(brace, -2) + 1
        kind = self.kinds[after]
        if kind == "GROUP":
            return False
        if selection.aggregates or kind == "HAVING":
            return True
        return kind == "ORDER" and not AGGREGATES.isdisjoint(self._kinds_until_end(after))

    def _kinds_until_end(self, i: int) -> list[str]:
        """List the kinds from a token to the end of the query or sub-select around it."""
        found = []
        while self.kinds[i] not in ("end", "}"):
            found.append(self.kinds[i])
            i = self.closing.get(i, i) + 1 if self.kinds[i] == "{" else i + 1
        return found

    def modifiers(self) -> tuple[int | None, int | None]:
        """SolutionModifier [18]: return LIMIT and OFFSET."""
        if self.kinds[self.i] == "GROUP":
            self._conditions(PartKind.GROUP)
        start = self.i
        if self.accept("HAVING"):
            self.constraint()
            while self.kinds[self.i] not in _CONDITION_ENDS:
                self.constraint()
            self.note(PartKind.HAVING, start)
        if self.kinds[self.i] == "ORDER":
            self._conditions(PartKind.ORDER)
        limit = offset = None
        while (word := self.kinds[self.i]) in ("LIMIT", "OFFSET"):
            start = self.i
            self.i += 1
            if word == "LIMIT":
                limit = self.count()
                self.note(PartKind.LIMIT, start)
            else:
                offset = self.count()
                self.note(PartKind.OFFSET, start)
        return limit, offset

    def _conditions(self, clause: PartKind) -> None:
        """GroupCondition [20] and OrderCondition [24], one or more."""
        start = self.i
        self.i += 1
        self.take("BY")
        self._condition()
        while self.kinds[self.i] not in _CONDITION_ENDS:
            self.accept(",")  # Virtuoso
            self._condition()
        self.note(clause, start)

    def _condition(self) -> None:
        start = self.i
        if self.kinds[self.i] in ("ASC", "DESC"):
            self.i += 1
        kind = self.kinds[self.i]
        if kind == "variable":
            self.i += 1
        elif kind == "(":
            self.i += 1
            self.expression()
            if self.accept("AS"):
                self.variable()
            self.take(")")
        else:
            self.constraint()
        self.note(PartKind.CONDITION, start)

    def trailing_values(self, scope: Scope | None) -> None:
        """ValuesClause [28]; BINDINGS is its name in the drafts, still known to Blazegraph."""
        start = self.i
        if self.kinds[start] in ("VALUES", "BINDINGS"):
            self.i += 1
            self.values(scope)
            self.note(PartKind.VALUES, start)
