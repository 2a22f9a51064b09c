"""The RDF terms that a solution binds, as plain tuples."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["iri", "blank", "literal", "triple"]
Direction = Literal["", "ltr", "rtl"]

XSD = "http://www.w3.org/2001/XMLSchema#"
XSD_STRING = XSD + "string"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
# Wider than BCP 47: endpoints send underscores, and no client is helped by an answer that breaks off there.
LANGUAGE_TAG = re.compile(r"[A-Za-z0-9_-]+")
_IMPLIED = frozenset({XSD_STRING, RDF + "langString", RDF + "dirLangString"})


class Term(NamedTuple):
    """One RDF term. Two terms are equal when they are the same term.

    Shapes: ``value`` is an IRI, a blank node's label without ``_:``, or a literal's text; ``datatype`` is empty for
    plain and language-tagged literals; ``triple`` holds subject, predicate and object of a triple term, whose
    ``value`` is empty.
    Source: RDF 1.2 Concepts sections 3.3 and 3.5.
    """

    kind: Kind
    value: str
    datatype: str = ""
    language: str = ""
    direction: str = ""
    triple: tuple[Term, Term, Term] | None = None


Solution = dict[str, Term]
Statement = tuple[Term, Term, Term]


def iri(value: str) -> Term:
    """Return an IRI."""
    return Term("iri", value)


def blank(label: str) -> Term:
    """Return a blank node; the label means something within one answer only."""
    return Term("blank", label)


def literal(value: str, datatype: str = "", language: str = "", direction: str = "") -> Term:
    """Return a literal in its one normal form: what the other parts imply is left out."""
    if datatype in _IMPLIED or language:
        datatype = ""
    return Term("literal", value, datatype, language, direction if language else "")


def triple(subject: Term, predicate: Term, object_: Term) -> Term:
    """Return a triple term."""
    return Term("triple", "", triple=(subject, predicate, object_))
