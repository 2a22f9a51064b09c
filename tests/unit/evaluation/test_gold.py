"""Gold answers of files: which terms their texts are, and when a gold answer says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from plugins.evaluation.gold import answers, is_nothing, table_of, term
from plugins.evaluation.metrics import scores
from plugins.nl.contract import Table
from proxy.results.terms import XSD, Term, iri, literal
from tests.unit.evaluation.answers import NO, NOTHING, YES, table

FB = "http://rdf.freebase.com/ns/"

TERMS = {
    "http://www.wikidata.org/entity/Q42": iri("http://www.wikidata.org/entity/Q42"),
    "<http://www.wikidata.org/entity/Q42>": iri("http://www.wikidata.org/entity/Q42"),
    "urn:isbn:12": iri("urn:isbn:12"),
    "m.02mjmr": iri(f"{FB}m.02mjmr"),
    "g.11b6_x": iri(f"{FB}g.11b6_x"),
    "1978-03^^http://www.w3.org/2001/XMLSchema#gYearMonth": literal("1978-03", f"{XSD}gYearMonth"),
    '"5"^^<http://www.w3.org/2001/XMLSchema#integer>': literal("5", f"{XSD}integer"),
    "5^^xsd:integer": literal("5", f"{XSD}integer"),
    "1773-12-16T00:00:00Z": literal("1773-12-16T00:00:00Z"),
    "103": literal("103"),
    "m.facto": iri(f"{FB}m.facto"),
    "M. Night": literal("M. Night"),
    "http://not an iri": literal("http://not an iri"),
    "What is 2^^3?": literal("What is 2^^3?"),
    "AC/DC": literal("AC/DC"),
}


@pytest.mark.parametrize(("text", "expected"), TERMS.items(), ids=TERMS.keys())
def test_terms_of_texts(text: str, expected: Term) -> None:
    assert term(text) == expected


def test_answers_become_the_table_that_a_query_would_return() -> None:
    given = answers(["m.1", "m.2"])
    assert given is not None
    assert table_of(given) == Table(variables=("answer",), rows=((iri(f"{FB}m.1"),), (iri(f"{FB}m.2"),)), total=2)
    rows = answers([["m.1", "5"], ["m.2"], [None, "6"]])
    assert rows is not None
    assert table_of(rows).variables == ("answer", "answer1")
    assert table_of(rows).rows[1] == (iri(f"{FB}m.2"), None)


@pytest.mark.parametrize("given", [True, [True]])
def test_a_boolean_is_an_answer(given: Any) -> None:
    found = answers(given)
    assert found == (True,)
    assert table_of(found) == YES


def test_no_answers_and_an_empty_answer_are_told_apart() -> None:
    assert answers(None) is None
    assert answers("") is None
    empty = answers([])
    assert empty == ()
    assert table_of(empty) == Table(variables=("answer",))


def test_numbers_and_one_value_are_answers() -> None:
    for given in (326, [326], "326", [326.0]):
        found = answers(given)
        assert found is not None
        assert scores(table_of(found), table("x", "326^^integer")).exact


def test_bindings_keep_their_types() -> None:
    found = answers(
        [
            {"x": {"type": "uri", "value": "http://a.b/c"}, "n": {"type": "literal", "value": "030"}},
            {"x": {"type": "typed-literal", "value": "5", "datatype": f"{XSD}int"}},
        ]
    )
    assert found == ((iri("http://a.b/c"), literal("030")), (literal("5", f"{XSD}int"),))


@pytest.mark.parametrize("given", [[{"x": {"type": "nonsense", "value": "a"}}], [{"x": "a"}], [[["deep"]]], [object()]])
def test_what_is_no_answer_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="answers"):
        answers(given)


def test_answers_of_a_file_equal_what_the_graph_says() -> None:
    found = answers(["1773-12-16T00:00:00Z", "1", "030"])
    assert found is not None
    assert scores(table_of(found), table("x", "1773-12-16^^date", "1.0^^decimal", '"030"')).exact


def test_no_row_and_a_count_of_zero_are_nothing() -> None:
    assert is_nothing(NOTHING)
    assert is_nothing(Table())
    for zero in ("0^^integer", "0.0^^decimal", "0.0E0^^double", '"0"'):
        assert is_nothing(table("n", zero))
    assert is_nothing(table("x y", "- 0^^integer"))


def test_rows_without_any_value_are_nothing() -> None:
    assert is_nothing(table("x", "-"))
    assert is_nothing(table("x y", "- -", "- -"))


def test_all_else_is_something() -> None:
    assert not is_nothing(YES)
    assert not is_nothing(NO)
    assert not is_nothing(table("n", "1^^integer"))
    assert not is_nothing(table("n", "0^^integer", "1^^integer"))
    assert not is_nothing(table("n", "0@en"))
    assert not is_nothing(table("n", "zero"))
    assert not is_nothing(Table(variables=("x",), total=5)), "rows that are only counted are rows"
