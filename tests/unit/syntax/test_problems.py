"""Messages that a person can act on."""

from __future__ import annotations

import pytest

from proxy.syntax import read
from proxy.syntax.problems import nearest, position

MESSAGES = [
    (
        "SELECT * {\n  ?s ?p ?o .\n  FILTRE (?o > 1)\n}",
        "line 3, column 3: expected a triple pattern, a keyword such as OPTIONAL, or '}', found 'FILTRE'; "
        "did you mean FILTER?",
    ),
    ("SELECT * { ?s ?p }", "line 1, column 18: expected a term, found '}'"),
    ("SELECT * { ?s }", "line 1, column 15: expected a property or a variable, found '}'"),
    (
        "SELECT * { ?s ?p ?o",
        "line 1, column 20: expected a triple pattern, a keyword such as OPTIONAL, or '}', found the end; "
        "the '{' of line 1, column 10 is never closed",
    ),
    ("SELECT * { ?s ?p 'abc }", "line 1, column 18: the string that starts with 'abc } is never closed"),
    ("SELECT * {} LIMIT ten", "line 1, column 19: expected a whole number, found 'ten'"),
    ("SELECT * { FILTER (STRSTART(?a, 'b')) }", "did you mean STRSTARTS?"),
    ("SELECT * { FILTER (STR(?a, ?b)) }", "expected STR with 1 argument, found 'STR'; it has 2 here"),
    ("SELECT * { FILTER (REGEX(?a)) }", "expected REGEX with 2 to 3 arguments"),
    ("SELECT * { VALUES (?a ?b) { (1) } }", "expected 2 values, found ')'; this row has 1"),
    ("SELECT * { FILTER (?a = ?b = ?c) }", "comparisons do not chain"),
    ("SELECT * { <http://e.org/a b> ?p ?o }", "it holds a space or another character that IRIs cannot have"),
    ("SELECT * { ?s ?p “x” }", "strings are quoted with \" or '"),
    ("SELECT * {\u00a0?s ?p ?o }", "this is a special space (U+00A0): write a usual one"),
    ("SELECT * { ?s ?p \0 }", "this is the character U+0000"),
    ("SELECT * { ?s ?p '\\d+' }", "\\d is no escape: write \\\\d for a backslash"),
    ("INSERT DATA { ?s ?p ?o }", "DATA can hold no variables"),
    ("SELECT * { ?s <p>/<q> ?o {| <r> 1 |} }", "only a triple with a single property can be annotated"),
    ("SELECT * {} ORDERBY ?x", "did you mean ORDER?"),
    ("PREFIX a <b> SELECT * {}", "expected a prefix such as 'ex:', found 'a'"),
    ("SELECT * { ?s ?p ?o ?s ?p ?o }", "line 1, column 21: expected '.', ';', ',', or '}', found '?s'"),
]


@pytest.mark.parametrize(("text", "said"), MESSAGES)
def test_message(text: str, said: str) -> None:
    problem = read(text).problem
    assert problem is not None
    assert said in str(problem)


@pytest.mark.parametrize(
    ("offset", "expected"), [(0, (1, 1)), (1, (1, 2)), (2, (2, 1)), (5, (3, 1)), (6, (4, 1)), (7, (4, 2))]
)
def test_lines_end_in_three_ways(offset: int, expected: tuple[int, int]) -> None:
    assert position("a\nb\r\n\rc", offset) == expected


def test_columns_count_characters_of_the_original() -> None:
    problem = read("SELECT * { ?s ?p '\\u00e9𐐀' FOO }").problem
    assert problem is not None
    assert (problem.line, problem.column) == (1, 28)


@pytest.mark.parametrize(
    ("word", "close"),
    [("FILTRE", "FILTER"), ("selekt", "SELECT"), ("OPTINAL", "OPTIONAL"), ("SELECT", None), ("xyzzy", None)],
)
def test_nearest(word: str, close: str | None) -> None:
    assert nearest(word) == close


def test_long_tokens_are_cut() -> None:
    problem = read("SELECT * { " + "x" * 5000 + " }").problem
    assert problem is not None
    assert len(str(problem)) < 300
