"""Writers of statements: N-Triples, Turtle, RDF/XML, JSON-LD, piece by piece.

Consecutive statements about one subject are put together; nothing else is held.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from json.encoder import encode_basestring as json_text
from operator import itemgetter
from typing import Protocol

from proxy.errors import NotAcceptable
from proxy.results.formats import Format
from proxy.results.term_text import label_text, term_text
from proxy.results.terms import RDF, Statement, Term
from proxy.results.xml_text import xml_text

_subject = itemgetter(0)
_predicate = itemgetter(1)


class StatementWriter(Protocol):
    """Write one graph: `start`, `statements` any number of times, `end`.

    Raises: NotAcceptable for a term that the format cannot hold.
    """

    def start(self) -> str:
        """Return what stands before the first statement."""

    def statements(self, statements: Sequence[Statement]) -> str:
        """Return statements."""

    def end(self) -> str:
        """Return what stands after the last statement."""


class NTriplesWriter:
    """Source: RDF 1.2 N-Triples section 3."""

    def start(self) -> str:
        """Nothing stands before the first line."""
        return ""

    def statements(self, statements: Sequence[Statement]) -> str:
        """Return lines."""
        return "".join([f"{term_text(s)} {term_text(p)} {term_text(o)} .\n" for s, p, o in statements])

    def end(self) -> str:
        """Nothing follows the last line."""
        return ""


class TurtleWriter(NTriplesWriter):
    """Source: RDF 1.2 Turtle section 2. Without prefixes: they would have to be known before the first statement."""

    def statements(self, statements: Sequence[Statement]) -> str:
        """Return blocks of one subject each."""
        return "".join([_turtle_block(subject, group) for subject, group in groupby(statements, _subject)])


def _turtle_block(subject: Term, group: object) -> str:
    predicates = [
        ("a" if predicate.value == RDF + "type" else term_text(predicate))
        + " "
        + " , ".join([term_text(object_) for _, _, object_ in same])
        for predicate, same in groupby(group, _predicate)  # type: ignore[call-overload]
    ]
    return f"{term_text(subject)} " + " ;\n    ".join(predicates) + " .\n"


class RdfXmlWriter:
    """Source: RDF 1.1 XML Syntax section 2; RDF 1.2's base direction and triple terms."""

    def start(self) -> str:
        """Return the root element's tag."""
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF xmlns:rdf="{RDF}">\n'

    def statements(self, statements: Sequence[Statement]) -> str:
        """Return descriptions of one subject each."""
        return "".join(
            [
                f"<rdf:Description {_xml_node(subject, 'about')}>\n"
                + "".join([_xml_property(predicate, object_) for _, predicate, object_ in group])
                + "</rdf:Description>\n"
                for subject, group in groupby(statements, _subject)
            ]
        )

    def end(self) -> str:
        """Return the root element's end."""
        return "</rdf:RDF>\n"


# The longest ending that can be the name of an element.
_LOCAL_NAME = re.compile(r"[A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff][\w.-]*\Z")
_ITS = ' rdf:version="1.2" xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0"'


def _xml_node(term: Term, attribute: str) -> str:
    if term.kind == "iri":
        return f'rdf:{attribute}="{xml_text(term.value)}"'
    if term.kind == "blank":
        return f'rdf:nodeID="{label_text(term.value)}"'
    raise NotAcceptable("The answer says something about a triple term, which RDF/XML cannot. Ask for Turtle.")


def _xml_property(predicate: Term, object_: Term) -> str:
    found = _LOCAL_NAME.search(predicate.value)
    if found is None or found.start() == 0:
        raise NotAcceptable(f"RDF/XML cannot write the property <{predicate.value}>. Ask for Turtle or N-Triples.")
    name, space = found[0], xml_text(predicate.value[: found.start()])
    tag, declared = ("rdf:" + name, "") if space == RDF else ("p:" + name, f' xmlns:p="{space}"')
    if object_.triple is not None:
        subject, inner, value = object_.triple
        node = f"<rdf:Description {_xml_node(subject, 'about')}>{_xml_property(inner, value)}</rdf:Description>"
        return f'  <{tag}{declared} rdf:version="1.2" rdf:parseType="Triple">{node}</{tag}>\n'
    if object_.kind != "literal":
        return f"  <{tag}{declared} {_xml_node(object_, 'resource')}/>\n"
    if object_.datatype:
        declared += f' rdf:datatype="{xml_text(object_.datatype)}"'
    elif object_.language:
        declared += f' xml:lang="{xml_text(object_.language)}"'
    if object_.direction:
        declared += f'{_ITS} its:dir="{object_.direction}"'
    return f"  <{tag}{declared}>{xml_text(object_.value)}</{tag}>\n"


class JsonLdWriter:
    """Source: JSON-LD 1.1 section 9, expanded form: no context, so that every reader reads it alone."""

    def __init__(self) -> None:
        self._comma = ""

    def start(self) -> str:
        """Return the bracket of the array of nodes."""
        return "["

    def statements(self, statements: Sequence[Statement]) -> str:
        """Return nodes with commas between. A subject that comes again later is a node of its own."""
        if not statements:
            return ""
        comma, self._comma = self._comma, ",\n"
        return comma + ",\n".join([_node(subject, group) for subject, group in groupby(statements, _subject)])

    def end(self) -> str:
        """Return the closing bracket."""
        return "]\n"


def _node(subject: Term, group: object) -> str:
    values: dict[str, list[str]] = {}
    for _, predicate, object_ in group:  # type: ignore[attr-defined]
        values.setdefault(predicate.value, []).append(_node_value(object_))
    members = [f"{json_text(name)}:[{','.join(found)}]" for name, found in values.items()]
    return ",".join([f'{{"@id":{_identity(subject)}', *members]) + "}"


def _identity(term: Term) -> str:
    if term.kind == "triple":
        raise NotAcceptable("The answer holds triple terms, which JSON-LD cannot. Ask for Turtle or N-Triples.")
    return json_text(term.value if term.kind == "iri" else "_:" + label_text(term.value))


def _node_value(term: Term) -> str:
    if term.kind != "literal":
        return f'{{"@id":{_identity(term)}}}'
    text = f'{{"@value":{json_text(term.value)}'
    if term.datatype:
        text += f',"@type":{json_text(term.datatype)}'
    elif term.language:
        text += f',"@language":{json_text(term.language)}'
    if term.direction:
        text += f',"@direction":"{term.direction}"'
    return text + "}"


STATEMENT_WRITERS: dict[Format, type[NTriplesWriter | RdfXmlWriter | JsonLdWriter]] = {
    Format.NTRIPLES: NTriplesWriter,
    Format.TURTLE: TurtleWriter,
    Format.RDFXML: RdfXmlWriter,
    Format.JSONLD: JsonLdWriter,
}
