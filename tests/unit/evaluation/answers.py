"""Terms and tables for tests of figures, in few letters."""

from __future__ import annotations

from plugins.nl.contract import Table
from proxy.results.terms import XSD, Term, iri, literal

YES, NO, NOTHING = Table(boolean=True), Table(boolean=False), Table(variables=("x",))


def term(text: str) -> Term:
    """Return a term: `5^^integer` and `Rome@en` are literals, `"Rome"` is a plain one, all else is an IRI."""
    if text.startswith('"'):
        return literal(text.strip('"'))
    if "^^" in text:
        value, _, kind = text.partition("^^")
        return literal(value, XSD + kind)
    if "@" in text:
        value, _, tag = text.partition("@")
        return literal(value, language=tag)
    return iri(f"http://example.org/{text}")


def table(names: str, *rows: str) -> Table:
    """Return a table: the names of its variables, and rows of terms, both with spaces between; `-` is unbound."""
    made = tuple(tuple(None if each == "-" else term(each) for each in row.split()) for row in rows)
    return Table(variables=tuple(names.split()), rows=made, total=len(rows))
