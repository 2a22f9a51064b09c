"""Expressions. Source: SPARQL 1.1 productions 110 to 128, 70 and 71; SPARQL 1.2 ExprTripleTerm."""

from __future__ import annotations

from collections.abc import Callable

from proxy.syntax.cursor import Retoken
from proxy.syntax.scopes import Scope, ScopeKind
from proxy.syntax.terms import Iri
from proxy.syntax.triples import Triples
from proxy.syntax.words import AGGREGATES, BUILTINS

# What an operator is to the grammar. OR, AND and LIKE are Virtuoso's.
_OPERATORS = {
    **dict.fromkeys(("||", "&&", "OR", "AND"), "logical"),
    **dict.fromkeys(("=", "!=", "<", ">", "<=", ">=", "LIKE"), "relational"),
    **dict.fromkeys(("+", "-", "*", "/"), "arithmetic"),
}
_SIGNS = frozenset(("!", "-", "+"))


class Expressions(Triples):
    """Read expressions. They are checked, not kept: what matters of them is functions called and EXISTS groups."""

    def expression(self) -> None:
        """Expression [110] down to MultiplicativeExpression [117], in one loop.

        Precedence does not change what is well formed, but for one rule: comparisons do not chain.
        """
        compared = False
        while True:
            self.operand()
            while self.kinds[self.i] in ("IN", "NOT"):
                compared = self._membership(compared)
            kind = self.kinds[self.i]
            operator = _OPERATORS.get(kind)
            if operator is None:
                if kind == "number" and self.texts[self.i][0] in "+-":
                    continue  # 1 -2: the sign belongs to the number and is the operator too [116]
                if kind == "iri":
                    raise Retoken(self.starts[self.i])
                return
            if operator == "relational":
                if compared:
                    self.fail("'&&'", "'||'", "')'", hint="comparisons do not chain")
                compared = True
            elif operator == "logical":
                compared = False
            self.i += 1

    def _membership(self, compared: bool) -> bool:
        """IN and NOT IN of RelationalExpression [114]."""
        if compared:
            self.fail("'&&'", "'||'", "')'", hint="comparisons do not chain")
        self.accept("NOT")
        self.take("IN")
        self.arguments()
        return True

    def operand(self) -> None:
        """UnaryExpression [118] and PrimaryExpression [119]."""
        while self.kinds[self.i] in _SIGNS:
            self.i += 1
        kind = self.kinds[self.i]
        if kind == "variable":
            self.i += 1
        elif kind == "(":
            self.i += 1
            self.expression()
            self.take(")")
        else:
            read = _OPERANDS.get(kind)
            if read is None:
                self.word()
            else:
                read(self)

    def word(self) -> None:
        """BuiltInCall [121]."""
        kind = self.kinds[self.i]
        if kind in AGGREGATES:
            self._aggregate()
            return
        arity = BUILTINS.get(kind)
        if arity is None:
            self.fail("an expression")
        at = self.i
        self.i += 1
        if kind == "BOUND" and self.kinds[self.i + 1] != "variable":
            self.i += 1
            self.fail("a variable")
        given = self.arguments()
        if not arity[0] <= given <= arity[1]:
            self.i = at
            self.fail(f"{kind} with {_count(*arity)}", hint=f"it has {given} here")

    def arguments(self) -> int:
        """ArgList [71] and ExpressionList [72]: return the number of arguments."""
        self.take("(")
        if self.accept(")"):
            return 0
        self.accept("DISTINCT")
        given = 1
        self.expression()
        while self.kinds[self.i] == ",":
            self.i += 1
            self.expression()
            given += 1
        if self.kinds[self.i] == ";":  # Jena: AGG <iri>(?x ; separator = ",")
            self._separator()
        self.take(")")
        return given

    def _aggregate(self) -> None:
        """Aggregate [127]. ``COUNT(DISTINCT ?a, ?b)`` and ``GROUP_CONCAT(?x, ", ")`` are Virtuoso's."""
        kind = self.kinds[self.i]
        self.i += 1
        if kind == "AGG":
            self.iri()
        self.take("(")
        if self.kinds[self.i] in ("DISTINCT", "REDUCED"):
            self.i += 1
        if kind != "COUNT" or not self.accept("*"):
            self.expression()
            while self.accept(","):
                self.expression()
            if self.kinds[self.i] == ";":
                self._separator()
        self.take(")")

    def _separator(self) -> None:
        self.i += 1
        self.take("SEPARATOR")
        self.take("=")
        self.string()

    def _iri_or_function(self) -> None:
        """IriOrFunction [128]."""
        function = self.iri()
        if self.kinds[self.i] == "(":
            self.functions.add(function.value)
            self.arguments()

    def _constant(self) -> None:
        self.term()

    def _triple(self) -> None:
        """ExprTripleTerm of SPARQL 1.2."""
        self.term()

    def _exists(self) -> None:
        """ExistsFunc [125] as a part of an expression: the query may have solutions without it."""
        self.exists(ScopeKind.EXISTS, required=False)

    def _not_exists(self) -> None:
        """NotExistsFunc [126]."""
        if self.kinds[self.i + 1] != "EXISTS":
            self.i += 1
            self.fail("EXISTS")
        self.i += 1
        self.exists(ScopeKind.NOT_EXISTS, required=False)

    def exists(self, kind: ScopeKind, *, required: bool) -> None:
        """Read EXISTS and its group."""
        self.take("EXISTS")
        self.group(self.open_scope(kind, required=required))

    def function(self) -> None:
        """FunctionCall [70]."""
        function: Iri = self.iri()
        self.functions.add(function.value)
        self.arguments()

    def scoped(self, scope: Scope) -> Scope:
        """Enter a scope; return the one that was left."""
        outer, self.scope = self.scope, scope
        self.scopes.append(scope)
        return outer


def _count(low: int, high: int) -> str:
    if low == high:
        return f"{low} argument" + ("" if low == 1 else "s")
    return f"{low} or more arguments" if high > 9 else f"{low} to {high} arguments"


_OPERANDS: dict[str, Callable[[Expressions], None]] = {
    "iri": Expressions._iri_or_function,
    "name": Expressions._iri_or_function,
    "string": Expressions._constant,
    "number": Expressions._constant,
    "TRUE": Expressions._constant,
    "FALSE": Expressions._constant,
    "<<": Expressions._triple,
    "EXISTS": Expressions._exists,
    "NOT": Expressions._not_exists,
}
