"""What a query says of its variables: the constants that they are bound to, and the classes of their type patterns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from plugins.schema.vocabulary import Vocabulary
from proxy.syntax import (
    Blank,
    Iri,
    Path,
    Predicate,
    Repeat,
    Scope,
    ScopeKind,
    Sequence,
    Syntax,
    Term,
    TriplePattern,
    Variable,
)

# A variable with more constants or classes than this is not judged.
MOST_TERMS = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class TypePattern:
    """A pattern that says the type of a variable: the classes that it names, more than one where VALUES binds it."""

    pattern: TriplePattern
    classes: tuple[str, ...]


class Variables:
    """Look up a variable, as seen from a scope: in that scope and those around it, as far as its name reaches."""

    def __init__(self, syntax: Syntax, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._root = next((scope for scope in syntax.scopes if scope.kind is ScopeKind.WHERE), None)
        self._whole_rows = not (syntax.aggregates or syntax.grouped)
        self._constants: dict[tuple[str, Scope], tuple[Term, ...]] = {}
        self._types: defaultdict[tuple[str, Scope], list[TypePattern]] = defaultdict(list)
        self._bind(syntax)
        self._type(syntax)

    def constants(self, term: Term, scope: Scope) -> tuple[Term, ...]:
        """Return the constants that a term can be: itself, or those that BIND or VALUES gives; nothing if unknown."""
        if not isinstance(term, Variable | Blank):
            return (term,)
        for place in visible(term, scope):
            found = self._constants.get((str(term), place))
            if found is not None:
                return found
        return ()

    def types(self, term: Term, scope: Scope) -> list[TypePattern]:
        """Return the type patterns of a variable."""
        if not isinstance(term, Variable | Blank):
            return []
        return [each for place in visible(term, scope) for each in self._types.get((str(term), place), ())]

    def _bind(self, syntax: Syntax) -> None:
        for binding in syntax.bindings:
            scope = binding.scope
            if scope is None:
                # VALUES behind the query joins the rows; counted rows are no longer those of the patterns.
                scope = self._root if self._whole_rows else None
            elif not scope.start <= binding.start < scope.end:
                # VALUES behind a sub-select joins what that lets out.
                continue
            terms = tuple(term for term in binding.terms if term is not None)
            if scope is not None and len(terms) == len(binding.terms) <= MOST_TERMS:
                self._constants.setdefault((str(binding.variable), scope), terms)

    def _type(self, syntax: Syntax) -> None:
        for pattern in syntax.patterns:
            subject = pattern.subject
            if not isinstance(subject, Variable | Blank) or pattern.written or not self.says_type(pattern.predicate):
                continue
            given = self.constants(pattern.object, pattern.scope)
            classes = tuple(term.value for term in given if isinstance(term, Iri))
            known = self._types[str(subject), pattern.scope]
            if classes and len(classes) == len(given) and len(known) < MOST_TERMS:
                known.append(TypePattern(pattern, classes))

    def says_type(self, predicate: Predicate) -> bool:
        """Whether a predicate leads from an instance to its class or one above: `wdt:P31/wdt:P279*`, `a`."""
        types, steps = self._vocabulary.types, predicate.steps if isinstance(predicate, Sequence) else (predicate,)
        written = tuple(step.value if isinstance(step, Iri) else "" for step in steps)
        if written[0] in types:
            return all(map(self._climbs, steps[1:]))
        statement = self._vocabulary.statement_type
        return bool(statement) and written[:2] == statement and all(map(self._climbs, steps[2:]))

    def _climbs(self, step: Path | Variable) -> bool:
        inner = step.path if isinstance(step, Repeat) else step
        return isinstance(inner, Iri) and inner.value in self._vocabulary.superclasses


def visible(term: Variable | Blank, scope: Scope) -> Iterator[Scope]:
    """Yield the scopes in which a name means the same as here, the nearest first.

    A blank node is one only within its group; a sub-select hides the variables that it does not let out.
    """
    yield scope
    if isinstance(term, Blank):
        return
    for around in scope.ancestors():
        if scope.kind is ScopeKind.SUBSELECT and scope.projection is not None and term.name not in scope.projection:
            return
        scope = around
        yield scope
