"""Whole parsers that know nothing of ours: is a damaged body still a valid answer, only another one?"""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pyoxigraph as ox

from proxy.results.formats import Format

_TERM_KEYS = {"type", "value", "datatype", "xml:lang", "its:dir"}
_NS = "{http://www.w3.org/2005/sparql-results#}"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
# The text of an IRI, and what a context of JSON-LD makes of it, are not judged: another answer, not a broken one.
_NOT_JUDGED = re.compile("builds IRI|[Ii]nvalid IRI|Inconsistent expansion")
_MARKS = " \t\r\n"


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _loads(body: bytes) -> Any:
    return json.loads(body.decode(), object_pairs_hook=_distinct, parse_constant=_no_constant)


def _demand(*conditions: bool) -> None:
    if not all(conditions):
        raise ValueError("not an answer")


def json_results(body: bytes) -> None:
    """Raise ValueError unless the body is JSON results."""
    found = _loads(body)
    names = found["head"]["vars"]
    _demand(all(isinstance(name, str) for name in names), len(set(names)) == len(names))
    for row in found["results"]["bindings"]:
        _demand(set(row) <= set(names))
        for term in row.values():
            _demand(set(term) <= _TERM_KEYS, isinstance(term["value"], str))
            _demand(term["type"] in ("uri", "literal", "bnode", "typed-literal"))
            _demand(all(isinstance(value, str) for value in term.values()))


def xml_results(body: bytes) -> None:
    """Raise an error unless the body is XML results."""
    body.decode()
    root = ET.fromstring(body)
    _demand(root.tag == _NS + "sparql", [child.tag for child in root] == [_NS + "head", _NS + "results"])
    head, results = root
    names = [variable.attrib["name"] for variable in head]
    _demand(len(set(names)) == len(names), set(results.attrib) <= {"distinct", "ordered"})
    _no_text(root, head, results, *head)
    for row in results:
        _demand(row.tag == _NS + "result", not row.attrib)
        _no_text(row)
        bound = [_binding(binding) for binding in row]
        _demand(set(bound) <= set(names), len(set(bound)) == len(bound))


def _no_text(*elements: ET.Element) -> None:
    for element in elements:
        texts = [element.text, *(child.tail for child in element)]
        _demand(all(not (text or "").strip(_MARKS) for text in texts))


def _binding(binding: ET.Element) -> str:
    (term,) = binding
    _no_text(binding)
    _demand(binding.tag == _NS + "binding", set(binding.attrib) == {"name"}, len(term) == 0)
    _demand(term.tag in (_NS + "uri", _NS + "literal", _NS + "bnode"))
    _demand(set(term.attrib) <= ({"datatype", _XML_LANG} if term.tag == _NS + "literal" else set()))
    return binding.attrib["name"]


def csv_results(body: bytes) -> None:
    """Raise an error unless all records have the columns of the header."""
    records = list(csv.reader(io.StringIO(body.decode(), newline=""), strict=True))
    width = len(records[0])
    _demand(all(len(record) in (width, 0 if width == 1 else width) for record in records))


def tsv_results(body: bytes) -> None:
    """Raise an error unless all cells are terms of Turtle."""
    header, *lines = body.decode().split("\n")
    names = header.split("\t")
    _demand(lines.pop() == "", all(name[:1] == "?" for name in names))
    for line in lines:
        cells = line.split("\t")
        _demand(len(cells) == len(names))
        for cell in filter(None, cells):
            _graph(f"<urn:s> <urn:p> {cell} .".encode(), ox.RdfFormat.TURTLE, triples=1)


def _graph(body: bytes, fmt: ox.RdfFormat, triples: int | None = None) -> None:
    try:
        found = len(list(ox.parse(body, format=fmt, base_iri="http://base.example/", lenient=True)))
    except SyntaxError as error:
        if _NOT_JUDGED.search(str(error)):
            return
        raise ValueError from error
    _demand(triples in (None, found))


def turtle(body: bytes) -> None:
    """Raise ValueError unless the body is Turtle."""
    body.decode()
    _graph(body, ox.RdfFormat.TURTLE)


def ntriples(body: bytes) -> None:
    """Raise ValueError unless the body is N-Triples."""
    body.decode()
    _graph(body, ox.RdfFormat.N_TRIPLES)


def rdfxml(body: bytes) -> None:
    """Raise an error unless the body is RDF/XML; Oxigraph alone accepts one that was cut."""
    body.decode()
    ET.fromstring(body)
    _graph(body, ox.RdfFormat.RDF_XML)


def jsonld(body: bytes) -> None:
    """Raise ValueError unless the body is JSON-LD."""
    # JSON may say half of a surrogate pair, Oxigraph does not read it.
    whole = json.dumps(_loads(body), ensure_ascii=False).encode(errors="replace")
    _graph(whole, ox.RdfFormat.JSON_LD)


_ORACLES: dict[Format, Callable[[bytes], None]] = {
    Format.JSON: json_results,
    Format.XML: xml_results,
    Format.CSV: csv_results,
    Format.TSV: tsv_results,
    Format.TURTLE: turtle,
    Format.NTRIPLES: ntriples,
    Format.RDFXML: rdfxml,
    Format.JSONLD: jsonld,
}


def valid(fmt: Format, body: bytes) -> bool:
    """Whether a whole parser finds nothing wrong."""
    try:
        _ORACLES[fmt](body)
    except (ValueError, LookupError, TypeError, AttributeError, csv.Error, ET.ParseError):
        return False
    return True
