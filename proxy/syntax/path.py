"""Property paths. Source: SPARQL 1.1 productions 88 to 96; ``{n,m}`` from its drafts (Jena, Virtuoso, Stardog)."""

from __future__ import annotations

from proxy.syntax.nodes import Terms
from proxy.syntax.terms import RDF_TYPE, Alternative, Inverse, Iri, NegatedSet, Path, Predicate, Repeat, Sequence

_OPERATORS = frozenset(("/", "|", "*", "+", "?", "{"))
_REPEATS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class Paths(Terms):
    """Read the predicate of a pattern: a variable or a path."""

    def predicate(self) -> Predicate:
        """VerbPath [84] or VerbSimple [85]."""
        kind = self.kinds[self.i]
        if kind == "variable":
            return self.variable()
        if kind in ("name", "iri", "a") and self.kinds[self.i + 1] not in _OPERATORS:
            verb = self.verb()
            assert isinstance(verb, Iri)
            return verb
        return self.path()

    def path(self) -> Path:
        """PathAlternative [89]."""
        first = self._sequence()
        if self.kinds[self.i] != "|":
            return first
        options = [first]
        while self.accept("|"):
            options.append(self._sequence())
        return Alternative(tuple(options))

    def _sequence(self) -> Path:
        """PathSequence [90]."""
        first = self._element()
        if self.kinds[self.i] != "/":
            return first
        parts = [first]
        while self.accept("/"):
            parts.append(self._element())
        return Sequence(tuple(parts))

    def _element(self) -> Path:
        """PathEltOrInverse [92], PathElt [91], PathPrimary [94]."""
        inverse = self.accept("^")
        kind = self.kinds[self.i]
        path: Path
        if kind == "(":
            self.i += 1
            path = self.path()
            self.take(")")
        elif kind == "!":
            self.i += 1
            path = self._negated()
        else:
            path = self._property()
        repeat = self._repeat()
        if repeat is not None:
            path = Repeat(path, *repeat)
        return Inverse(path) if inverse else path

    def _property(self) -> Iri:
        if self.kinds[self.i] == "a":
            self.i += 1
            return RDF_TYPE
        if self.kinds[self.i] not in ("iri", "name"):
            self.fail("a property")
        return self.iri()

    def _repeat(self) -> tuple[int, int | None] | None:
        """PathMod [93], or bounds in braces."""
        kind = self.kinds[self.i]
        if kind in _REPEATS:
            self.i += 1
            return _REPEATS[kind]
        if kind != "{":
            return None
        self.i += 1
        low = self.count() if self.kinds[self.i] == "number" else 0
        high: int | None = low
        if self.accept(","):
            high = self.count() if self.kinds[self.i] == "number" else None
        self.take("}")
        return low, high

    def count(self) -> int:
        """[146] INTEGER."""
        written = self.texts[self.i]
        if self.kinds[self.i] != "number" or not written.isdigit() or len(written) > 18:
            self.fail("a whole number")
        self.i += 1
        return int(written)

    def _negated(self) -> NegatedSet:
        """PathNegatedPropertySet [95]."""
        if not self.accept("("):
            return NegatedSet((self._member(),))
        members: list[Iri | Inverse] = []
        if self.kinds[self.i] != ")":
            members.append(self._member())
            while self.accept("|"):
                members.append(self._member())
        self.take(")")
        return NegatedSet(tuple(members))

    def _member(self) -> Iri | Inverse:
        """PathOneInPropertySet [96]."""
        return Inverse(self._property()) if self.accept("^") else self._property()
