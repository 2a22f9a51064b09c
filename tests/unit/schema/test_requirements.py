"""What a query asks of the graph: edges with their ends, whether they are required, and what is said of variables."""

from __future__ import annotations

import pytest

from plugins.schema.edges import Edge, edges
from plugins.schema.variables import Variables
from plugins.schema.vocabulary import vocabulary
from proxy.syntax import Blank, Iri, Syntax, Term, Variable
from tests.unit.schema.demo_schema import DIRECT, ENTITY, item, syntax


def shown(term: Term | None) -> str:
    if isinstance(term, Iri):
        return term.value.rpartition("/")[2]
    return "-" if term is None else "_" if isinstance(term, Blank) else str(term)


def line(edge: Edge) -> str:
    mark = "!" if edge.required else "?"
    return f"{shown(edge.subject)} {shown(edge.property)} {shown(edge.object)} {mark}"


def lines(text: str) -> list[str]:
    return [line(edge) for edge in edges(syntax(text))]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("?a wdt:P1 ?b", ["?a P1 ?b !"]),
        ("?a wdt:P1 ?b ; wdt:P2 ?c , wd:Q3", ["?a P1 ?b !", "?a P2 ?c !", "?a P2 Q3 !"]),
        ("?a ^wdt:P1 ?b", ["?b P1 ?a !"]),
        ("?a ^(^wdt:P1) ?b", ["?a P1 ?b !"]),
        ("wd:Q1 wdt:P1/wdt:P2 ?b", ["Q1 P1 _ !", "_ P2 ?b !"]),
        ("wd:Q1 ^(wdt:P1/wdt:P2) ?b", ["?b P1 _ !", "_ P2 Q1 !"]),
        ("wd:Q1 wdt:P1/^wdt:P2 ?b", ["Q1 P1 _ !", "?b P2 _ !"]),
        ("?a wdt:P1|wdt:P2 ?b", ["?a P1 ?b ?", "?a P2 ?b ?"]),
        ("?a wdt:P1* ?b", ["- P1 - ?"]),
        ("?a wdt:P1? ?b", ["- P1 - ?"]),
        ("?a wdt:P1+ ?b", ["- P1 - !"]),
        ("?a wdt:P1/wdt:P2* ?b", ["?a P1 _ !", "- P2 - ?"]),
        ("?a wdt:P1?/wdt:P2 ?b", ["- P1 - ?", "_ P2 ?b !"]),
        ("?a (wdt:P1/wdt:P2)+ ?b", ["- P1 _ !", "_ P2 - !"]),
        ("?a (wdt:P1*)+ ?b", ["- P1 - ?"]),
        ("?a !(wdt:P1|^wdt:P2) ?b", []),
        ("?a ?p ?b", []),
        ("OPTIONAL { ?a wdt:P1 ?b }", ["?a P1 ?b ?"]),
        ("?s wdt:P0 ?a MINUS { ?a wdt:P1 ?b }", ["?s P0 ?a !", "?a P1 ?b ?"]),
        ("?s wdt:P0 ?a FILTER NOT EXISTS { ?a wdt:P1 ?b }", ["?s P0 ?a !", "?a P1 ?b ?"]),
        ("?s wdt:P0 ?a FILTER EXISTS { ?a wdt:P1 ?b }", ["?s P0 ?a !", "?a P1 ?b !"]),
        ("?s wdt:P0 ?a BIND(EXISTS { ?a wdt:P1 ?b } AS ?e)", ["?s P0 ?a !", "?a P1 ?b ?"]),
        ("{ ?a wdt:P1 ?b } UNION { ?a wdt:P2 ?b }", ["?a P1 ?b ?", "?a P2 ?b ?"]),
        ("{ ?a wdt:P1 ?b }", ["?a P1 ?b !"]),
        ("GRAPH ?g { ?a wdt:P1 ?b }", ["?a P1 ?b !"]),
        ("{ SELECT ?a { ?a wdt:P1 ?b } }", ["?a P1 ?b !"]),
        ("{ SELECT (COUNT(?a) AS ?n) { ?a wdt:P1 ?b } }", ["?a P1 ?b ?"]),
        ("{ SELECT ?a (COUNT(?b) AS ?n) { ?a wdt:P1 ?b } GROUP BY ?a }", ["?a P1 ?b !"]),
        ("SERVICE <http://e.org/> { ?a wdt:P1 ?b }", []),
        ("SERVICE SILENT <http://e.org/> { ?a wdt:P1 ?b } ?a wdt:P2 ?c", ["?a P2 ?c !"]),
        ("wd:Q1 wdt:P1 [ wdt:P2 ?b ]", ["_ P2 ?b !", "Q1 P1 _ !"]),
        ("?s wdt:P0 ?b LATERAL { ?a wdt:P1 ?b }", ["?s P0 ?b !", "?a P1 ?b !"]),
        ("?s wdt:P0 ?b OPTIONAL { LATERAL { ?a wdt:P1 ?b } }", ["?s P0 ?b !", "?a P1 ?b ?"]),
        ("?s wdt:P0 ?b LATERAL { SELECT (COUNT(*) AS ?n) { ?a wdt:P1 ?b } }", ["?s P0 ?b !", "?a P1 ?b ?"]),
        ("?s wdt:P0 ?b MINUS { { OPTIONAL { ?a wdt:P1 ?b } } UNION { } }", ["?s P0 ?b !", "?a P1 ?b ?"]),
        ("?s wdt:P0 ?b FILTER(EXISTS { ?a wdt:P1 ?b } || true)", ["?s P0 ?b !", "?a P1 ?b ?"]),
        ("?s wdt:P0 ?b FILTER EXISTS { SELECT (MAX(?b) AS ?n) { ?a wdt:P1 ?b } }", ["?s P0 ?b !", "?a P1 ?b ?"]),
        (
            "?s wdt:P0 ?b OPTIONAL { ?s wdt:P2 ?c FILTER EXISTS { ?a wdt:P1 ?b } }",
            ["?s P0 ?b !", "?s P2 ?c ?", "?a P1 ?b ?"],
        ),
    ],
)
def test_edges_have_ends_and_are_required_or_not(where: str, expected: list[str]) -> None:
    assert lines(f"SELECT * {{ {where} }}") == expected


@pytest.mark.parametrize(
    ("named", "where", "mark"),
    [
        ("?b { ?a wdt:P1 ?b }", "INCLUDE %x", "!"),
        ("?b { ?a wdt:P1 ?b }", "OPTIONAL { INCLUDE %x } INCLUDE %x", "!"),
        ("?b { ?a wdt:P1 ?b }", "INCLUDE %x MINUS { INCLUDE %x }", "!"),
        ("?b { ?a wdt:P1 ?b }", "OPTIONAL { INCLUDE %x }", "?"),
        ("?b { ?a wdt:P1 ?b }", "{ INCLUDE %x } UNION { }", "?"),
        ("?b { ?a wdt:P1 ?b }", "FILTER NOT EXISTS { INCLUDE %x }", "?"),
        ("?b { ?a wdt:P1 ?b }", "", "?"),
        ("(COUNT(*) AS ?n) { ?a wdt:P1 ?b }", "INCLUDE %x", "?"),
        ("?b { OPTIONAL { ?a wdt:P1 ?b } }", "INCLUDE %x", "?"),
    ],
)
def test_a_named_subquery_is_required_where_its_place_is(named: str, where: str, mark: str) -> None:
    assert lines(f"SELECT * WITH {{ SELECT {named} }} AS %x WHERE {{ {where} }}") == [f"?a P1 ?b {mark}"]


@pytest.mark.parametrize("second", ["INCLUDE %y", "OPTIONAL { INCLUDE %y }", ""])
def test_named_subqueries_that_include_each_other(second: str) -> None:
    both = "WITH { SELECT ?b { ?a wdt:P1 ?b } } AS %x WITH { SELECT * { INCLUDE %x } } AS %y"
    assert lines(f"SELECT * {both} WHERE {{ {second} }}") == [f"?a P1 ?b {'!' if second == 'INCLUDE %y' else '?'}"]


@pytest.mark.parametrize(
    "text",
    [
        "DESCRIBE wd:Q142 { wd:Q142 wdt:P569 ?d }",
        "SELECT * { ?a other:P1 ?b . ?a wdt:P1 ?b }",
        "SELECT * { ?a wdt:P1 ?b . ?a wdt:P2 ",
        "DELETE { ?a wdt:P1 ?b } WHERE { ?a wdt:P1 ?b }",
    ],
)
def test_nothing_is_required_where_the_text_or_the_form_leaves_room(text: str) -> None:
    found = list(edges(syntax(text)))
    assert found
    assert not any(edge.required for edge in found)


def test_templates_match_nothing() -> None:
    assert lines("CONSTRUCT { ?a wdt:P1 ?b } WHERE { ?a wdt:P2 ?b }") == ["?a P2 ?b !"]


def test_2000_patterns_are_read_in_their_order() -> None:
    text = "SELECT * { " + " ".join(f"?v{n} wdt:P{n} ?v{n + 1} ." for n in range(2_000)) + " }"
    found = list(edges(syntax(text)))
    assert len(found) == 2_000
    assert found[1_999].property == Iri(DIRECT + "P1999")


def known(text: str, name: str = "x", at: str = "P569") -> tuple[list[str], list[str]]:
    """Return the constants and the classes of a variable as the edge with a property sees them."""
    read: Syntax = syntax(text)
    variables = Variables(read, vocabulary("wikidata"))
    edge = next(each for each in edges(read) if each.property.value.endswith("/" + at))
    constants = variables.constants(Variable(name), edge.pattern.scope)
    types = variables.types(Variable(name), edge.pattern.scope)
    return [shown(each) for each in constants], [cls.removeprefix(ENTITY) for each in types for cls in each.classes]


@pytest.mark.parametrize(
    ("text", "constants", "classes"),
    [
        ("SELECT * { VALUES ?x { wd:Q1 wd:Q2 } ?x wdt:P569 ?d }", ["Q1", "Q2"], []),
        ("SELECT * { VALUES (?x ?y) { (wd:Q1 1) (UNDEF 2) } ?x wdt:P569 ?d }", [], []),
        ("SELECT * { BIND(wd:Q1 AS ?x) ?x wdt:P569 ?d }", ["Q1"], []),
        ("SELECT * { BIND(wd:Q1 AS ?x) OPTIONAL { ?x wdt:P569 ?d } }", ["Q1"], []),
        ("SELECT * { ?x wdt:P569 ?d OPTIONAL { VALUES ?x { wd:Q1 } } }", [], []),
        ("SELECT * { ?x wdt:P569 ?d } VALUES ?x { wd:Q1 }", ["Q1"], []),
        ("SELECT (COUNT(*) AS ?x) { ?x wdt:P569 ?d } VALUES ?x { wd:Q1 }", [], []),
        ("SELECT * { { SELECT ?d { ?x wdt:P569 ?d } VALUES ?x { wd:Q1 } } }", [], []),
        ("SELECT * { VALUES ?x { wd:Q1 } { SELECT ?d { ?x wdt:P569 ?d } } }", [], []),
        ("SELECT * { VALUES ?x { wd:Q1 } { SELECT ?x ?d { ?x wdt:P569 ?d } } }", ["Q1"], []),
        ("SELECT * { VALUES ?x { wd:Q1 } { SELECT * { ?x wdt:P569 ?d } } }", ["Q1"], []),
        ("SELECT * { ?x wdt:P31 wd:Q5 ; wdt:P569 ?d }", [], ["Q5"]),
        ("SELECT * { ?x wdt:P31/wdt:P279* wd:Q5 ; wdt:P569 ?d }", [], ["Q5"]),
        ("SELECT * { ?x p:P31/ps:P31/wdt:P279* wd:Q5 ; wdt:P569 ?d }", [], ["Q5"]),
        ("SELECT * { ?x wdt:P31/wdt:P17 wd:Q5 ; wdt:P569 ?d }", [], []),
        ("SELECT * { ?x wdt:P31? wd:Q5 ; wdt:P569 ?d }", [], []),
        ("SELECT * { ?x wdt:P31 ?c ; wdt:P569 ?d }", [], []),
        ("SELECT * { VALUES ?c { wd:Q5 wd:Q6 } ?x wdt:P31 ?c ; wdt:P569 ?d }", [], ["Q5", "Q6"]),
        ("SELECT * { OPTIONAL { ?x wdt:P31 wd:Q5 } ?x wdt:P569 ?d }", [], []),
        ("SELECT * { ?x wdt:P31 wd:Q5 OPTIONAL { ?x wdt:P569 ?d } }", [], ["Q5"]),
        ("SELECT * { ?x wdt:P31 wd:Q5 { SELECT ?d { ?x wdt:P569 ?d } } }", [], []),
        ("SELECT * WITH { SELECT ?d { ?x wdt:P569 ?d } } AS %n WHERE { BIND(wd:Q1 AS ?x) INCLUDE %n }", [], []),
        ("SELECT * WITH { SELECT ?x { ?x wdt:P569 ?d } } AS %n WHERE { BIND(wd:Q1 AS ?x) INCLUDE %n }", ["Q1"], []),
        ("SELECT * { ?x wdt:P31 wd:Q5 { ?x wdt:P569 ?d } UNION { ?x wdt:P570 ?d } }", [], ["Q5"]),
    ],
)
def test_what_is_said_of_a_variable(text: str, constants: list[str], classes: list[str]) -> None:
    assert known(text) == (constants, classes)


def test_a_blank_node_is_one_only_within_its_group() -> None:
    read = syntax("SELECT * { _:x wdt:P31 wd:Q5 . { _:y wdt:P569 ?d } }")
    variables = Variables(read, vocabulary("wikidata"))
    inner = read.patterns[1].scope
    assert variables.types(Blank("x"), read.patterns[0].scope)
    assert not variables.types(Blank("x"), inner)
    assert item("Q5") == variables.types(Blank("x"), read.patterns[0].scope)[0].classes[0]
