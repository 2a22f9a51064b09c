"""Which spellings say the same."""

from __future__ import annotations

import pytest

from plugins.evaluation.metrics.values import value
from proxy.results.terms import XSD, Term, blank, iri, literal, triple


def typed(text: str, kind: str) -> Term:
    return literal(text, XSD + kind)


SAME = {
    "decimal and integer": (typed("1.0", "decimal"), typed("1", "integer")),
    "double and integer": (typed("1.0E2", "double"), typed("100", "integer")),
    "derived integers": (typed("5", "nonNegativeInteger"), typed("5", "unsignedByte")),
    "a sign and zeros": (typed("+05.50", "decimal"), typed("5.5", "decimal")),
    "nothing, signed": (typed("-0", "integer"), typed("0.0", "double")),
    "noise of floating point": (typed("0.30000000000000004", "double"), typed("0.3", "decimal")),
    "a third": (typed("3.3333333333333335", "double"), typed("3.333333333333333333", "decimal")),
    "a point that ends a number": (typed("5.", "decimal"), typed("5", "integer")),
    "a point that begins one": (typed(".5", "decimal"), typed("0.5", "float")),
    "a plain number": (literal("381488"), typed("381488", "integer")),
    "a plain number with a sign": (literal("+381488"), typed("381488", "decimal")),
    "a great number as double": (typed("1.2345678901234E13", "double"), typed("12345678901234", "integer")),
    "a year": (typed("1989", "gYear"), typed("1989", "integer")),
    "a year with a zone does not end a year": (typed("1989", "gYear"), literal("1989")),
    "a day with and without time": (typed("1773-12-16T00:00:00Z", "dateTime"), typed("1773-12-16", "date")),
    "a day in a zone": (typed("1773-12-16+02:00", "date"), typed("1773-12-16", "date")),
    "midnight in a zone is that day": (typed("1773-12-16T00:00:00+02:00", "dateTime"), typed("1773-12-16", "date")),
    "midnight without a zone": (typed("1773-12-16T00:00:00", "dateTime"), typed("1773-12-16Z", "date")),
    "midnight with a fraction of nothing": (typed("1773-12-16T00:00:00.000Z", "dateTime"), typed("1773-12-16", "date")),
    "a plain day": (literal("1773-12-16"), typed("1773-12-16T00:00:00Z", "dateTime")),
    "a day before our era": (typed("-0043-03-15T00:00:00Z", "dateTime"), literal("-0043-03-15")),
    "a moment in two zones": (
        typed("2001-01-01T12:00:00Z", "dateTime"),
        typed("2001-01-01T13:00:00+01:00", "dateTime"),
    ),
    "a moment without a zone": (typed("2001-01-01T12:00:00", "dateTime"), typed("2001-01-01T12:00:00Z", "dateTime")),
    "a moment with zeros": (typed("2001-01-01T12:00:00.50Z", "dateTime"), typed("2001-01-01T12:00:00.5Z", "dateTime")),
    "a tagged and a plain text": (literal("Berlin", language="de"), literal("Berlin")),
    "two tags": (literal("Berlin", language="de"), literal("Berlin", language="en-GB")),
    "Booleans": (typed("1", "boolean"), typed("true", "boolean")),
    "an IRI and its text": (iri("http://example.org/a"), literal("http://example.org/a")),
    "blank nodes": (blank("b0"), blank("genid7")),
    "unbound": (None, None),
}

OTHER = {
    "neighbours": (typed("1234567", "integer"), typed("1234568", "integer")),
    "long numbers": (typed("12345678901234567", "integer"), typed("12345678901234568", "integer")),
    "a code and a number": (literal("030"), typed("30", "integer")),
    "two codes": (literal("007"), literal("7")),
    "days": (literal("1773-12-16"), literal("1773-12-17")),
    "a day and a moment of it": (typed("2001-01-01", "date"), typed("2001-01-01T12:00:00Z", "dateTime")),
    "a day and its year": (typed("2001-01-01", "date"), typed("2001", "gYear")),
    "capitals": (literal("berlin"), literal("Berlin")),
    "true and one": (typed("true", "boolean"), typed("1", "integer")),
    "a number in words of a unit": (literal("5 km"), typed("5", "integer")),
    "unbound and empty": (None, literal("")),
    "triple terms": (triple(iri("a"), iri("b"), iri("c")), triple(iri("a"), iri("b"), iri("d"))),
}

UNREADABLE = (
    typed("five", "integer"),
    typed("", "integer"),
    typed("NaN", "double"),
    typed("-INF", "float"),
    typed("1_000", "integer"),
    typed("٣", "integer"),
    typed("1e99999999999", "double"),
    typed("2001-13-45T25:61:61+99:99", "dateTime"),
    typed("99999-01-01T12:00:00+01:00", "dateTime"),
    typed("0001-01-01T00:30:00+14:00", "dateTime"),
    typed("maybe", "boolean"),
    literal("Point(4.9 52.3)", "http://www.opengis.net/ont/geosparql#wktLiteral"),
)


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME.keys())
def test_what_says_the_same_is_equal(one: Term | None, other: Term | None) -> None:
    assert value(one) == value(other)
    assert hash(value(one)) == hash(value(other))


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER.keys())
def test_what_says_something_else_is_not(one: Term | None, other: Term | None) -> None:
    assert value(one) != value(other)


@pytest.mark.parametrize("term", UNREADABLE, ids=lambda term: str(term.value))
def test_a_literal_that_is_none_of_its_type_is_its_text(term: Term) -> None:
    assert value(term) == term.value
