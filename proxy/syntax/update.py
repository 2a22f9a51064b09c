"""Updates. Source: SPARQL 1.1 productions 3 and 29 to 52; INTO, FROM and MODIFY from Virtuoso."""

from __future__ import annotations

from collections.abc import Callable

from proxy.syntax.query import Queries
from proxy.syntax.scopes import Scope, ScopeKind


class Updates(Queries):
    """Read a sequence of updates."""

    def update(self) -> None:
        """UpdateUnit [3] and Update [29]."""
        while True:
            self.prologue()
            if self.kinds[self.i] == "end":
                return
            read = _OPERATIONS.get(self.kinds[self.i])
            if read is None:
                self.fail("an update such as INSERT or DELETE")
            read(self)
            if not self.accept(";"):
                break
        if self.kinds[self.i] != "end":
            self.fail("';'", "the end of the update")

    def _load(self) -> None:
        """Load [31]."""
        self.i += 1
        self.accept("SILENT")
        self.iri()
        if self.accept("INTO"):
            self.take("GRAPH")
            self.iri()

    def _clear(self) -> None:
        """Clear [32] and Drop [33]."""
        self.i += 1
        self.accept("SILENT")
        if self.kinds[self.i] in ("DEFAULT", "NAMED", "ALL"):
            self.i += 1
            return
        if self.kinds[self.i] != "GRAPH":
            self.fail("GRAPH", "DEFAULT", "NAMED", "ALL")
        self.i += 1
        self.iri()

    def _create(self) -> None:
        """Create [34]."""
        self.i += 1
        self.accept("SILENT")
        self.take("GRAPH")
        self.iri()

    def _transfer(self) -> None:
        """Add [35], Move [36], Copy [37]."""
        self.i += 1
        self.accept("SILENT")
        self._graph_or_default()
        self.take("TO")
        self._graph_or_default()

    def _graph_or_default(self) -> None:
        """GraphOrDefault [45]."""
        if not self.accept("DEFAULT"):
            self.accept("GRAPH")
            self.iri()

    def _with(self) -> None:
        """Modify [41] with its graph."""
        self.i += 1
        self.iri()
        if self.kinds[self.i] not in ("DELETE", "INSERT"):
            self.fail("DELETE", "INSERT")
        self._modify()

    def _delete(self) -> None:
        """DeleteData [39], DeleteWhere [40], Modify [41]."""
        following = self.kinds[self.i + 1]
        if following == "DATA":
            self.i += 2
            self._data()
        elif following == "WHERE":
            self.i += 1
            root = self.root()
            self.i += 1
            self.plain(root)
        else:
            self._modify()

    def _insert(self) -> None:
        """InsertData [38], Modify [41]."""
        if self.kinds[self.i + 1] == "DATA":
            self.i += 2
            self._data()
        else:
            self._modify()

    def _data(self) -> None:
        """QuadData [49]: no variables."""
        if self.accept("INTO") or self.accept("FROM"):  # Virtuoso
            self.accept("GRAPH")
            self.iri()
        first = len(self.patterns)
        start, end = self.extent()
        begin = self.i
        self.template(Scope(ScopeKind.DATA, None, False, start, end))
        if "variable" in self.kinds[begin : self.i] and len(self.patterns) > first:
            self.i = self.kinds.index("variable", begin)
            self.fail("a constant", hint="DATA can hold no variables: use INSERT { ... } WHERE { ... }")

    def _modify(self) -> None:
        """Modify [41]: DELETE and INSERT clauses, USING, WHERE."""
        if self.accept("MODIFY"):  # Virtuoso
            self.accept("GRAPH")
            self.iri()
        virtuoso = False
        for word in ("DELETE", "INSERT"):
            if self.accept(word):
                if self.kinds[self.i] in ("INTO", "FROM", "IN"):  # Virtuoso: INSERT INTO GRAPH <g> { ... }
                    self.i += 1
                    self.accept("GRAPH")
                    self.iri()
                    virtuoso = True
                start, end = self.extent()
                self.template(Scope(ScopeKind.TEMPLATE, None, False, start, end))
        while self.accept("USING"):
            self.accept("NAMED")
            self.iri()
        if virtuoso and self.kinds[self.i] not in ("WHERE", "{"):
            return
        if self.kinds[self.i] != "WHERE":
            self.fail("WHERE")
        self.where(self.root())


_OPERATIONS: dict[str, Callable[[Updates], None]] = {
    "LOAD": Updates._load,
    "CLEAR": Updates._clear,
    "DROP": Updates._clear,
    "CREATE": Updates._create,
    "ADD": Updates._transfer,
    "MOVE": Updates._transfer,
    "COPY": Updates._transfer,
    "WITH": Updates._with,
    "INSERT": Updates._insert,
    "DELETE": Updates._delete,
    "MODIFY": Updates._modify,
}
