from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.cache.directives import Wish, matches, wish


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, Wish()),
        ("", Wish()),
        ("no-cache", Wish(max_age_s=-1.0)),
        ("No-Store", Wish(store=False)),
        ("max-age=10", Wish(max_age_s=10.0)),
        (' max-age="10" , no-transform', Wish(max_age_s=10.0)),
        ("max-age=10, max-age=5", Wish(max_age_s=5.0)),
        ("max-age=10, no-cache", Wish(max_age_s=-1.0)),
        ("max-age=-5", Wish(max_age_s=0.0)),
        ("max-age", Wish(max_age_s=0.0)),
        ("max-age=²", Wish(max_age_s=0.0)),
        ("no-cachet, x=no-store", Wish()),
    ],
)
def test_what_a_client_asks_for(text: str | None, expected: Wish) -> None:
    assert wish(text) == expected
    assert wish(text).stale == (expected.max_age_s == inf)


@given(st.text(max_size=40))
def test_no_header_is_an_error(text: str) -> None:
    wish(text)
    matches(text, 'W/"a"')


@pytest.mark.parametrize(
    ("offered", "known"),
    [(None, False), ("", False), ("*", True), ('W/"a"', True), ('"a"', True), ('"b", W/"a"', True), ('"b"', False),
     ("a", False), ('"a', False)],
)  # fmt: skip
def test_names_are_compared_weakly(offered: str | None, known: bool) -> None:
    assert matches(offered, 'W/"a"') is known
