"""What a cell of an answer says, so that two spellings of one value are equal."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Context, Decimal

from proxy.results.terms import XSD, XSD_STRING, Term

# A number by its value; all else as text. None is an unbound cell, which two rows may share.
Value = Decimal | str | None

_NUMERIC = frozenset(
    XSD + name
    for name in (
        "integer", "decimal", "double", "float", "long", "int", "short", "byte", "nonNegativeInteger",
        "positiveInteger", "nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort",
        "unsignedByte", "gYear",
    )
)  # fmt: skip
_PLAIN = ("", XSD_STRING)
_BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}
_LEXICAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
# A text that is written as numbers are: a code such as 030 is none.
_SPOKEN = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?")
_MOMENT = re.compile(
    r"\+?(?P<day>-?[0-9]{4,}-[0-9]{2}-[0-9]{2})"
    r"(?:T(?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.(?P<fraction>[0-9]+))?)?(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?"
)
_DIGITS = 12
_ROUNDED = Context(prec=_DIGITS)


def value(term: Term | None) -> Value:
    """Return what a cell says.

    - Numbers are equal by value, whatever their datatypes: `"1.0"^^xsd:decimal` is `"1"^^xsd:integer`. Digits after
      the twelfth are noise of floating point, as far as they stand behind the point. An `xsd:gYear` is the number of
      its year, as YEAR() gives it.
    - A date is a day: a `dateTime` at midnight is that day, in whatever time zone, since Wikidata writes days as
      midnight UTC and Freebase as `xsd:date`. At any other time it is a moment, in UTC where it has no zone.
      Source: Wikibase RDF dump format, "Time"; XML Schema 1.1 part 2, section 3.3.7.
    - A text is its letters: the language tag says nothing, and a plain literal that is written like a number, a date
      or an IRI is one, since the published files of answers hold no datatypes. `"030"` is a text, not a number.
    - `"1"^^xsd:boolean` is `true`. A blank node is like every other: its label means nothing outside its own answer.
    """
    if term is None:
        return None
    if term.kind == "blank":
        return "_:"
    if term.kind == "triple":
        return str(term.triple)
    if term.kind == "iri":
        return term.value
    return _literal(term.value, term.datatype)


def _literal(text: str, datatype: str) -> Value:
    if datatype in _NUMERIC:
        return _number(text.strip(), text)
    if datatype == XSD + "boolean":
        return _BOOLEANS.get(text.strip(), text)
    if moment := _MOMENT.fullmatch(text):
        return _moment(moment)
    return _number(text, text) if datatype in _PLAIN and _SPOKEN.fullmatch(text) else text


def _number(written: str, text: str) -> Value:
    if not _LEXICAL.fullmatch(written):
        return text
    number = Decimal(written)
    # A long number before the point may be an identifier: it is never rounded.
    return number.to_integral_value() if number.adjusted() >= _DIGITS else _ROUNDED.plus(number)


def _moment(found: re.Match[str]) -> str:
    day, time, fraction = found["day"], found["time"], (found["fraction"] or "").rstrip("0")
    if time is None or (time == "00:00:00" and not fraction):
        return day
    zone = found["zone"] or "Z"
    if zone == "Z":
        return f"{day}T{time}{'.' if fraction else ''}{fraction}Z"
    try:
        moment = datetime.fromisoformat(f"{day}T{time}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return found[0]
    return f"{moment:%Y-%m-%dT%H:%M:%S}{'.' if fraction else ''}{fraction}Z"
