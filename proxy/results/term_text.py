"""Terms as text in N-Triples, Turtle and TSV."""

from __future__ import annotations

import re

from proxy.results.terms import XSD, Term

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL = re.compile(r'[\\"\n\r\t]')
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_LABEL = re.compile(r"(?!x-)[A-Za-z][A-Za-z0-9_-]*")
_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9]")
# Numbers may stand bare where Turtle's short form says the same; `5.` and `INF` may not.
_BARE = {
    XSD + "integer": re.compile(r"[+-]?[0-9]+"),
    XSD + "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    XSD + "double": re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)[eE][+-]?[0-9]+"),
}


def label_text(label: str) -> str:
    """Return a label that every format can hold. Different labels stay different, equal ones equal.

    Virtuoso's `nodeID://b1` is no label in Turtle, and one that begins with a digit none in RDF/XML.
    """
    if _LABEL.fullmatch(label):
        return label
    return "x-" + _NOT_IN_LABEL.sub(lambda found: f"-{ord(found[0]):x}-", label)


def iri_text(value: str) -> str:
    """Return an IRI in angle brackets, with escapes for what may not stand there."""
    if _NOT_IN_IRI.search(value):
        value = _NOT_IN_IRI.sub(lambda found: f"\\u{ord(found[0]):04X}", value)
    return f"<{value}>"


def quoted(value: str) -> str:
    """Return a text in quotes."""
    if _SPECIAL.search(value):
        value = _SPECIAL.sub(lambda found: _ESCAPES[found[0]], value)
    return f'"{value}"'


def term_text(term: Term) -> str:
    """Return a term as N-Triples writes it."""
    kind = term.kind
    if kind == "iri":
        return iri_text(term.value)
    if kind == "literal":
        return _literal_text(term)
    if kind == "blank":
        return "_:" + label_text(term.value)
    return f"<<( {' '.join(map(term_text, term.triple or ()))} )>>"


def cell_text(term: Term) -> str:
    """Return a term as TSV writes it: numbers bare."""
    bare = _BARE.get(term.datatype)
    if bare is not None and bare.fullmatch(term.value):
        return term.value
    return term_text(term)


def _literal_text(term: Term) -> str:
    text = quoted(term.value)
    if term.datatype:
        return f"{text}^^{iri_text(term.datatype)}"
    if not term.language:
        return text
    return f"{text}@{term.language}--{term.direction}" if term.direction else f"{text}@{term.language}"
