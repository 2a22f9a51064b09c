"""Edits at places of a query: what they leave is a query again, however it is written."""

from __future__ import annotations

import pytest

from plugins.nl.gate.draft import Draft
from proxy.syntax import read

PREFIXES = {"": "http://e.org/"}


def draft(text: str) -> Draft:
    found = Draft.of(text, PREFIXES)
    assert found.obstacle == ""
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT ?s { ?s :p ?o }", "SELECT ?s { ?s :p ?o . ?s :q 1 . FILTER(?o > 2) }"),
        ("SELECT ?s { ?s :p ?o . }", "SELECT ?s { ?s :p ?o . ?s :q 1 . FILTER(?o > 2) }"),
        ("SELECT ?s { ?s :p ?o ; }", "SELECT ?s { ?s :p ?o ; . ?s :q 1 . FILTER(?o > 2) }"),
        ("SELECT ?s { ?s :p ?o FILTER(?o < 9) }", "SELECT ?s { ?s :p ?o FILTER(?o < 9) . ?s :q 1 . FILTER(?o > 2) }"),
        ("ASK { ?s :p ?o # last\n}", "ASK { ?s :p ?o # last\n . ?s :q 1 . FILTER(?o > 2) }"),
        (
            "SELECT ?s { SELECT ?s ?o { ?s :p ?o } LIMIT 3 }",
            "SELECT ?s { { SELECT ?s ?o { ?s :p ?o } LIMIT 3 } ?s :q 1 . FILTER(?o > 2) }",
        ),
    ],
)
def test_triples_and_conditions_are_added(text: str, expected: str) -> None:
    query = draft(text)
    found = query.edited(*query.added(query.root, "?s :q 1 .", "FILTER(?o > 2)"))
    assert " ".join(found.split()) == " ".join(expected.split())
    assert read(found, prefixes=PREFIXES).checked


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?s { ?s :p ?o }",
        "SELECT ?s { ?s :p ?o . }",
        "SELECT ?s { ?s :p ?o ; :q ?v }",
        "SELECT ?s { ?s :q ?v ; :p ?o ; :r ?w . ?w :a ?b }",
        "SELECT ?s { ?a :b ?s . ?s :p ?o . ?o :c ?d }",
        "SELECT ?s { ?s :p ?o FILTER(?o > 1) OPTIONAL { ?s :q ?v } }",
    ],
)
def test_a_pattern_is_denied(text: str) -> None:
    query = draft(text)
    pattern = next(each for each in query.patterns if str(each.predicate).endswith("/p>"))
    edits = query.denied(pattern)
    assert edits is not None
    found = read(query.edited(*edits), prefixes=PREFIXES)
    assert found.checked, found.text
    assert [str(each) for each in found.patterns if each.scope.kind == "not_exists"] == [str(pattern)]
    assert len(found.patterns) == len(query.patterns)


@pytest.mark.parametrize("text", ["SELECT ?s { ?s :p ?o , ?v }", "SELECT ?s { [] :p ?o }"])
def test_a_pattern_that_shares_its_words_is_not_cut_out(text: str) -> None:
    query = draft(text)
    assert query.denied(query.patterns[0]) is None


@pytest.mark.parametrize(
    "text",
    [
        "PREFIX a: <http://a/> SELECT ?s WHERE { ?s :p ?o } ORDER BY ?o LIMIT 3 # end",
        "SELECT ?s { ?s :p ?o # in\n } VALUES ?o { 1 2 }",
        "SELECT ?s { { SELECT ?s { ?s :p ?o } } } OFFSET 2",
    ],
)
def test_whole_and_body_stand_in_other_queries(text: str) -> None:
    query = draft(text)
    for found in (f"{query.head}ASK {{ {{ {query.whole} }} }}", f"{query.head}SELECT * {{ {query.body} }}"):
        assert read(found, prefixes=PREFIXES).checked, found


def test_a_fresh_variable_is_not_there_yet() -> None:
    assert draft("SELECT ?n { ?n :p $n2 }").fresh("n") == "n3"
