"""Scopes, and which patterns no solution can do without."""

from __future__ import annotations

import pytest

from proxy.syntax import Iri, ScopeKind, TriplePattern, Variable, steps
from tests.unit.syntax.reading import checked, inside


def pattern(text: str) -> TriplePattern:
    """Find the pattern whose object is `:x`."""
    return next(p for p in checked(text).patterns if p.object == Iri("http://e.org/x"))


@pytest.mark.parametrize(
    ("text", "kind", "required"),
    [
        (inside("?s :p :x"), "where", True),
        (inside("{ ?s :p :x }"), "group", True),
        (inside("{{ ?s :p :x }} ?a ?b ?c"), "group", True),
        (inside("OPTIONAL { ?s :p :x }"), "optional", False),
        (inside("OPTIONAL { { ?s :p :x } }"), "group", False),
        (inside("?s ?p ?o MINUS { ?s :p :x }"), "minus", False),
        (inside("{ ?s :p :x } UNION { ?s ?p ?o }"), "union", False),
        (inside("{ ?s ?p ?o } UNION { ?s :p :x }"), "union", False),
        (inside("FILTER EXISTS { ?s :p :x }"), "exists", True),
        (inside("FILTER (EXISTS { ?s :p :x })"), "exists", True),
        (inside("FILTER (EXISTS { ?s :p :x } || ?a)"), "exists", False),
        (inside("FILTER (!EXISTS { ?s :p :x })"), "exists", False),
        (inside("FILTER NOT EXISTS { ?s :p :x }"), "not_exists", False),
        (inside("BIND (EXISTS { ?s :p :x } AS ?e)"), "exists", False),
        (inside("OPTIONAL { FILTER EXISTS { ?s :p :x } }"), "exists", False),
        (inside("GRAPH ?g { ?s :p :x }"), "graph", True),
        (inside("SERVICE :s { ?s :p :x }"), "service", True),
        (inside("SERVICE SILENT :s { ?s :p :x }"), "service", False),
        (inside("LATERAL { ?s :p :x }"), "lateral", True),
        (inside("{ SELECT ?s { ?s :p :x } }"), "subselect", True),
        (inside("{ SELECT (COUNT(*) AS ?n) { ?s :p :x } }"), "subselect", False),
        (inside("{ SELECT (COUNT(*) + 1 AS ?n) WHERE { ?s :p :x } LIMIT 1 }"), "subselect", False),
        (inside("{ SELECT ?s (COUNT(*) AS ?n) { ?s :p :x } GROUP BY ?s }"), "subselect", True),
        (inside("{ SELECT * { ?s :p :x } HAVING (COUNT(*) > 0) }"), "subselect", False),
        (inside("{ SELECT ?s { ?s :p :x } ORDER BY COUNT(?s) }"), "subselect", False),
        (inside("{ SELECT ?s { ?s :p :x } ORDER BY ?s } { SELECT (COUNT(*) AS ?n) {} }"), "subselect", True),
        ("SELECT (COUNT(*) AS ?n) { ?s :p :x }", "where", True),
        ("ASK { ?s :p :x }", "where", True),
        ("DESCRIBE ?s { ?s :p :x }", "where", True),
        ("CONSTRUCT { ?s :p :x } WHERE { ?s ?p ?o }", "template", False),
        ("CONSTRUCT WHERE { ?s :p :x }", "where", True),
        ("INSERT DATA { :s :p :x }", "data", False),
        ("DELETE { ?s :p :x } WHERE { ?s ?p ?o }", "template", False),
        ("INSERT { ?s ?p ?o } WHERE { ?s :p :x }", "where", True),
        ("DELETE WHERE { ?s :p :x }", "where", True),
        ("DELETE WHERE { GRAPH ?g { ?s :p :x } }", "graph", True),
        ("INSERT DATA { GRAPH :g { :s :p :x } }", "data", False),
        (inside("?s :p* :x"), "where", False),
        (inside("?s :p? :x"), "where", False),
        (inside("?s :p+ :x"), "where", True),
        (inside("?s :q/:p* :x"), "where", True),
        (inside("?s :q*/:p? :x"), "where", False),
        (inside("?s (:q|:p*) :x"), "where", False),
        ("SELECT * WITH { SELECT * { ?s :p :x } } AS %a WHERE { INCLUDE %a }", "subselect", True),
        ("SELECT * WITH { SELECT * { ?s :p :x } } AS %a WHERE { OPTIONAL { INCLUDE %a } }", "subselect", False),
        ("SELECT * WITH { SELECT * { ?s :p :x } } AS %a WHERE { ?s ?p ?o }", "subselect", False),
        (
            "SELECT * WITH { SELECT * { ?s :p :x } } AS %a WITH { SELECT * { INCLUDE %a } } AS %b { INCLUDE %b }",
            "subselect",
            True,
        ),
    ],
)
def test_kind_and_required(text: str, kind: str, required: bool) -> None:
    found = pattern(text)
    assert (found.scope.kind, found.required) == (kind, required)


def test_scopes_carry_names_and_parents() -> None:
    found = pattern(inside("GRAPH :g { SERVICE ?t { OPTIONAL { ?s :p :x } } }"))
    assert [scope.kind for scope in found.scope.ancestors()] == [ScopeKind.SERVICE, ScopeKind.GRAPH, ScopeKind.WHERE]
    assert found.scope.service == Variable("t")
    assert found.scope.inside(ScopeKind.GRAPH)
    assert not found.scope.inside(ScopeKind.MINUS)
    assert found.scope.depth == 3
    assert pattern(inside("GRAPH :g { ?s :p :x }")).scope.name == Iri("http://e.org/g")


def test_scopes_have_the_extent_of_their_brackets() -> None:
    text = inside("OPTIONAL { ?s :p :x }")
    scope = pattern(text).scope
    assert text[scope.start : scope.end] == "{ ?s :p :x }"


def test_sub_selects_say_what_they_let_out() -> None:
    assert pattern(inside("{ SELECT ?a (1 AS ?b) { ?s :p :x } }")).scope.projection == ("a", "b")
    assert pattern(inside("{ SELECT * { ?s :p :x } }")).scope.projection is None
    assert pattern("SELECT (SUM(?s) AS ?n) { ?s :p :x }").scope.aggregated


def test_a_named_subquery_stands_where_it_is_included() -> None:
    text = "SELECT * WITH { SELECT ?s { ?s :p :x } } AS %a WHERE { GRAPH :g { INCLUDE %a } }"
    kinds = [scope.kind for scope in pattern(text).scope.ancestors()]
    assert kinds == [ScopeKind.NAMED, ScopeKind.GRAPH, ScopeKind.WHERE]


def test_constants_of_bind_and_values() -> None:
    syntax = checked(
        "SELECT * { BIND (:a AS ?a) BIND (?z AS ?b) BIND ('x'@en AS ?c) BIND (1 + 1 AS ?d)"
        " OPTIONAL { VALUES (?e ?f) { (1 UNDEF) (:b 'y') } } LET (?h := 5) } VALUES ?g { :c }"
    )
    found = {b.variable.name: [str(term) for term in b.terms] for b in syntax.bindings}
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    assert found == {
        "a": ["<http://e.org/a>"],
        "c": ['"x"@en'],
        "e": [f'"1"{integer}', "<http://e.org/b>"],
        "f": ["None", '"y"'],
        "h": [f'"5"{integer}'],
        "g": ["<http://e.org/c>"],
    }
    assert [b.scope.kind.value if b.scope else None for b in syntax.bindings] == [
        *("where", "where", "optional", "optional", "where"),
        None,
    ]


def test_steps_of_a_path() -> None:
    predicate = checked(inside("?s ^(:a/:b)/(:c|:d)/:e*/:f+/!:g ?o")).patterns[0].predicate
    found = [(step.iri.value[-1], step.inverse, step.required) for step in steps(predicate)]
    assert found == [
        *(("b", True, True), ("a", True, True), ("c", False, False)),
        *(("d", False, False), ("e", False, False), ("f", False, True)),
    ]
    assert list(steps(Variable("p"))) == []
