"""Figures over two answers, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from plugins.evaluation.metrics import Scores, macro_f1_qald, scores
from plugins.nl.contract import Table
from tests.unit.evaluation.answers import NO, NOTHING, YES, table

RIGHT = Scores(
    f1=1, exact=True, column_f1=1, column_exact=True, rowwise_f1=1, qald_f1=1, precision=1, recall=1,
    qald_precision=1, qald_recall=1,
)  # fmt: skip
ABCD = table("x", "a", "b", "c", "d")


def test_f1_precision_and_recall_are_those_of_sets() -> None:
    found = scores(ABCD, table("y", "a", "b", "e"))
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(2 / 4)
    assert found.f1 == pytest.approx(2 * 2 / (4 + 3))
    assert found.column_f1 == found.qald_f1 == found.f1
    assert not found.exact
    assert not found.column_exact


def test_the_same_answer_is_right_by_every_measure() -> None:
    assert scores(ABCD, table("anything", "d", "c", "b", "a")) == RIGHT


def test_an_answer_with_nothing_right_has_nothing() -> None:
    assert scores(ABCD, table("x", "e", "f")) == Scores()


@pytest.mark.parametrize("given", [None, NOTHING, Table(), table("x y")], ids=["none", "no row", "no column", "two"])
def test_an_empty_answer_is_nothing_but_precise_in_the_sense_of_qald(given: Table | None) -> None:
    assert scores(ABCD, given) == Scores(qald_precision=1)


def test_an_empty_gold_is_met_by_an_empty_answer_for_qald_and_by_rows_and_not_for_saga() -> None:
    both = scores(NOTHING, NOTHING)
    assert both == Scores(rowwise_f1=1, qald_f1=1, qald_precision=1, qald_recall=1)
    assert scores(NOTHING, None) == Scores(qald_f1=1, qald_precision=1, qald_recall=1)


def test_an_answer_to_an_empty_gold_is_wrong() -> None:
    assert scores(NOTHING, ABCD) == Scores()


def test_booleans() -> None:
    assert scores(YES, YES) == scores(NO, NO) == RIGHT
    assert scores(YES, NO) == scores(NO, YES) == Scores()
    assert scores(YES, None) == Scores(qald_precision=1)


def test_a_boolean_in_a_column_is_the_same_boolean() -> None:
    assert scores(NO, table("x", "false^^boolean")) == RIGHT
    assert scores(table("x", "1^^boolean"), YES) == RIGHT


def test_a_select_for_a_boolean_is_wrong_but_by_rows_where_it_counts_as_whether_there_is_something() -> None:
    assert scores(YES, ABCD) == Scores(rowwise_f1=1)
    assert scores(NO, ABCD) == Scores()
    assert scores(NO, NOTHING) == Scores(rowwise_f1=1, qald_precision=1)
    assert scores(ABCD, YES) == Scores()


def test_rows_count_once_in_sets_and_as_often_as_they_stand_when_they_are_paired() -> None:
    found = scores(table("x", "a", "b"), table("x", "a", "a", "a", "b"))
    assert found.exact
    assert found.f1 == 1
    # Four rows for two: both are met, and two are too many; 2 * 2 / (2 + 2 + 2).
    assert found.rowwise_f1 == pytest.approx(2 / 3)


def test_the_order_and_the_names_of_columns_say_nothing() -> None:
    gold = table("country city", "it rome", "fr paris")
    assert scores(gold, table("a b", "rome it", "paris fr")) == RIGHT
    assert scores(gold, table("city country", "rome it", "paris fr")) == RIGHT
    assert scores(gold, table("city country", "it rome", "fr paris")) == RIGHT


def test_columns_are_turned_for_all_rows_or_for_none() -> None:
    found = scores(table("a b", "1 2", "3 4"), table("a b", "1 2", "4 3"))
    assert found.f1 == pytest.approx(1 / 2)
    assert not found.exact


def test_columns_that_are_equal_as_sets_are_told_apart_by_rows() -> None:
    gold = table("parent child", "a b", "b c", "c a")
    assert scores(gold, table("x y", "b a", "c b", "a c")).exact


def test_many_columns_are_put_together_by_what_they_hold() -> None:
    places = range(12)
    gold = table(" ".join(f"g{n}" for n in places), *(" ".join(f"r{row}c{n}" for n in places) for row in range(3)))
    turned = table(
        " ".join(f"p{n}" for n in places), *(" ".join(f"r{row}c{n}" for n in reversed(places)) for row in range(3))
    )
    assert scores(gold, turned) == RIGHT
    half = table(" ".join(f"p{n}" for n in places), *(" ".join(f"q{n}" for n in places) for _ in range(3)))
    assert scores(gold, half) == Scores()


def test_a_further_column_costs_the_tuples_and_not_the_column() -> None:
    found = scores(table("who", "a", "b"), table("person born", "a 1900^^gYear", "b 1901^^gYear"))
    assert (found.f1, found.exact) == (0, False)
    assert (found.column_f1, found.column_exact) == (1, True)
    assert found.rowwise_f1 == 1


def test_tuples_are_over_the_variables_of_gold_where_the_answer_has_them_all() -> None:
    found = scores(table("who", "a", "b"), table("born who", "1900^^gYear a", "1901^^gYear b"))
    assert (found.f1, found.exact) == (1, True)


def test_a_missing_column_costs_the_tuples_and_not_the_first_column() -> None:
    found = scores(table("who born", "a 1900^^gYear", "b 1901^^gYear"), table("x", "a", "b"))
    assert (found.f1, found.column_f1) == (0, 1)
    # Each row has half of what gold has: 2 * 1 / (1 + 2).
    assert found.rowwise_f1 == pytest.approx(2 / 3)


def test_labels_are_no_part_of_an_answer() -> None:
    gold = table("item itemLabel itemDescription", "a A@en one", "b B@en two")
    assert scores(gold, table("x", "a", "b")) == RIGHT
    assert scores(table("x", "a", "b"), gold) == RIGHT


def test_labels_alone_are_an_answer() -> None:
    assert scores(table("itemLabel", "Rome@en"), table("name", "Rome@it")) == RIGHT


def test_the_best_column_may_be_one_of_labels() -> None:
    found = scores(table("name", "Rome@en"), table("item itemLabel", "rome Rome@en"))
    assert (found.f1, found.column_f1) == (0, 1)


def test_the_best_matching_column_is_taken() -> None:
    found = scores(ABCD, table("p q", "e a", "f b", "g c"))
    assert found.column_f1 == pytest.approx(2 * 3 / (4 + 3))


def test_numbers_dates_and_texts_are_compared_by_what_they_mean() -> None:
    gold = table("x", "1^^integer", "2.50^^decimal", "1989-11-09^^date", "Berlin@de")
    assert (
        scores(gold, table("x", "1.0^^decimal", "2.5E0^^double", "1989-11-09T00:00:00Z^^dateTime", '"Berlin"')) == RIGHT
    )


def test_unbound_cells_are_like_each_other_and_rows_of_them_are_none() -> None:
    gold = table("x y", "a -", "b c", "- -")
    assert scores(gold, table("x y", "a -", "b c")) == RIGHT
    assert scores(table("x", "a"), table("x y", "a -")).f1 == 1


def test_an_answer_of_unbound_cells_is_empty() -> None:
    assert scores(ABCD, table("x", "-", "-")) == Scores(qald_precision=1)


def test_macro_f1_qald_is_the_harmonic_mean_of_means() -> None:
    # Precision 1, 1 (not answered), 1/2; recall 1, 0, 1/2.
    run = [scores(ABCD, ABCD), scores(ABCD, None), scores(ABCD, table("x", "a", "b", "e", "f"))]
    precision, recall = (1 + 1 + 1 / 2) / 3, (1 + 0 + 1 / 2) / 3
    assert macro_f1_qald(run) == pytest.approx(2 * precision * recall / (precision + recall))


def test_macro_f1_qald_of_nothing_and_of_all_wrong() -> None:
    assert math.isnan(macro_f1_qald([]))
    assert macro_f1_qald([scores(ABCD, table("x", "e"))]) == 0
