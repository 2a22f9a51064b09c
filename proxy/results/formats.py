"""The formats an answer can have, and the names they go by."""

from __future__ import annotations

import functools
from enum import Enum

from proxy.syntax import Form


class Format(Enum):
    """One result format. The value is the media type that we send.

    Source: SPARQL 1.1 Query Results JSON, XML, CSV/TSV; RDF 1.1 Turtle, N-Triples, RDF/XML, JSON-LD.
    """

    JSON = "application/sparql-results+json"
    XML = "application/sparql-results+xml"
    CSV = "text/csv"
    TSV = "text/tab-separated-values"
    TURTLE = "text/turtle"
    NTRIPLES = "application/n-triples"
    RDFXML = "application/rdf+xml"
    JSONLD = "application/ld+json"

    # There is one of each. Enum's own, in Python, hashes the name, on every look into a table by format.
    __hash__ = object.__hash__

    @property
    def media_type(self) -> str:
        """The media type, without parameters."""
        return self.value

    @property
    def content_type(self) -> str:
        """The Content-Type header; text types say their character set, and CSV that its first row is the header."""
        return _CONTENT_TYPES.get(self, self.value)

    @property
    def is_graph(self) -> bool:
        """Whether the format holds triples (CONSTRUCT, DESCRIBE) and not solutions (SELECT, ASK)."""
        return self in GRAPHS

    @property
    def self_delimiting(self) -> bool:
        """Whether a body shows by itself that it is whole: it ends with a closing bracket or tag.

        A body of another format that was cut between two rows, or has a second one behind it, looks whole; there only
        the framing of HTTP protects. So an endpoint is best asked for a format that is self-delimiting.
        """
        return self in _SELF_DELIMITING

    @property
    def short_name(self) -> str:
        """The name that `format=` and `output=` use."""
        return self.name.lower()


BINDINGS = (Format.JSON, Format.XML, Format.CSV, Format.TSV)
GRAPHS = (Format.TURTLE, Format.NTRIPLES, Format.RDFXML, Format.JSONLD)
BOOLEANS = (Format.JSON, Format.XML)

_SELF_DELIMITING = frozenset({Format.JSON, Format.XML, Format.RDFXML, Format.JSONLD})
_CONTENT_TYPES = {
    Format.CSV: "text/csv; charset=utf-8; header=present",
    Format.TSV: "text/tab-separated-values; charset=utf-8",
    Format.TURTLE: "text/turtle; charset=utf-8",
}

# What else the same formats are called, in Accept headers, in `format=` and by endpoints.
ALIASES: dict[str, Format] = {
    "application/json": Format.JSON,
    "text/json": Format.JSON,
    "application/sparql-results": Format.XML,
    "application/xml": Format.XML,
    "text/xml": Format.XML,
    "application/x-turtle": Format.TURTLE,
    "application/turtle": Format.TURTLE,
    "text/n3": Format.TURTLE,
    "text/rdf+n3": Format.TURTLE,
    "application/rdf+n3": Format.TURTLE,
    "text/ntriples": Format.NTRIPLES,
    "text/plain": Format.NTRIPLES,
    "application/x-json+ld": Format.JSONLD,
    "sparql-results+json": Format.JSON,
    "sparql-results+xml": Format.XML,
    "ttl": Format.TURTLE,
    "n3": Format.TURTLE,
    "nt": Format.NTRIPLES,
    "n-triples": Format.NTRIPLES,
    "rdf": Format.RDFXML,
    "rdf+xml": Format.RDFXML,
    "json-ld": Format.JSONLD,
    "ld+json": Format.JSONLD,
}


def formats_for(form: Form) -> tuple[Format, ...]:
    """Return the formats that a query of this form can be answered in, our favourite first.

    Source: SPARQL 1.1 Protocol section 2.1.6. CSV and TSV have no place for a Boolean.
    """
    if form is Form.ASK:
        return BOOLEANS
    if form in (Form.CONSTRUCT, Form.DESCRIBE):
        return GRAPHS
    return BINDINGS


@functools.lru_cache(maxsize=1024)
def format_of(name: str, form: Form) -> Format | None:
    """Return the format that a media type or a short name means for this form, or None."""
    name = name.strip().lower()
    offered = formats_for(form)
    for fmt in offered:
        if name in (fmt.media_type, fmt.short_name):
            return fmt
    if name in ("application/json", "json", "application/xml", "text/xml", "xml"):
        # The same plain name means results for one form and a graph for another.
        return next((f for f in offered if f.short_name in _PLAIN[name.rpartition("/")[2]]), None)
    fmt_alias = ALIASES.get(name)
    return fmt_alias if fmt_alias in offered else None


_PLAIN = {"json": ("json", "jsonld"), "xml": ("xml", "rdfxml")}
