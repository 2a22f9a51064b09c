"""Triples, flattened to patterns. Source: SPARQL 1.1 productions 75 to 105; SPARQL 1.2 reifiers and annotations."""

from __future__ import annotations

from proxy.syntax.path import Paths
from proxy.syntax.patterns import TriplePattern
from proxy.syntax.scopes import ScopeKind
from proxy.syntax.terms import (
    RDF_FIRST,
    RDF_NIL,
    RDF_REIFIES,
    RDF_REST,
    Blank,
    Iri,
    Predicate,
    Term,
    TripleTerm,
    Variable,
)

NODE_STARTS = frozenset(("variable", "name", "iri", "string", "number", "TRUE", "FALSE", "blank", "[", "(", "<<"))
_VERB_STARTS = frozenset(("variable", "name", "iri", "a", "^", "!", "("))
_WRITTEN = (ScopeKind.TEMPLATE, ScopeKind.DATA)
_STARS = frozenset(("~", "{|"))


class Triples(Paths):
    """Read triples and append each as a pattern of the present scope."""

    def triples(self) -> None:
        """TriplesSameSubjectPath [81], TriplesSameSubject [75]."""
        start = self.starts[self.i]
        whole = self.kinds[self.i] in ("[", "(", "<<")
        bare = self.kinds[self.i + 1] in ("]", ")")
        subject = self.node()
        # [ :p :o ] . and (1 2) . and << :s :p :o >> . stand alone; [] and () need a predicate.
        if whole and not bare and not isinstance(subject, TripleTerm) and self.kinds[self.i] not in _VERB_STARTS:
            return
        self.properties(subject, start)

    def properties(self, subject: Term, start: int) -> None:
        """PropertyListPathNotEmpty [83]; ``start`` is the offset where the first pattern begins."""
        kinds = self.kinds
        while True:
            first = self.i
            predicate = self._verb()
            self._objects(subject, predicate, start, (self.starts[first], self.ends[self.i - 1]))
            if kinds[self.i] != ";":
                return
            while kinds[self.i] == ";":
                self.i += 1
            if kinds[self.i] not in _VERB_STARTS:
                return
            start = self.starts[self.i]

    def _verb(self) -> Predicate:
        if self.kinds[self.i] not in _VERB_STARTS:
            self.fail("a property", "a variable")
        return self.verb() if self.scope.kind in _WRITTEN else self.predicate()

    def _objects(self, subject: Term, predicate: Predicate, start: int, verb: tuple[int, int]) -> None:
        """ObjectListPath [86], with the annotations of SPARQL 1.2."""
        while True:
            node = self.node()
            end = self.ends[self.i - 1]
            self.patterns.append(TriplePattern(subject, predicate, node, self.scope, start, end, verb))
            kind = self.kinds[self.i]
            if kind in _STARS:
                self._annotations(subject, predicate, node)
            elif kind == "OPTION":  # Virtuoso: OPTION (TRANSITIVE, t_in (?s), ...)
                self.i += 1
                self.skip_brackets()
            if self.kinds[self.i] != ",":
                return
            self.i += 1
            start = self.starts[self.i]

    def node(self) -> Term:
        """GraphNodePath [105]."""
        kind = self.kinds[self.i]
        if kind == "[" and self.kinds[self.i + 1] != "]":
            return self._blank_with_properties()
        if kind == "(" and self.kinds[self.i + 1] != ")":
            return self._collection()
        if kind == "<<" and self.kinds[self.i + 1] != "(":
            return self._reified()
        return self.term()

    def _blank_with_properties(self) -> Term:
        """BlankNodePropertyListPath [101]."""
        node = Blank(f"[{self.i}]")
        self.i += 1
        self.properties(node, self.starts[self.i])
        self.take("]")
        return node

    def _collection(self) -> Term:
        """CollectionPath [103]: one rdf:first and one rdf:rest for each member."""
        head = cell = Blank(f"[{self.i}]")
        self.i += 1
        while True:
            start = self.starts[self.i]
            node = self.node()
            end = self.ends[self.i - 1]
            following = RDF_NIL if self.kinds[self.i] == ")" else Blank(f"[{self.i}.cell]")
            self.patterns.append(TriplePattern(cell, RDF_FIRST, node, self.scope, start, end))
            self.patterns.append(TriplePattern(cell, RDF_REST, following, self.scope, start, end))
            if isinstance(following, Iri):
                self.i += 1
                return head
            cell = following

    def _reified(self) -> Term:
        """ReifiedTriple of SPARQL 1.2: its reifier, which rdf:reifies the triple."""
        start, label = self.starts[self.i], f"[{self.i}]"
        self.i += 1
        subject, predicate, node = self._part(), self.verb(), self._part()
        reifier = self._reifier(label) if self.kinds[self.i] == "~" else Blank(label)
        self.take(">>")
        self._reify(reifier, TripleTerm(subject, predicate, node), start)
        return reifier

    def _part(self) -> Term:
        """ReifiedTripleSubject and ReifiedTripleObject: no lists inside."""
        if self.kinds[self.i] == "<<" and self.kinds[self.i + 1] != "(":
            return self._reified()
        return self.term()

    def _reifier(self, label: str) -> Term:
        """Reifier: ``~`` and, if it has one, its name."""
        self.i += 1
        kind = self.kinds[self.i]
        if kind in ("variable", "iri", "name", "blank") or (kind == "[" and self.kinds[self.i + 1] == "]"):
            return self.term()
        return Blank(label)

    def _annotations(self, subject: Term, predicate: Predicate, node: Term) -> None:
        """Annotation of SPARQL 1.2: ``~ reifier`` and ``{| properties |}``, each block on the reifier before it."""
        if not isinstance(predicate, Iri | Variable):
            self.fail("'.'", "';'", "','", hint="only a triple with a single property can be annotated, not a path")
        triple = TripleTerm(subject, predicate, node)
        reifier: Term | None = None
        while self.kinds[self.i] in _STARS:
            start, label = self.starts[self.i], f"[{self.i}]"
            if self.kinds[self.i] == "~":
                reifier = self._reifier(label)
                self._reify(reifier, triple, start)
                continue
            self.i += 1
            if reifier is None:
                reifier = Blank(label)
                self._reify(reifier, triple, start)
            self.properties(reifier, self.starts[self.i])
            self.take("|}")
            reifier = None

    def _reify(self, reifier: Term, triple: TripleTerm, start: int) -> None:
        end = self.ends[self.i - 1]
        self.patterns.append(TriplePattern(reifier, RDF_REIFIES, triple, self.scope, start, end))
