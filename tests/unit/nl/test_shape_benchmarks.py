"""Forms of the shared questions beside those of their gold queries. The thresholds stand below what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.shape import Case, accuracy, cases, score


@pytest.fixture(scope="module")
def found(shared: Path) -> list[Case]:
    return list(cases(shared / "data" / "benchmarks"))


def test_yes_or_no_is_told_from_the_rest(found: list[Case]) -> None:
    asks = score(found, "ask")
    assert (asks.recall or 0) >= 0.97
    assert (asks.precision or 0) >= 0.97


@pytest.mark.parametrize(("language", "least"), [("en", 0.97), ("de", 0.97), ("es", 0.96), ("ru", 0.96), ("zh", 0.95)])
def test_the_form_is_that_of_the_gold_query(found: list[Case], language: str, least: float) -> None:
    spoken = [case for case in found if case.language == language]
    assert accuracy(spoken) >= least
    asks = score(spoken, "ask")
    assert min(asks.recall or 0, asks.precision or 0) >= 0.93


def test_counts_and_superlatives_are_told(found: list[Case]) -> None:
    counts, superlatives = score(found, "count"), score(found, "superlative")
    assert min(counts.recall or 0, counts.precision or 0) >= 0.92
    assert (superlatives.recall or 0) >= 0.87
    assert (superlatives.precision or 0) >= 0.79


def test_the_language_is_told_without_being_given(found: list[Case]) -> None:
    assert sum(case.shape.language == case.language for case in found) / len(found) >= 0.99
