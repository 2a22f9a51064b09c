"""A query that may be rewritten: what its parts are, and edits at their places. It never changes; an edit is a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from proxy.syntax import (
    Blank,
    Form,
    Part,
    PartKind,
    Scope,
    ScopeKind,
    Syntax,
    TriplePattern,
    Variable,
    read,
    spoken,
)

# What a group may end in for triples to follow without a dot.
_ENDED = frozenset((".", "{", "}"))
_MODIFIERS = (PartKind.ORDER, PartKind.LIMIT, PartKind.OFFSET)


class Edit(NamedTuple):
    """Text to put in place of a part of the query."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, eq=False)
class Draft:
    """A SELECT or an ASK. Offsets are those of ``text``."""

    syntax: Syntax

    @classmethod
    def of(cls, text: str, prefixes: Mapping[str, str]) -> Draft:
        """Read a query. Raises BadQuery."""
        return cls(read(text, prefixes=prefixes))

    @property
    def text(self) -> str:
        """The query itself."""
        return self.syntax.text

    @property
    def obstacle(self) -> str:
        """Why the query cannot be rewritten here; empty where it can."""
        syntax = self.syntax
        if syntax.form not in (Form.SELECT, Form.ASK):
            return "it is neither a SELECT nor an ASK"
        if not syntax.checked:
            return "our grammar does not read it"
        if syntax.datasets or any(scope.kind is ScopeKind.NAMED for scope in syntax.scopes):
            return "it names graphs or subqueries at its head"
        return ""

    @property
    def is_ask(self) -> bool:
        """Whether the answer is yes or no."""
        return self.syntax.form is Form.ASK

    @cached_property
    def root(self) -> Scope:
        """The outermost group."""
        return next(scope for scope in self.syntax.scopes if scope.parent is None and scope.kind is ScopeKind.WHERE)

    @cached_property
    def patterns(self) -> tuple[TriplePattern, ...]:
        """The triple patterns, but for those that other endpoints match."""
        return tuple(each for each in self.syntax.patterns if each.scope.service is None)

    @property
    def head(self) -> str:
        """What stands before the query's first word: prefixes."""
        return self.text[: self.opening.start]

    @cached_property
    def opening(self) -> Part:
        """The SELECT clause, or the word ASK."""
        kind = PartKind.ASK if self.is_ask else PartKind.SELECT
        return next(part for part in self.syntax.parts if part.kind is kind and part.scope is None)

    @property
    def columns(self) -> tuple[Part, ...]:
        """The columns of the query itself; none for `*`."""
        return self._own(PartKind.COLUMN)

    @property
    def filters(self) -> tuple[Part, ...]:
        """All FILTERs, those within groups too."""
        return tuple(part for part in self.syntax.parts if part.kind is PartKind.FILTER)

    def clause(self, kind: PartKind) -> Part | None:
        """Return a clause of the query itself."""
        return next(iter(self._own(kind)), None)

    def condition(self) -> Part | None:
        """Return the first condition of its ORDER BY."""
        clause = self.clause(PartKind.ORDER)
        conditions = self._own(PartKind.CONDITION)
        return next((each for each in conditions if clause and each.start >= clause.start), None)

    @property
    def aggregated(self) -> bool:
        """Whether it counts or groups, so that its rows are no longer the matches of its patterns."""
        return self.syntax.aggregates or self.syntax.grouped

    @cached_property
    def body(self) -> str:
        """What stands between the outer brackets, with the VALUES behind the query where there are any."""
        values = self.clause(PartKind.VALUES)
        inner = self.text[self.root.start + 1 : self.root.end - 1].strip()
        inner = f"{{ {inner} }}" if self._is_subselect(self.root) else inner
        # A comment may stand last.
        inner = inner + "\n" if "#" in inner.rpartition("\n")[2] else inner
        return f"{inner} {self.syntax.written(values)}" if values else inner

    @property
    def whole(self) -> str:
        """The query without its head, as a sub-select."""
        parts = [part.end for part in self.syntax.parts if part.scope is None]
        return self.text[self.opening.start : max(self.root.end, *parts)]

    @property
    def repeatable(self) -> bool:
        """Whether the body may stand twice in one query: labels of blank nodes may not."""
        return not any(
            isinstance(node, Blank) and not node.anonymous
            for pattern in self.syntax.patterns
            for node in (pattern.subject, pattern.object)
        )

    @cached_property
    def negates(self) -> bool:
        """Whether anything in it asks for what does not hold."""
        if any(scope.kind in (ScopeKind.NOT_EXISTS, ScopeKind.MINUS) for scope in self.syntax.scopes):
            return True
        conditions = (PartKind.FILTER, PartKind.HAVING, PartKind.BIND)
        said = (self.syntax.words(part) for part in self.syntax.parts if part.kind in conditions)
        return any(not {"!", "!=", "NOT"}.isdisjoint(words) for words in said)

    def said(self, kind: PartKind) -> Iterator[str]:
        """Yield the words of all parts of a kind."""
        for part in self.syntax.parts:
            if part.kind is kind:
                yield from self.syntax.words(part)

    def fresh(self, stem: str) -> str:
        """Return the name of a variable that the query does not have."""
        name, number = stem, 1
        while f"?{name}" in self.text or f"${name}" in self.text:
            number += 1
            name = f"{stem}{number}"
        return name

    def edited(self, *edits: Edit) -> str:
        """Return the query with parts of it replaced; an edit at a place comes after one that ends there."""
        parts: list[str] = []
        last = 0
        for edit in sorted(edits):
            parts += (self.text[last : edit.start], edit.text)
            last = edit.end
        return "".join((*parts, self.text[last:]))

    def without(self, *kinds: PartKind) -> list[Edit]:
        """Return edits that remove clauses of the query itself: by default those that order and cut."""
        clauses = (self.clause(kind) for kind in kinds or _MODIFIERS)
        return [Edit(each.start, each.end, "") for each in clauses if each is not None]

    def added(self, scope: Scope, triples: str = "", filters: str = "") -> list[Edit]:
        """Return edits that put triples, or conditions, at the end of a group."""
        end = scope.end - 1
        if self._is_subselect(scope):
            return [Edit(scope.start + 1, scope.start + 1, " {"), Edit(end, end, f"}} {triples} {filters} ")]
        last = spoken(self.text[scope.start : end])[-1]
        dot = " . " if triples and last not in _ENDED else " "
        return [Edit(end, end, f"{dot}{triples} {filters} ".replace("  ", " "))]

    def whole_of(self, pattern: TriplePattern) -> str:
        """Return a pattern with its subject and predicate, also where it shares them."""
        start, end = pattern.verb
        subject = str(pattern.subject) if pattern.start >= start else self.text[pattern.start : start]
        node = self.text[pattern.start if pattern.start >= end else end : pattern.end]
        return f"{subject.strip()} {self.text[start:end]} {node.strip()}"

    def alone(self, pattern: TriplePattern) -> bool:
        """Whether its predicate is written for it alone, and its subject has a name."""
        shared = sum(each.verb == pattern.verb for each in self.syntax.patterns) > 1
        return pattern.verb[1] > 0 and not shared and not isinstance(pattern.subject, Blank)

    def valued(self, pattern: TriplePattern, predicate: str, node: str) -> Edit | None:
        """Return an edit that gives a pattern another predicate and object; None where others share its words."""
        return Edit(pattern.verb[0], pattern.end, f"{predicate} {node}") if self.alone(pattern) else None

    def denied(self, pattern: TriplePattern) -> list[Edit] | None:
        """Return edits that move a pattern into FILTER NOT EXISTS; None where others share its words."""
        if not self.alone(pattern):
            return None
        said = f"FILTER NOT EXISTS {{ {self.whole_of(pattern)} }}"
        if pattern.start >= pattern.verb[0]:
            return [Edit(pattern.start, pattern.end, ""), *self.added(pattern.scope, filters=said)]
        after = next((each for each in self.syntax.patterns if each.start > pattern.end), None)
        if after is not None and spoken(self.text[pattern.end : after.start]) == (";",):
            subject = self.text[pattern.start : pattern.verb[0]]
            return [Edit(pattern.start, after.start, subject), *self.added(pattern.scope, filters=said)]
        return [Edit(pattern.start, pattern.end, said)]

    def variables(self) -> frozenset[str]:
        """Return the variables that stand in patterns as subjects and objects."""
        ends = (each for pattern in self.patterns for each in (pattern.subject, pattern.object))
        return frozenset(each.name for each in ends if isinstance(each, Variable))

    def order_place(self) -> int:
        """Return the place where an ORDER BY would stand."""
        before = (self.clause(PartKind.GROUP), self.clause(PartKind.HAVING))
        return max(self.root.end, *(part.end for part in before if part), 0)

    def _own(self, kind: PartKind) -> tuple[Part, ...]:
        return tuple(part for part in self.syntax.parts if part.kind is kind and part.scope is None)

    def _is_subselect(self, scope: Scope) -> bool:
        """Whether a group is nothing but a sub-select, so that nothing can stand beside it."""
        return any(part.kind is PartKind.SELECT and part.scope is scope for part in self.syntax.parts)
