"""The names of a Turtle document: its prefixes, its base, its blank nodes, and the terms of its tokens."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from proxy.results.bounds import MAX_PREFIXES
from proxy.results.reader import MalformedError
from proxy.results.terms import RDF, XSD, Term, blank, iri, literal
from proxy.results.turtle_terms import unescaped

_TYPE = iri(RDF + "type")
_LITERAL = re.compile(
    r"(\"\"\"|'''|\"|')(.*)\1[ \t]*"
    r"(?:\^\^[ \t]*(?P<datatype>.+)|@(?P<language>[A-Za-z]+(?:-[A-Za-z0-9]+)*)(?:--(?P<direction>ltr|rtl))?)?",
    re.DOTALL,
)
_LOCAL_ESCAPE = re.compile(r"\\(.)")


class Names:
    """Turn tokens into terms.

    Blank nodes without a label get one that no label of the document's own can equal as long as it does not begin
    in the same way; one that does is prefixed too.
    """

    def __init__(self) -> None:
        self.base = ""
        self.prefixes: dict[bytes, str] = {}
        self._blanks = 0

    def declare(self, name: bytes, token: bytes) -> None:
        """Bind a prefix, given with its colon, to the IRI of a token."""
        if not name.endswith(b":") or len(self.prefixes) >= MAX_PREFIXES:
            raise MalformedError("a prefix declaration is not whole, or there are too many")
        self.prefixes[name[:-1]] = self.reference(token)

    def fresh(self) -> Term:
        """Return a blank node that has no label in the document."""
        self._blanks += 1
        return blank(f"anon-{self._blanks}")

    def reference(self, token: bytes) -> str:
        """Return the IRI of a token `<...>`, resolved against the base if there is one."""
        if token[:1] != b"<" or token[:2] == b"<<":
            raise MalformedError("expected an IRI")
        text = unescaped(token[1:-1].decode())
        return urljoin(self.base, text) if self.base else text

    def name(self, token: bytes) -> str:
        """Return the IRI of a token `prefix:local`."""
        prefix, _, local = token.partition(b":")
        if prefix not in self.prefixes:
            raise MalformedError(f"the prefix {prefix.decode()!r} is not declared")
        return self.prefixes[prefix] + _LOCAL_ESCAPE.sub(r"\1", local.decode())

    def term(self, token: bytes) -> Term:
        """Return the term of a token. Raises MalformedError for what is no term."""
        first = token[:1]
        if first in (b'"', b"'"):
            return self._literal(token.decode())
        if first == b"<":
            return iri(self.reference(token))
        if first == b"_" and token[:2] == b"_:":
            label = token[2:].decode()
            return blank("anon-" + label if label.startswith("anon-") else label)
        if first in b"+-.0123456789" and len(token.strip(b".")):
            return self._number(token.decode())
        if token in (b"true", b"false"):
            return literal(token.decode(), XSD + "boolean")
        if b":" in token:
            return iri(self.name(token))
        raise MalformedError("expected a term")

    def verb(self, token: bytes) -> Term:
        """Return the predicate of a token."""
        if token == b"a":
            return _TYPE
        found = self.term(token)
        if found.kind != "iri":
            raise MalformedError("a predicate is no IRI")
        return found

    def _literal(self, text: str) -> Term:
        found = _LITERAL.fullmatch(text)
        if found is None:
            raise MalformedError("a literal is not whole")
        datatype = ""
        if token := found["datatype"]:
            datatype = self.reference(token.encode()) if token[0] == "<" else self.name(token.encode())
        return literal(unescaped(found[2]), datatype, found["language"] or "", found["direction"] or "")

    def _number(self, text: str) -> Term:
        kind = "double" if "e" in text.lower() else "decimal" if "." in text else "integer"
        return literal(text, XSD + kind)
