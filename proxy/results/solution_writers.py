"""Writers of solutions: JSON, XML, CSV, TSV, piece by piece."""

from __future__ import annotations

import re
from collections.abc import Sequence
from json.encoder import encode_basestring as json_text
from typing import Protocol

from proxy.errors import NotAcceptable
from proxy.results.formats import Format
from proxy.results.term_text import cell_text, label_text
from proxy.results.terms import Solution, Term
from proxy.results.xml_text import xml_text


class SolutionWriter(Protocol):
    """Write one answer: `start`, `rows` any number of times, `end`; or `boolean` alone.

    Raises: NotAcceptable for a term that the format cannot hold.
    """

    def start(self, columns: Sequence[str]) -> str:
        """Return what stands before the first row."""

    def rows(self, solutions: Sequence[Solution]) -> str:
        """Return rows."""

    def end(self) -> str:
        """Return what stands after the last row."""

    def boolean(self, value: bool) -> str:
        """Return the whole answer of an ASK."""


class JsonWriter:
    """Source: SPARQL 1.2 Query Results JSON Format section 3."""

    def __init__(self) -> None:
        self._comma = ""

    def start(self, columns: Sequence[str]) -> str:
        """Return the head."""
        return '{"head":{"vars":[' + ",".join(map(json_text, columns)) + ']},"results":{"bindings":['

    def rows(self, solutions: Sequence[Solution]) -> str:
        """Return objects with commas between."""
        if not solutions:
            return ""
        comma, self._comma = self._comma, ","
        return comma + ",".join(
            "{" + ",".join([f"{json_text(name)}:{_json_term(term)}" for name, term in row.items()]) + "}"
            for row in solutions
        )

    def end(self) -> str:
        """Return the closing brackets."""
        return "]}}"

    def boolean(self, value: bool) -> str:
        """Return a head and the Boolean."""
        return f'{{"head":{{}},"boolean":{"true" if value else "false"}}}'


_JSON_TYPES = {"iri": "uri", "blank": "bnode", "literal": "literal"}


def _json_term(term: Term) -> str:
    kind, value, datatype, language, direction, triple = term
    if triple is not None:
        parts = (f'"{name}":{_json_term(part)}' for name, part in zip(_PARTS, triple, strict=True))
        return '{"type":"triple","value":{' + ",".join(parts) + "}}"
    text = f'{{"type":"{_JSON_TYPES[kind]}","value":{json_text(value)}'
    if datatype:
        return f'{text},"datatype":{json_text(datatype)}}}'
    if language:
        text = f'{text},"xml:lang":{json_text(language)}'
        return f'{text},"its:dir":"{direction}"}}' if direction else text + "}"
    return text + "}"


_PARTS = ("subject", "predicate", "object")


class XmlWriter:
    """Source: SPARQL Query Results XML Format (second edition) section 2, SPARQL 1.2's additions."""

    def start(self, columns: Sequence[str]) -> str:
        """Return the head."""
        names = "".join(f'<variable name="{xml_text(name)}"/>' for name in columns)
        return f"{_XML_OPEN}<head>{names}</head><results>"

    def rows(self, solutions: Sequence[Solution]) -> str:
        """Return result elements."""
        return "".join(
            "<result>"
            + "".join([f'<binding name="{name}">{_xml_term(term)}</binding>' for name, term in row.items()])
            + "</result>"
            for row in solutions
        )

    def end(self) -> str:
        """Return the closing tags."""
        return "</results></sparql>\n"

    def boolean(self, value: bool) -> str:
        """Return an empty head and the Boolean."""
        return f"{_XML_OPEN}<head></head><boolean>{'true' if value else 'false'}</boolean></sparql>\n"


_XML_OPEN = '<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">'
_ITS = ' xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0"'


def _xml_term(term: Term) -> str:
    kind, value, datatype, language, direction, triple = term
    if triple is not None:
        parts = (f"<{name}>{_xml_term(part)}</{name}>" for name, part in zip(_PARTS, triple, strict=True))
        return "<triple>" + "".join(parts) + "</triple>"
    text = xml_text(value)
    if kind == "iri":
        return f"<uri>{text}</uri>"
    if kind == "blank":
        return f"<bnode>{text}</bnode>"
    if datatype:
        return f'<literal datatype="{xml_text(datatype)}">{text}</literal>'
    if not language:
        return f"<literal>{text}</literal>"
    extra = f'{_ITS} its:dir="{direction}"' if direction else ""
    return f'<literal xml:lang="{xml_text(language)}"{extra}>{text}</literal>'


class _TableWriter:
    """What CSV and TSV have in common: a header, columns in its order, no end, no Boolean."""

    def __init__(self) -> None:
        self.columns: Sequence[str] = ()

    def end(self) -> str:
        """Nothing follows the last row."""
        return ""

    def boolean(self, value: bool) -> str:
        """Refuse: a table has no place for it."""
        raise NotAcceptable("CSV and TSV cannot hold the answer of an ASK. Ask for JSON or XML.")


class CsvWriter(_TableWriter):
    """Source: SPARQL 1.1 Query Results CSV and TSV Formats section 3; RFC 4180."""

    def start(self, columns: Sequence[str]) -> str:
        """Return the header."""
        self.columns = columns
        return ",".join(columns) + "\r\n"

    def rows(self, solutions: Sequence[Solution]) -> str:
        """Return lines."""
        columns = self.columns
        return "".join(
            [",".join([_csv_term(row[name]) if name in row else "" for name in columns]) + "\r\n" for row in solutions]
        )


_CSV_SPECIAL = re.compile(r'[",\r\n]')


def _csv_term(term: Term) -> str:
    if term.kind == "triple":
        raise NotAcceptable("The answer holds triple terms, which CSV cannot. Ask for JSON, XML or TSV.")
    value = "_:" + label_text(term.value) if term.kind == "blank" else term.value
    return '"' + value.replace('"', '""') + '"' if _CSV_SPECIAL.search(value) else value


class TsvWriter(_TableWriter):
    """Source: SPARQL 1.1 Query Results CSV and TSV Formats section 4, SPARQL 1.2's additions."""

    def start(self, columns: Sequence[str]) -> str:
        """Return the header."""
        self.columns = columns
        return "\t".join(["?" + name for name in columns]) + "\n"

    def rows(self, solutions: Sequence[Solution]) -> str:
        """Return lines."""
        columns = self.columns
        return "".join(
            ["\t".join([cell_text(row[name]) if name in row else "" for name in columns]) + "\n" for row in solutions]
        )


SOLUTION_WRITERS: dict[Format, type[JsonWriter | XmlWriter | CsvWriter | TsvWriter]] = {
    Format.JSON: JsonWriter,
    Format.XML: XmlWriter,
    Format.CSV: CsvWriter,
    Format.TSV: TsvWriter,
}
