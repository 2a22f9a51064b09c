"""The state of one reading: where it stands in the tokens, and what it has found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from proxy.syntax.names import Namespaces
from proxy.syntax.parts import Part, PartKind
from proxy.syntax.patterns import Binding, TriplePattern
from proxy.syntax.problems import Unreadable
from proxy.syntax.scopes import Scope, ScopeKind
from proxy.syntax.terms import Term
from proxy.syntax.tokens import Tokens


class Retoken(Exception):
    """The ``<`` at this (original) offset is less-than, not the start of an IRI. Never leaves this package."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


class Cursor:
    """The lowest layer of the grammar. Each layer above adds the productions of one chapter.

    Terms < Paths < Triples < Expressions < Groups < Queries < Updates. A method reads one production from the token
    at ``i`` on, leaves ``i`` behind it, or raises Unreadable. Recursion is bounded by the brackets that the tokeniser
    has counted; chains (lists, operators, UNION) are loops.
    """

    def __init__(self, tokens: Tokens, implied: Mapping[str, str]) -> None:
        self.tokens = tokens
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.closing = tokens.closing
        self.i = 0
        self.namespaces = Namespaces(dict(implied))
        self.known: dict[str, Term] = {}
        self.scope = _NOWHERE
        self.patterns: list[TriplePattern] = []
        self.bindings: list[Binding] = []
        self.scopes: list[Scope] = []
        self.parts: list[Part] = []
        self.functions: set[str] = set()

    def fail(self, *expected: str, hint: str = "") -> NoReturn:
        raise Unreadable(self.i, expected, hint)

    def take(self, kind: str) -> int:
        """Step over a token of this kind and return its index."""
        i = self.i
        if self.kinds[i] != kind:
            self.fail(kind if kind.isalpha() and kind.isupper() else f"'{kind}'")
        self.i = i + 1
        return i

    def accept(self, kind: str) -> bool:
        """Step over a token if it is of this kind."""
        if self.kinds[self.i] != kind:
            return False
        self.i += 1
        return True

    def note(self, kind: PartKind, first: int, name: str = "") -> None:
        """Keep where a part stands: from a token to where the reading is."""
        scope = None if self.scope is _NOWHERE else self.scope
        self.parts.append(Part(kind, scope, self.starts[first], self.ends[self.i - 1], name))

    def skip_brackets(self) -> None:
        """Step over a bracketed part, whatever it holds."""
        if self.i not in self.closing:
            self.fail("'('")
        self.i = self.closing[self.i] + 1

    def group(self, scope: Scope) -> None:
        """GroupGraphPattern [53], defined by the layer of groups; expressions need it for EXISTS."""
        raise NotImplementedError

    def open_scope(self, kind: ScopeKind, *, required: bool) -> Scope:
        """Make the scope of the group whose bracket is the next token, inside the present one."""
        start, end = self.extent()
        return Scope(kind, self.scope, required and self.scope.required, start, end)

    def extent(self) -> tuple[int, int]:
        """Give the offsets of the bracketed part that starts here."""
        if self.i not in self.closing:
            self.fail("'{'")
        return self.starts[self.i], self.ends[self.closing[self.i]]


_NOWHERE = Scope(ScopeKind.WHERE, None, False, 0, 0)
