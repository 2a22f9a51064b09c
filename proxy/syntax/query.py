"""Whole queries. Source: SPARQL 1.1 productions 1 to 12, 52, 73, 74; SPARQL 1.2 VersionDecl; DEFINE from Virtuoso."""

from __future__ import annotations

from proxy.syntax.parts import PartKind
from proxy.syntax.scopes import Scope, ScopeKind
from proxy.syntax.select import Selects
from proxy.syntax.terms import Iri, Variable
from proxy.syntax.triples import NODE_STARTS


class Queries(Selects):
    """Read the four forms of a query, and templates."""

    def query(self) -> None:
        """QueryUnit [1] and Query [2]."""
        self.prologue()
        kind = self.kinds[self.i]
        if kind == "SELECT":
            self.select_query()
        elif kind == "CONSTRUCT":
            self._construct()
        elif kind == "DESCRIBE":
            self._describe()
        elif kind == "ASK":
            self.i += 1
            self.note(PartKind.ASK, self.i - 1)
            self.datasets()
            self.where(self.root())
            self.modifiers()
        else:
            self.fail("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
        self.trailing_values(None)
        if self.kinds[self.i] != "end":
            self.fail("the end of the query")

    def prologue(self) -> None:
        """Prologue [4]."""
        while True:
            kind = self.kinds[self.i]
            if kind == "PREFIX":
                self._prefix()
            elif kind == "BASE":
                self.i += 1
                self.namespaces.base = self.namespaces.absolute(self.texts[self.take("iri")][1:-1])
                self.known.clear()
            elif kind == "VERSION":
                self.i += 1
                self.string()
            elif kind == "DEFINE":
                self._define()
            else:
                return

    def _prefix(self) -> None:
        """PrefixDecl [6]."""
        self.i += 1
        name = self.texts[self.i]
        if self.kinds[self.i] != "name" or not name.endswith(":"):
            self.fail("a prefix such as 'ex:'")
        self.i += 1
        if self.kinds[self.i] != "iri":
            self.fail("an IRI in angle brackets")
        self.namespaces.declare(name[:-1], self.texts[self.i][1:-1])
        self.i += 1
        if self.known:
            self.known.clear()

    def _define(self) -> None:
        """Virtuoso: ``DEFINE name value, value``."""
        self.i += 1
        self.take("name")
        self.term()
        while self.accept(","):
            self.term()

    def _construct(self) -> None:
        """ConstructQuery [10]."""
        self.i += 1
        if self.kinds[self.i] == "{":
            start, end = self.extent()
            self.template(Scope(ScopeKind.TEMPLATE, None, False, start, end))
            self.datasets()
            self.where(self.root())
        else:
            self.datasets()
            self.take("WHERE")
            self.plain(self.root())
        self.limit, self.offset = self.modifiers()

    def template(self, scope: Scope) -> None:
        """ConstructTemplate [73], TriplesTemplate [52], Quads [50]; graphs inside one are Jena's for CONSTRUCT."""
        outer = self.scoped(scope)
        self.take("{")
        while self.kinds[self.i] != "}":
            if self.kinds[self.i] == "GRAPH":
                self._template_graph(scope)
                continue
            if self.kinds[self.i] not in NODE_STARTS:
                self.fail("a triple", "'}'")
            self.triples()
            if not self.accept(".") and self.kinds[self.i] in NODE_STARTS:
                self.fail("'.'", "';'", "','", "'}'")
        self.i += 1
        self.scope = outer

    def plain(self, scope: Scope) -> None:
        """Read triples that are pattern and template at once: no paths, no filters."""
        first = len(self.patterns)
        self.template(scope)
        for pattern in self.patterns[first:]:
            if not isinstance(pattern.predicate, Iri | Variable):
                self.fail("no path", hint="the short form of CONSTRUCT and DELETE takes plain triples only")

    def _template_graph(self, scope: Scope) -> None:
        """QuadsNotTriples [51]."""
        self.i += 1
        name = self.name()
        start, end = self.extent()
        kind = ScopeKind.GRAPH if scope.kind is ScopeKind.WHERE else scope.kind
        self.template(Scope(kind, scope, scope.required, start, end, name))
        self.accept(".")

    def _describe(self) -> None:
        """DescribeQuery [11]."""
        self.i += 1
        if not self.accept("*"):
            self.name()
            while self.kinds[self.i] in ("variable", "iri", "name"):
                self.name()
        self.datasets()
        if self.kinds[self.i] in ("WHERE", "{"):
            self.where(self.root())
        self.limit, self.offset = self.modifiers()
