"""Where clauses, columns and conditions stand in a text."""

from __future__ import annotations

import pytest

from proxy.syntax import PartKind, ScopeKind
from tests.unit.syntax.reading import checked


def parts(text: str) -> list[tuple[str, str, str]]:
    """List kind, text and name of the parts."""
    syntax = checked(text)
    return [(part.kind.value, syntax.written(part), part.name) for part in syntax.parts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * { ?s ?p ?o }", [("select", "SELECT *", "")]),
        ("ASK { ?s ?p ?o } LIMIT 1", [("ask", "ASK", ""), ("limit", "LIMIT 1", "")]),
        (
            "PREFIX a: <http://a/> # why\nSELECT DISTINCT ?s  (YEAR(?o) AS ?y) WHERE { ?s ?p ?o }",
            [
                ("column", "?s", "s"),
                ("column", "(YEAR(?o) AS ?y)", "y"),
                ("select", "SELECT DISTINCT ?s  (YEAR(?o) AS ?y)", ""),
            ],
        ),
        ("SELECT ?a, ?b { ?a ?p ?b }", [("column", "?a", "a"), ("column", "?b", "b"), ("select", "SELECT ?a, ?b", "")]),
        (
            "SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(?o) > 1) "
            "ORDER BY DESC(?s) ?o OFFSET 2 LIMIT 3 VALUES ?s {}",
            [
                ("column", "?s", "s"),
                ("select", "SELECT ?s", ""),
                ("condition", "?s", ""),
                ("group", "GROUP BY ?s", ""),
                ("having", "HAVING (COUNT(?o) > 1)", ""),
                ("condition", "DESC(?s)", ""),
                ("condition", "?o", ""),
                ("order", "ORDER BY DESC(?s) ?o", ""),
                ("offset", "OFFSET 2", ""),
                ("limit", "LIMIT 3", ""),
                ("values", "VALUES ?s {}", ""),
            ],
        ),
        (
            "SELECT ?s { ?s ?p ?o FILTER(?o > 2) BIND(YEAR(?o) AS ?y) FILTER NOT EXISTS { ?s :q ?o FILTER(?o = 3) } }",
            [
                ("column", "?s", "s"),
                ("select", "SELECT ?s", ""),
                ("filter", "FILTER(?o > 2)", ""),
                ("bind", "BIND(YEAR(?o) AS ?y)", "y"),
                ("filter", "FILTER(?o = 3)", ""),
                ("filter", "FILTER NOT EXISTS { ?s :q ?o FILTER(?o = 3) }", ""),
            ],
        ),
        ("CONSTRUCT { ?s :p 1 } WHERE { ?s ?p ?o } LIMIT 5", [("limit", "LIMIT 5", "")]),
        (
            "\\u0053ELECT ?s { ?s ?p ?o } LIM\\u0049T 7",
            [("column", "?s", "s"), ("select", "\\u0053ELECT ?s", ""), ("limit", "LIM\\u0049T 7", "")],
        ),
    ],
)
def test_parts_in_the_order_in_which_they_end(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert parts(text) == expected


def test_a_clause_of_the_query_itself_has_no_scope_and_one_inside_has_its_group() -> None:
    syntax = checked("SELECT ?a { { SELECT ?a { ?a :p ?b } ORDER BY ?b LIMIT 1 } FILTER(?a != :x) }")
    scopes = {(part.kind, part.start): part.scope for part in syntax.parts}
    outer = [kind for (kind, _), scope in scopes.items() if scope is None]
    assert outer == [PartKind.COLUMN, PartKind.SELECT]
    limit = next(part for part in syntax.parts if part.kind is PartKind.LIMIT)
    assert limit.scope is not None
    assert limit.scope.kind is ScopeKind.GROUP
    within = next(part for part in syntax.parts if part.kind is PartKind.FILTER)
    assert within.scope is not None
    assert within.scope.kind is ScopeKind.WHERE


def test_words_of_a_part_are_keywords_in_capitals_and_the_rest_as_written() -> None:
    syntax = checked('SELECT ?s { ?s ?p ?o filter(str(?o)="YEAR" && ?o<3 #x\n) }')
    part = next(part for part in syntax.parts if part.kind is PartKind.FILTER)
    assert syntax.words(part) == ("FILTER", "(", "STR", "(", "?o", ")", "=", '"YEAR"', "&&", "?o", "<", "3", ")")


def test_a_pattern_knows_where_its_predicate_stands_also_where_patterns_share_it() -> None:
    syntax = checked("SELECT * { ?s :p/:q* ?o , 1 ; a :c . ?a ?b [ :r 2 ] }")
    verbs = [syntax.text[slice(*pattern.verb)] for pattern in syntax.patterns]
    assert verbs == [":p/:q*", ":p/:q*", "a", ":r", "?b"]
