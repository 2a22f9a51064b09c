"""Terms. Source: SPARQL 1.1 productions 106 to 110 and 129 to 138, SPARQL 1.2 TripleTerm and LANG_DIR."""

from __future__ import annotations

import re
from collections.abc import Callable

from proxy.syntax.cursor import Cursor
from proxy.syntax.terms import RDF_NIL, RDF_TYPE, XSD, Blank, Iri, Literal, Term, TripleTerm, Variable

_ESCAPE = re.compile(r"\\([\s\S])")
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_TRUE, _FALSE = Literal("true", XSD + "boolean"), Literal("false", XSD + "boolean")


class Terms(Cursor):
    """Read single terms. A token that is a whole term by itself is made into one once per text."""

    def term(self) -> Term:
        """VarOrTerm [106]."""
        i = self.i
        known = self.known.get(self.texts[i])
        if known is not None:
            self.i = i + 1
            return known
        read = _READERS.get(self.kinds[i])
        if read is None:
            self.fail("a term")
        return read(self)

    def iri(self) -> Iri:
        """[136] iri."""
        if self.kinds[self.i] not in ("iri", "name"):
            self.fail("an IRI")
        term = self.term()
        assert isinstance(term, Iri)
        return term

    def variable(self) -> Variable:
        """[108] Var."""
        if self.kinds[self.i] != "variable":
            self.fail("a variable")
        term = self.term()
        assert isinstance(term, Variable)
        return term

    def name(self) -> Variable | Iri:
        """[107] VarOrIri."""
        if self.kinds[self.i] == "variable":
            return self.variable()
        if self.kinds[self.i] not in ("iri", "name"):
            self.fail("a variable", "an IRI")
        return self.iri()

    def verb(self) -> Variable | Iri:
        """[78] Verb."""
        if self.kinds[self.i] == "a":
            self.i += 1
            return RDF_TYPE
        return self.name()

    def string(self) -> str:
        """[135] String, its escapes undone."""
        if self.kinds[self.i] != "string":
            self.fail("a string")
        written = self.texts[self.i]
        value = written[3:-3] if written[:3] in ('"""', "'''") and len(written) > 5 else written[1:-1]
        if "\\" in value:
            value = _ESCAPE.sub(self._escape, value)
        self.i += 1
        return value

    def _escape(self, match: re.Match[str]) -> str:
        character = _ESCAPES.get(match[1])
        if character is None:
            self.fail("a string", hint=f"\\{match[1]} is no escape: write \\\\{match[1]} for a backslash")
        return character

    def _variable(self) -> Term:
        return self._keep(Variable(self.texts[self.i][1:]))

    def _iri(self) -> Term:
        return self._keep(Iri(self.namespaces.absolute(self.texts[self.i][1:-1])))

    def _name(self) -> Term:
        written = self.texts[self.i]
        return self._keep(Iri(self.namespaces.expand(written) or written))

    def _blank(self) -> Term:
        return self._keep(Blank(self.texts[self.i][2:]))

    def _number(self) -> Term:
        written = self.texts[self.i]
        kind = "double" if "e" in written or "E" in written else "decimal" if "." in written else "integer"
        return self._keep(Literal(written, XSD + kind))

    def _boolean(self) -> Term:
        return self._keep(_TRUE if self.kinds[self.i] == "TRUE" else _FALSE)

    def _keep(self, term: Term) -> Term:
        self.known[self.texts[self.i]] = term
        self.i += 1
        return term

    def _literal(self) -> Term:
        """[129] RDFLiteral."""
        value = self.string()
        kind = self.kinds[self.i]
        if kind == "language":
            language, _, direction = self.texts[self.i][1:].partition("--")
            self.i += 1
            datatype = "http://www.w3.org/1999/02/22-rdf-syntax-ns#" + ("dirLangString" if direction else "langString")
            return Literal(value, datatype, language, direction)
        if kind == "^^":
            self.i += 1
            return Literal(value, self.iri().value)
        return Literal(value)

    def _anonymous(self) -> Term:
        """[163] ANON."""
        label = f"[{self.i}]"
        self.i += 1
        self.take("]")
        return Blank(label)

    def _nil(self) -> Term:
        """[161] NIL."""
        self.i += 1
        self.take(")")
        return RDF_NIL

    def _triple_term(self) -> Term:
        """TripleTerm of SPARQL 1.2; ``<< s p o >>``, as RDF-star had it, is read in the same way."""
        self.i += 1
        bracketed = self.accept("(")
        subject, predicate, node = self.term(), self.verb(), self.term()
        if bracketed:
            self.take(")")
        self.take(">>")
        return TripleTerm(subject, predicate, node)


_READERS: dict[str, Callable[[Terms], Term]] = {
    "variable": Terms._variable,
    "iri": Terms._iri,
    "name": Terms._name,
    "string": Terms._literal,
    "number": Terms._number,
    "TRUE": Terms._boolean,
    "FALSE": Terms._boolean,
    "blank": Terms._blank,
    "[": Terms._anonymous,
    "(": Terms._nil,
    "<<": Terms._triple_term,
}
