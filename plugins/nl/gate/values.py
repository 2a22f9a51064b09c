"""What the values of an answer are: things, numbers, times, texts; and how they compare."""

from __future__ import annotations

import re
from typing import Literal

from plugins.nl.contract import Table
from plugins.nl.tools.asker import column
from proxy.results.terms import XSD, Term

ValueKind = Literal["thing", "number", "time", "truth", "text", ""]
_NUMBERS = frozenset(
    XSD + name
    for name in (
        *("integer", "decimal", "double", "float", "int", "long", "short", "byte", "nonNegativeInteger"),
        *("positiveInteger", "negativeInteger", "nonPositiveInteger", "unsignedInt", "unsignedLong"),
    )
)
_DATES = frozenset(XSD + name for name in ("dateTime", "date", "dateTimeStamp"))
_TIMES = _DATES | {XSD + name for name in ("gYear", "gYearMonth")}
_DATE = re.compile(r"-?\d{4,}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ?)?")
_TIME = re.compile(r"([+-]?\d+)(?:-(\d\d))?(?:-(\d\d))?(?:T(\d\d):(\d\d):(\d\d))?")


def kind(term: Term) -> ValueKind:
    """Return what a term is."""
    if term.kind != "literal":
        return "thing"
    if term.datatype in _NUMBERS:
        return "number"
    if term.datatype in _TIMES:
        return "time"
    if term.datatype == XSD + "boolean":
        return "truth"
    # Some graphs write dates without a datatype.
    return "time" if not term.language and _DATE.fullmatch(term.value) else "text"


def is_date(term: Term) -> bool:
    """Whether a term is a date with its year, so that YEAR() can be asked of it."""
    return term.datatype in _DATES


def kinds(table: Table) -> dict[str, ValueKind]:
    """Return what each column holds, by its first value; empty for a column without one."""
    found: dict[str, ValueKind] = {}
    for name in table.variables:
        values = column(table, name)
        found[name] = kind(values[0]) if values else ""
    return found


def things(table: Table) -> tuple[str, ...]:
    """Return the columns that hold things."""
    return tuple(name for name, each in kinds(table).items() if each == "thing")


def measures(table: Table) -> tuple[str, ...]:
    """Return the columns that hold numbers or times."""
    return tuple(name for name, each in kinds(table).items() if each in ("number", "time"))


def rank(term: Term) -> tuple[float, ...] | None:
    """Return what orders a number or a time among its like; None for all else."""
    match kind(term):
        case "number":
            try:
                return (float(term.value),)
            except ValueError:
                return None
        case "time":
            found = _TIME.match(term.value)
            return tuple(float(part or 0) for part in found.groups()) if found else None
    return None


def number(table: Table) -> float | None:
    """Return the one number that an answer is; None where it is anything else."""
    if table.total != 1 or len(table.variables) != 1:
        return None
    term = table.rows[0][0]
    found = rank(term) if term is not None and kind(term) == "number" else None
    return found[0] if found else None


def mass(table: Table) -> float:
    """Return how much was found: the number of a count, the rows of a list, one for a yes."""
    if table.boolean is not None:
        return float(table.boolean)
    counted = number(table)
    return float(table.total) if counted is None else counted


def shown(value: float) -> str:
    """Write a number as people and SPARQL both do."""
    return str(int(value)) if value == int(value) else repr(value)
