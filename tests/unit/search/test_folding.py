"""Folding: what counts as the same text, and how it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.search.folding import MOST_CHARS, fold, plain, prefixes, runs, terms, wanted

SAME = [
    ("Müller", "muller"),
    ("MÜLLER", "muller"),
    ("Mu\u0308ller", "Müller"),
    ("Straße", "STRASSE"),
    ("Łódź", "lodz"),
    ("Ångström", "angstrom"),
    ("Øresund", "oresund"),
    ("Æsop", "aesop"),
    ("İstanbul", "istanbul"),
    ("Иосиф", "иосиф"),
    ("Ёлка", "елка"),
    ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ("ＡＢＣ　１２", "abc 12"),
    ("O\u2019Brien", "o'brien"),
    ("a\u00a0 b\t", "a b"),
    ("Jean\u2013Paul", "jean-paul"),
    ("fi\u200bre", "fire"),
    ("ﬁre", "fire"),
    ("ｶﾞ", "ガ"),
    ("שָׁלוֹם", "שלום"),
    ("a\0b", "a b"),
]
OTHER = [("ガ", "カ"), ("한국", "한글"), ("कि", "का"), ("C++", "C"), ("กา", "กิ")]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_a_reader_takes_for_the_same_is_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_a_reader_tells_apart_stays_apart(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(st.text(max_size=300))
def test_folding_twice_changes_nothing_and_any_text_can_be_folded(text: str) -> None:
    once = fold(text)
    assert fold(once) == once
    assert len(once) <= MOST_CHARS
    once.encode()
    assert fold(plain(once)) == plain(once)


@given(st.text(alphabet=st.characters(codec=None), max_size=50))
def test_halves_of_surrogates_do_no_harm(text: str) -> None:
    fold(text).encode()


@given(st.text(min_size=1, max_size=60))
def test_a_name_has_every_term_that_is_wanted_of_it(text: str) -> None:
    folded = fold(text)
    words, signs = terms([folded])
    assert all(term in (signs if unspaced else words) for term, unspaced in wanted(runs(folded)))


def test_scripts_without_spaces_are_found_by_pairs() -> None:
    assert [term for term, _ in wanted(runs("美国总统"))] == ["美国", "国总", "总统"]
    assert wanted(runs("美")) == [("美", True)]
    assert runs("iphone手机 15") == [("iphone", False), ("手机", True), ("15", False)]
    assert {"美", "美国", "国"} == terms(["美国"])[1]


def test_short_beginnings_are_terms() -> None:
    assert prefixes(["berlin", "b"]) == {"b", "be", "ber", "berl"}
