"""Group graph patterns. Source: SPARQL 1.1 productions 53 to 69; LATERAL, LET and UNFOLD from Jena, INCLUDE from
Blazegraph, OPTION from Virtuoso.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proxy.syntax.expression import Expressions
from proxy.syntax.parts import PartKind
from proxy.syntax.patterns import Binding
from proxy.syntax.scopes import Scope, ScopeKind
from proxy.syntax.terms import Term
from proxy.syntax.tokens import Tokens
from proxy.syntax.triples import NODE_STARTS
from proxy.syntax.words import AGGREGATES, BUILTINS

_CONSTANTS = frozenset(("iri", "name", "string", "number", "TRUE", "FALSE"))


class Groups(Expressions):
    """Read groups: each opens a scope."""

    def __init__(self, tokens: Tokens, implied: Mapping[str, str]) -> None:
        super().__init__(tokens, implied)
        self.includes: dict[str, Scope] = {}

    def group(self, scope: Scope) -> None:
        """GroupGraphPattern [53]."""
        outer = self.scoped(scope)
        self.take("{")
        if self.kinds[self.i] == "SELECT":
            self.subselect()
        else:
            self._body()
        if self.kinds[self.i] != "}":
            self.fail("a triple pattern", "a keyword such as OPTIONAL", "'}'")
        self.i += 1
        self.scope = outer

    def subselect(self) -> None:
        """SubSelect [8], defined by the layer of queries."""
        raise NotImplementedError

    def _body(self) -> None:
        """GroupGraphPatternSub [54] and TriplesBlock [55]: a dot between triples, at most one after a pattern."""
        kinds = self.kinds
        while True:
            kind = kinds[self.i]
            if kind in NODE_STARTS:
                self.triples()
                if kinds[self.i] == ".":
                    self.i += 1
                elif kinds[self.i] in NODE_STARTS:
                    self.fail("'.'", "';'", "','", "'}'")
                continue
            read = _ELEMENTS.get(kind)
            if read is None:
                return
            read(self)
            if kinds[self.i] == ".":
                self.i += 1

    def _union(self) -> None:
        """GroupOrUnionGraphPattern [67]."""
        alone = self.kinds[self.closing[self.i] + 1] != "UNION"
        kind = ScopeKind.GROUP if alone else ScopeKind.UNION
        self.group(self.open_scope(kind, required=alone))
        while self.accept("UNION"):
            self.group(self.open_scope(ScopeKind.UNION, required=False))
        if self.accept("OPTION"):
            self.skip_brackets()

    def _optional(self) -> None:
        """OptionalGraphPattern [57]."""
        self.i += 1
        self.group(self.open_scope(ScopeKind.OPTIONAL, required=False))

    def _minus(self) -> None:
        """MinusGraphPattern [66]."""
        self.i += 1
        self.group(self.open_scope(ScopeKind.MINUS, required=False))

    def _lateral(self) -> None:
        self.i += 1
        self.group(self.open_scope(ScopeKind.LATERAL, required=True))

    def _graph(self) -> None:
        """GraphGraphPattern [58]."""
        self.i += 1
        self._named(ScopeKind.GRAPH, required=True)

    def _service(self) -> None:
        """ServiceGraphPattern [59]; a SILENT one that fails has one empty solution."""
        self.i += 1
        silent = self.accept("SILENT")
        self._named(ScopeKind.SERVICE, required=not silent)

    def _named(self, kind: ScopeKind, *, required: bool) -> None:
        name = self.name()
        start, end = self.extent()
        self.group(Scope(kind, self.scope, required and self.scope.required, start, end, name))

    def _filter(self) -> None:
        """Filter [68]; an EXISTS that is the whole condition must hold for every solution."""
        start = self.i
        self.i += 1
        kind = self.kinds[self.i]
        if kind == "EXISTS":
            self.exists(ScopeKind.EXISTS, required=True)
        elif kind == "(" and self._sole_exists():
            self.i += 1
            self.exists(ScopeKind.EXISTS, required=True)
            self.take(")")
        else:
            self.constraint()
        self.note(PartKind.FILTER, start)

    def _sole_exists(self) -> bool:
        i = self.i
        return self.kinds[i + 1] == "EXISTS" and self.closing.get(i + 2, -2) + 1 == self.closing[i]

    def constraint(self) -> None:
        """Constraint [69]."""
        kind = self.kinds[self.i]
        if kind in ("iri", "name"):
            self.function()
        elif kind == "(":
            self.i += 1
            self.expression()
            self.take(")")
        elif kind in ("EXISTS", "NOT"):
            self.operand()
        elif kind in BUILTINS or kind in AGGREGATES:
            self.word()
        else:
            self.fail("'('", "a function")

    def _bind(self) -> None:
        """Bind [60]."""
        first = self.i
        self.i += 1
        self.take("(")
        constant = self._constant_until("AS")
        self.take("AS")
        start = self.starts[self.i]
        variable = self.variable()
        self.take(")")
        self.note(PartKind.BIND, first, variable.name)
        if constant is not None:
            self.bindings.append(Binding(variable, (constant,), self.scope, start))

    def _constant_until(self, follower: str) -> Term | None:
        """Read an expression; return its term if it is a single constant."""
        start = self.i
        if self.kinds[start] in _CONSTANTS:
            term = self.term()
            if self.kinds[self.i] == follower:
                return term
            self.i = start
        self.expression()
        return None

    def _let(self) -> None:
        """Jena: ``LET (?x := expression)``."""
        self.i += 1
        self.take("(")
        start = self.starts[self.i]
        variable = self.variable()
        if self.texts[self.i] != ":":  # the empty prefixed name, to the tokeniser
            self.fail("':='")
        self.i += 1
        self.take("=")
        constant = self._constant_until(")")
        self.take(")")
        if constant is not None:
            self.bindings.append(Binding(variable, (constant,), self.scope, start))

    def _unfold(self) -> None:
        """Jena: ``UNFOLD (list AS ?item, ?index)``."""
        self.i += 1
        self.take("(")
        self.expression()
        self.take("AS")
        self.variable()
        if self.accept(","):
            self.variable()
        self.take(")")

    def _include(self) -> None:
        """Blazegraph: the solutions of a named subquery come in here."""
        self.i += 1
        name = self.texts[self.take("solutions")]
        before = self.includes.get(name)
        if before is None or not before.required:
            self.includes[name] = self.scope

    def _values(self) -> None:
        self.i += 1
        self.values(self.scope)

    def values(self, scope: Scope | None) -> None:
        """DataBlock [62], after VALUES; ``scope`` is None for the one behind the whole query."""
        start = self.starts[self.i]
        if self.kinds[self.i] == "variable":
            variables = [self.variable()]
            rows = self._column()
        else:
            self.take("(")
            variables = []
            while self.kinds[self.i] == "variable":
                variables.append(self.variable())
            self.take(")")
            rows = self._rows(len(variables))
        columns = zip(*rows, strict=True) if rows else ((),) * len(variables)
        for variable, column in zip(variables, columns, strict=False):
            self.bindings.append(Binding(variable, column, scope, start))

    def _column(self) -> list[tuple[Term | None, ...]]:
        """InlineDataOneVar [63]."""
        self.take("{")
        rows: list[tuple[Term | None, ...]] = []
        while self.kinds[self.i] != "}":
            rows.append((self._value(),))
        self.i += 1
        return rows

    def _rows(self, width: int) -> list[tuple[Term | None, ...]]:
        """InlineDataFull [64]."""
        self.take("{")
        rows = []
        while self.kinds[self.i] == "(":
            self.i += 1
            row: list[Term | None] = []
            while self.kinds[self.i] != ")":
                row.append(self._value())
            if len(row) != width:
                self.fail(f"{width} values", hint=f"this row has {len(row)}")
            self.i += 1
            rows.append(tuple(row))
        self.take("}")
        return rows

    def _value(self) -> Term | None:
        """DataBlockValue [65]."""
        kind = self.kinds[self.i]
        if kind == "UNDEF":
            self.i += 1
            return None
        if kind not in _CONSTANTS and kind != "<<":
            self.fail("a constant", "UNDEF")
        return self.term()


_ELEMENTS: dict[str, Callable[[Groups], None]] = {
    "{": Groups._union,
    "FILTER": Groups._filter,
    "OPTIONAL": Groups._optional,
    "BIND": Groups._bind,
    "VALUES": Groups._values,
    "SERVICE": Groups._service,
    "MINUS": Groups._minus,
    "GRAPH": Groups._graph,
    "LATERAL": Groups._lateral,
    "LET": Groups._let,
    "UNFOLD": Groups._unfold,
    "INCLUDE": Groups._include,
}
