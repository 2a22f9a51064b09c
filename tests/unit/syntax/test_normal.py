"""Layout folds; nothing else does."""

from __future__ import annotations

import pytest

from proxy.syntax import read
from tests.unit.syntax.reading import PREFIXES


def normal(text: str) -> str:
    return read(text, prefixes=PREFIXES).normal


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?s ?p ?o }",
        "SELECT  *\n{\n\t?s ?p ?o\n}\n",
        "SELECT * # all\n{?s ?p ?o}",
        "  SELECT\r\n* {?s#x\n?p\n?o }",
    ],
)
def test_layout_folds(text: str) -> None:
    assert normal(text) == "SELECT * {?s ?p ?o}"


def test_brackets_and_commas_take_no_space_inside() -> None:
    assert normal("SELECT * { ?s :p ( 1 2 ) , [ :q 3 ; ] ; :r 4 }") == "SELECT * {?s :p (1 2),[:q 3;];:r 4}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT * { ?s ?p 'a  b' }", "SELECT * { ?s ?p 'a b' }"),
        ("SELECT * { ?s ?p '''a\n b''' }", "SELECT * { ?s ?p '''a b''' }"),
        ("SELECT * { ?s ?p 'a # b' }", "SELECT * { ?s ?p 'a ' }"),
        ("SELECT * { ?s ?p (1 .5) }", "SELECT * { ?s ?p (1.5) }"),
        ("SELECT * { ?s ?p <a#b> }", "SELECT * { ?s ?p <a> }"),
        ("SELECT * { ?s ?p ?o }", "select * { ?s ?p ?o }"),
        ("SELECT * { ?s ?p ?o }", "SELECT * { $s $p $o }"),
        ("SELECT * { ?s ?p 'a' }", 'SELECT * { ?s ?p "a" }'),
        ("SELECT * { ?s :p?o }", "SELECT * { ?s :p? ?o }"),
        ("SELECT * { ?a ?b ?c }", "SELECT * { ?a ?b ?d }"),
    ],
)
def test_what_may_differ_in_meaning_stays_apart(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT  *  { ?s ?p }",
        "SELECT  *  { FILTER(?a<?b&&?c>?d) }",
        "SELECT  *  { ?s ?p '\\u0041' }",
        "SELECT  * #pragma reasoning on\n{ }",
    ],
)
def test_what_endpoints_may_cut_differently_stays_as_it_is(text: str) -> None:
    assert normal(text) == text


def test_signs_keep_their_space() -> None:
    assert normal("SELECT * { <<( ?a ?b ?c )>> ?p ?o }") == "SELECT * {<<(?a ?b ?c)>> ?p ?o}"
    assert normal("SELECT * { FILTER (?a < ?b && ?c > ?d) }") == "SELECT * {FILTER (?a < ?b && ?c > ?d)}"
