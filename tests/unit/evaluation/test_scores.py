"""Figures over sets and lists, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from plugins.evaluation.scores import (
    answers,
    better,
    f1,
    is_nothing,
    mean,
    percentile,
    precision_by_share,
)
from plugins.nl.contract import Table
from proxy.results.terms import Term

XSD = "http://www.w3.org/2001/XMLSchema#"


def iri(name: str) -> Term:
    return Term("iri", f"http://example.org/{name}")


def number(text: str, kind: str = "decimal") -> Term:
    return Term("literal", text, datatype=XSD + kind)


def table(*rows: tuple[Term | None, ...]) -> Table:
    names = tuple(f"v{place}" for place in range(len(rows[0]) if rows else 1))
    return Table(variables=names, rows=rows, total=len(rows))


def test_f1_is_that_of_sets() -> None:
    assert f1(frozenset("abcd"), frozenset("ab")) == pytest.approx(2 / 3)
    assert f1(frozenset("a"), frozenset("b")) == 0
    assert f1(frozenset("a"), frozenset()) == 0
    assert f1(frozenset("a"), frozenset("a")) == 1


def test_answers_are_the_values_of_the_first_column_that_has_any() -> None:
    assert answers(table((None, iri("a")), (None, iri("b")))) == {iri("a").value, iri("b").value}
    assert answers(table((iri("a"), iri("b")))) == {iri("a").value}
    assert answers(table()) == frozenset()
    assert answers(None) == frozenset()


def test_numbers_are_compared_by_value_and_texts_by_letter() -> None:
    assert answers(table((number("5"),))) == answers(table((number("5.0"),)))
    assert answers(table((Term("literal", "5"),))) != answers(table((Term("literal", "5.0"),)))


def test_a_boolean_is_an_answer_whichever_it_is() -> None:
    assert answers(Table(boolean=False)) == {"false"}
    assert not is_nothing(Table(boolean=False))


def test_no_row_and_a_count_of_zero_are_nothing() -> None:
    assert is_nothing(table())
    assert is_nothing(table((number("0", "integer"),)))
    assert not is_nothing(table((number("1", "integer"),)))
    assert not is_nothing(table((number("0", "integer"),), (number("1", "integer"),)))


def test_percentiles_are_nearest_ranks() -> None:
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(list(range(1, 101)), 0.95) == 95
    assert percentile([7], 0.95) == 7
    assert math.isnan(percentile([], 0.5))
    assert math.isnan(mean([]))


def test_a_clear_difference_is_significant_and_none_is_not() -> None:
    worse, best = [0.0] * 40, [1.0] * 20 + [0.0] * 20
    assert better(best, worse) < 0.01
    assert better(worse, best) > 0.99
    assert better(best, best) == 1
    assert better(best, worse) == better(best, worse), "the same seed gives the same value"


def test_precision_is_that_of_the_surest_first() -> None:
    sure = [0.9, 0.8, 0.1, 0.2, None, None, None, None, None, None]
    right = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    found = precision_by_share(sure, right)
    assert found[0] == (0.1, 1.0, 0.9)
    assert found[1] == (0.2, 1.0, 0.8)
    assert found[-1] == (0.4, 0.5, 0.1), "what was not answered has no share"
