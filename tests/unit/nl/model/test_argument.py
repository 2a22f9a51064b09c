"""The argument of an action, out of brackets, quotes and fences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.nl.model.argument import bracketed, plain, unfenced


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("(a)b", "a"),
        ("(a (b) [c] {d})", "a (b) [c] {d}"),
        ('(")")', '")"'),
        ('("a \\") b")', '"a \\") b"'),
        ("(it's) b's)", "it's"),
        ("(<http://e.org/a)>)", "<http://e.org/a)>"),
        ("(?a < 3 && ?b > 2)", "?a < 3 && ?b > 2"),
        ('("""a " ) b""")', '"""a " ) b"""'),
    ],
)
def test_the_bracket_that_closes(text: str, inside: str) -> None:
    assert bracketed(text, 0) == (inside, len(inside) + 2)


@pytest.mark.parametrize("text", ["(", "(a", "((a)", '("a', "(<a"])
def test_no_bracket_closes(text: str) -> None:
    assert bracketed(text, 0) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Obama", "Obama"),
        (' "Obama" ', "Obama"),
        ("'Obama'", "Obama"),
        ("`Obama`", "Obama"),
        ('"Obama",', "Obama"),
        ('"a" and "b"', '"a" and "b"'),
        ('"a \\"b\\" c"', 'a "b" c'),
        ('"a\\nb"', "a\nb"),
        ('"\\d"', "\\d"),
        ('query: "ASK {}"', "ASK {}"),
        ('query="ASK {}"', "ASK {}"),
        ("PREFIX a: <b>", "PREFIX a: <b>"),
        ('ASK { ?a ?b "x" }', 'ASK { ?a ?b "x" }'),
        ("```sparql\nASK {}\n```", "ASK {}"),
        ("```ASK {}```", "ASK {}"),
        ('"', ""),
        ('""', ""),
        ("", ""),
    ],
)
def test_what_was_put_around_an_argument_goes(written: str, meant: str) -> None:
    assert plain(written) == meant


def test_only_the_first_block_counts() -> None:
    assert unfenced("```sparql\nASK {}\n```\nor\n```\nASK {}```").strip() == "ASK {}"


@given(st.text(st.sampled_from("\"'`\\ab \n,=:")))
def test_any_text_gives_a_text(text: str) -> None:
    assert len(plain(text)) <= len(text)
