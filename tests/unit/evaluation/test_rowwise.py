"""Rows paired with rows, against values worked out by hand and by trying all pairings."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from plugins.evaluation.metrics.answer import Answer
from plugins.evaluation.metrics.assignment import assigned
from plugins.evaluation.metrics.rowwise import MOST_ROWS, rowwise_f1
from plugins.nl.contract import Table
from tests.unit.evaluation.answers import NOTHING, table


def f1(gold: Table, given: Table) -> float:
    return rowwise_f1(Answer.of(gold), Answer.of(given))


def best(worth: dict[tuple[int, int], int], left: int, right: int) -> int:
    small, large = sorted((left, right))
    return max(
        sum(worth.get((one, two) if left <= right else (two, one), 0) for one, two in enumerate(order))
        for order in permutations(range(large), small)
    )


def test_a_row_counts_by_the_share_of_golds_values() -> None:
    gold = table("x y", "a b", "c d")
    # One row whole, one by half: shared 1.5, missed 0.5, none too many: 2 * 1.5 / (1.5 + 2).
    assert f1(gold, table("x y", "a b", "c e")) == pytest.approx(3 / 3.5)
    # Both by half.
    assert f1(gold, table("x y", "a e", "c f")) == pytest.approx(2 / 3)


def test_rows_that_are_too_many_and_too_few() -> None:
    gold = table("x y", "a b", "g h")
    # One of two is met and two are too many: precision 1/3 and recall 1/2.
    assert f1(gold, table("x y", "a b", "c d", "e f")) == pytest.approx(2 * 1 / (1 + 2 + 1))
    # One of two is met, none too many.
    assert f1(gold, table("x y", "a b")) == pytest.approx(2 / 3)


def test_order_within_a_row_and_further_columns_do_not_matter() -> None:
    assert f1(table("x y", "a b", "c d"), table("p q r", "e b a", "d f c")) == 1


def test_a_value_twice_in_a_row_must_be_there_twice() -> None:
    assert f1(table("x y", "a a"), table("x y", "a b")) == pytest.approx(2 * 0.5 / (0.5 + 1))


def test_the_pairing_is_the_best_and_not_the_first() -> None:
    # The first row shares two with either; only the other way round are all met.
    gold = table("x y z", "a b c", "a b d")
    assert f1(gold, table("x y z", "a b d", "a b c")) == 1
    gold = table("x y", "a b", "a c")
    # Greedy in the order of rows would leave `a c` with `e b`.
    assert f1(gold, table("x y", "a d", "e b")) == pytest.approx(2 * 1 / (1 + 2))


def test_with_further_columns_an_equal_row_need_not_be_the_best_partner() -> None:
    assert f1(table("x", "a", "b"), table("x y", "a b", "a c")) == 1


def test_nothing_is_like_nothing() -> None:
    assert f1(NOTHING, NOTHING) == 1
    assert f1(NOTHING, table("x", "a")) == f1(table("x", "a"), NOTHING) == 0


def test_beyond_the_bound_whole_rows_count() -> None:
    rows = [f"a{n} b{n}" for n in range(MOST_ROWS + 1)]
    gold = table("x y", *rows)
    halves = table("x y", *(f"a{n} c{n}" for n in range(MOST_ROWS + 1)))
    assert f1(gold, table("y x", *(" ".join(reversed(row.split())) for row in rows))) == 1
    assert f1(gold, halves) == 0
    assert f1(gold, table("x y", *rows[:41])) == pytest.approx(2 * 41 / (MOST_ROWS + 1 + 41))


def test_many_rows_are_paired_by_what_they_share_most() -> None:
    size = 600
    gold = table("x y z", *(f"a{n} same b{n % 5}" for n in range(size)))
    given = table("x y z", *(f"a{n} same c{n % 5}" for n in reversed(range(size))))
    # Every row has two of three.
    assert f1(gold, given) == pytest.approx(2 * (2 / 3) / (2 / 3 + 1))


def test_many_wide_rows_are_paired_too() -> None:
    width, size = range(9), 200
    gold = table(" ".join(f"g{n}" for n in width), *(" ".join(f"r{row}c{n}" for n in width) for row in range(size)))
    given = table(
        " ".join(f"p{n}" for n in width), *(" ".join(f"r{row}c{n}" if n else "e" for n in width) for row in range(size))
    )
    assert f1(gold, given) == pytest.approx(2 * (8 / 9) / (8 / 9 + 1))


@pytest.mark.parametrize("seed", range(40))
def test_pairs_are_the_best_that_trying_all_finds(seed: int) -> None:
    chance = random.Random(seed)
    left, right = chance.randint(1, 5), chance.randint(1, 6)
    worth = {(one, two): chance.randint(1, 4) for one in range(left) for two in range(right) if chance.random() < 0.7}
    found = assigned(worth)
    assert len(set(found.values())) == len(found)
    assert sum(worth[pair] for pair in found.items()) == best(worth, left, right)


def test_no_pairs_give_none() -> None:
    assert assigned({}) == {}


@pytest.mark.parametrize("seed", range(20))
def test_equal_rows_first_is_still_the_best(seed: int) -> None:
    chance = random.Random(seed)
    gold, given = (
        table("x y", *(f"a{chance.randint(0, 3)} b{chance.randint(0, 2)}" for _ in range(chance.randint(1, 5))))
        for _ in range(2)
    )
    rows, others = Answer.of(gold).rows, Answer.of(given).rows
    worth = {
        (one, two): sum(a == b for a, b in zip(row, other, strict=True))
        for one, row in enumerate(rows)
        for two, other in enumerate(others)
    }
    shared = best(worth, len(rows), len(others)) / 2
    expected = 2 * shared / (shared + len(rows) + max(0, len(others) - len(rows)))
    assert f1(gold, given) == pytest.approx(expected)
