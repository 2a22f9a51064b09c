"""Gold answers: what files say, as terms and tables, and when a gold answer says nothing."""

from __future__ import annotations

import re
from typing import Any

from plugins.nl.contract import Table
from proxy.results.json_terms import term as term_of_binding
from proxy.results.reader import MalformedError
from proxy.results.terms import XSD, Term, iri, literal

# One row of an answer; a Boolean is an answer of its own, and then the only one.
Row = tuple[Term | None, ...]
Answers = tuple[Row, ...] | tuple[bool]

_FREEBASE = "http://rdf.freebase.com/ns/"
_MID = re.compile(r"[mg]\.[0-9a-z_]+")
_IRI = re.compile(r"(?:https?|urn|ftp|mailto|file):[^\s<>\"{}|\\^`]+")
_TYPED = re.compile(r'"?(?P<value>.*?)"?\^\^<?(?P<datatype>[a-z]+:[^\s<>]+)>?', re.DOTALL)
# COUNT and SUM over nothing: an answer where the graph is whole, a sign of absent data where it is a part.
_ZERO = re.compile(r"[+-]?0+(?:\.0+)?(?:[eE][+-]?\d+)?")


def term(text: str) -> Term:
    """Return the term that a text of a file of answers stands for.

    Shapes: an IRI, bare or in angle brackets; a Freebase id such as `m.02mjmr`; `value^^datatype`, as GrailQA writes
    some literals; all else is a plain literal, which `metrics` compares with numbers and dates by what it means.
    """
    bare = text[1:-1] if text[:1] == "<" and text[-1:] == ">" else text
    if _MID.fullmatch(bare):
        return iri(_FREEBASE + bare)
    if typed := _TYPED.fullmatch(text):
        return literal(typed["value"], _full(typed["datatype"]))
    return iri(bare) if _IRI.fullmatch(bare) else literal(text)


def answers(found: Any) -> Answers | None:
    """Return the answers that a value of JSON holds; None where it holds none that can be compared with.

    Shapes: true or false; a list of values, or of rows of values, or of SPARQL bindings by variable; one value.
    Raises ValueError for anything else, with what is wrong as the end of a sentence.
    """
    if found is None or found == "":
        return None
    if isinstance(found, bool):
        return (found,)
    rows = found if isinstance(found, list) else [found]
    if len(rows) == 1 and isinstance(rows[0], bool):
        return (rows[0],)
    return tuple(_row(row) for row in rows)


def table_of(given: Answers) -> Table:
    """Return the answers of a file as the table that a query would have returned."""
    rows = [row for row in given if isinstance(row, tuple)]
    for answer in given:
        if isinstance(answer, bool):
            return Table(boolean=answer)
    width = max((len(row) for row in rows), default=1)
    names = tuple(f"answer{place}" if place else "answer" for place in range(width))
    return Table(variables=names, rows=tuple(row + (None,) * (width - len(row)) for row in rows), total=len(rows))


def is_nothing(table: Table) -> bool:
    """Whether a gold answer says nothing here: no row, rows without any value, or one number that is 0.

    Source: MARS section 4.1 leaves out questions whose reference query yields nothing; that one 0 is nothing is ours,
    since a graph that lacks the data counts to 0.
    """
    if table.boolean is not None:
        return False
    cells = [cell for row in table.rows for cell in row if cell is not None]
    if table.total > 1:
        return not cells and table.total == len(table.rows)
    return not cells or (len(cells) == 1 and _is_zero(cells[0]))


def _is_zero(cell: Term) -> bool:
    return cell.kind == "literal" and not cell.language and _ZERO.fullmatch(cell.value) is not None


def _row(given: Any) -> Row:
    if isinstance(given, dict):
        return tuple(_bound(each) for each in given.values())
    if isinstance(given, list):
        return tuple(_value(each) for each in given)
    return (_value(given),)


def _bound(given: Any) -> Term:
    try:
        return term_of_binding(given)
    except MalformedError as error:
        raise ValueError(f"has answers that cannot be read: {error}") from error


def _value(given: Any) -> Term | None:
    if given is None:
        return None
    if isinstance(given, dict):
        return _bound(given)
    if isinstance(given, bool):
        return literal(str(given).lower(), XSD + "boolean")
    if isinstance(given, int | float):
        return literal(str(given), XSD + ("integer" if isinstance(given, int) else "double"))
    if isinstance(given, str):
        return term(given)
    raise ValueError("has answers of which one is no text, number, Boolean, row or binding")


def _full(datatype: str) -> str:
    return XSD + datatype.removeprefix("xsd:") if datatype.startswith("xsd:") else datatype
