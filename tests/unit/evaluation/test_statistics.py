"""Figures over lists, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from plugins.evaluation.statistics import better, interval, mean, median, percentile, precision_by_share


def test_mean_and_median() -> None:
    assert mean([1, 2, 6]) == 3
    assert median([6, 1, 2]) == 2
    assert median([6, 1, 2, 3]) == 2.5
    assert math.isnan(mean([]))
    assert math.isnan(median([]))


def test_percentiles_are_nearest_ranks() -> None:
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(list(range(1, 101)), 0.95) == 95
    assert percentile([7], 0.95) == 7
    assert percentile([1, 2], 0) == 1
    assert math.isnan(percentile([], 0.5))


def test_an_interval_is_about_that_of_a_share() -> None:
    # 40 of 100: the normal approximation says 0.4 +- 1.96 * sqrt(0.4 * 0.6 / 100), which is 0.304 to 0.496.
    low, high = interval([1.0] * 40 + [0.0] * 60)
    assert low == pytest.approx(0.304, abs=0.02)
    assert high == pytest.approx(0.496, abs=0.02)
    wider = interval([1.0] * 40 + [0.0] * 60, level=0.99)
    assert wider[0] < low < high < wider[1]


def test_an_interval_of_one_value_is_that_value_and_of_nothing_is_none() -> None:
    assert interval([0.1] * 10) == (0.1, 0.1)
    assert interval([0.5]) == (0.5, 0.5)
    assert all(math.isnan(each) for each in interval([]))


def test_the_same_seed_gives_the_same_interval() -> None:
    values = [n % 7 / 7 for n in range(60)]
    assert interval(values) == interval(values)
    assert interval(values, seed=1) != interval(values, seed=2)


def test_an_interval_of_many_values_is_narrow_and_draws_no_more_than_that_needs() -> None:
    # 0.5 +- 1.96 * 0.5 / sqrt(5000), which is 0.486 to 0.514.
    low, high = interval([float(n % 2) for n in range(5_000)], draws=10**9)
    assert low == pytest.approx(0.486, abs=0.003)
    assert high == pytest.approx(0.514, abs=0.003)


def test_a_clear_difference_is_significant_and_none_is_not() -> None:
    worse, best = [0.0] * 40, [1.0] * 20 + [0.0] * 20
    assert better(best, worse) < 0.01
    assert better(worse, best) > 0.99
    assert better(best, best) == 1
    assert better(best, worse) == better(best, worse), "the same seed gives the same value"
    assert math.isnan(better([], []))


def test_it_is_the_pairs_that_count() -> None:
    # Both have the same values but for one question; the one that is better there is never worse.
    values = [n % 2 * 1.0 for n in range(50)]
    lifted = [1.0, *values[1:]]
    assert better(lifted, values) == pytest.approx(math.exp(-1), abs=0.03), "1 of 50 is drawn with 1 - (1 - 1/50)^50"


def test_lists_of_different_length_are_no_pairs() -> None:
    with pytest.raises(ValueError, match="shorter"):
        better([1.0], [])


def test_precision_is_that_of_the_surest_first() -> None:
    sure = [0.9, 0.8, 0.1, 0.2, None, None, None, None, None, None]
    right = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    found = precision_by_share(sure, right)
    assert found[0] == (0.1, 1.0, 0.9)
    assert found[1] == (0.2, 1.0, 0.8)
    assert found[-1] == (0.4, 0.5, 0.1), "what was not answered has no share"
    assert precision_by_share([], []) == []
