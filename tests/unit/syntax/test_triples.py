"""Every way of writing triples comes out as flat patterns."""

from __future__ import annotations

import pytest

from tests.unit.syntax.reading import checked, inside, triples

T = "<rdf:type>"
REST = "<rdf:rest>"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?s ?p ?o", ["?s ?p ?o"]),
        ("?s ?p ?o . ?a ?b ?c .", ["?s ?p ?o", "?a ?b ?c"]),
        ("$s a :C", [f"?s {T} <C>"]),
        ("?s :p ?a , ?b ; :q ?c ;; :r ?d ;", ["?s <p> ?a", "?s <p> ?b", "?s <q> ?c", "?s <r> ?d"]),
        ("?s :p 1.5, 2e0", ['?s <p> "1.5"^^<decimal>', '?s <p> "2e0"^^<double>']),
        ("?s :p -1, TRUE", ['?s <p> "-1"^^<integer>', '?s <p> "true"^^<boolean>']),
        ("?s :p 'a'@en, 'b'^^:t, '''c\n\"d\"'''", ['?s <p> "a"@en', '?s <p> "b"^^<t>', '?s <p> "c\\n\\"d\\""']),
        (r"?s :p 'a\\b\'c'", ['?s <p> "a\\\\b\'c"']),
        ("[] :p [ ]", ["[0] <p> [1]"]),
        ("[ :p 1 ]", ['[0] <p> "1"^^<integer>']),
        ("[ :p 1 ] :q 2 .", ['[0] <p> "1"^^<integer>', '[0] <q> "2"^^<integer>']),
        ("?s :p [ :q [ :r ?x ] ; :t ?y ]", ["[0] <r> ?x", "[1] <q> [0]", "[1] <t> ?y", "?s <p> [1]"]),
        ("_:a :p _:b . _:b :p _:a", ["_:a <p> _:b", "_:b <p> _:a"]),
        ("?s :p ()", ["?s <p> <rdf:nil>"]),
        ("() :p ?o", ["<rdf:nil> <p> ?o"]),
        (
            "?s :p (?x ?y)",
            ["[0] <rdf:first> ?x", "[0] <rdf:rest> [1]", "[1] <rdf:first> ?y", f"[1] {REST} <rdf:nil>", "?s <p> [0]"],
        ),
        ("(?x) :p ?o", ["[0] <rdf:first> ?x", "[0] <rdf:rest> <rdf:nil>", "[0] <p> ?o"]),
        ("(?x)", ["[0] <rdf:first> ?x", "[0] <rdf:rest> <rdf:nil>"]),
        (
            "?s :p (?x [])",
            ["[0] <rdf:first> ?x", "[0] <rdf:rest> [1]", "[1] <rdf:first> [2]", f"[1] {REST} <rdf:nil>", "?s <p> [0]"],
        ),
        ("([ :p ?x ])", ["[0] <p> ?x", "[1] <rdf:first> [0]", "[1] <rdf:rest> <rdf:nil>"]),
        ("?s :p :a.b.c , ex:d", ["?s <p> <a.b.c>", "?s <p> <d>"]),
        (r":a\,b :p%41 :c\.", ["<a,b> <p%41> <c.>"]),
        ("?s ?p <rel>", ["?s ?p <rel>"]),
    ],
)
def test_flat_patterns(pattern: str, expected: list[str]) -> None:
    assert triples(inside(pattern)) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (":p/:q", "<p>/<q>"),
        (":p | ^:q", "<p>|^<q>"),
        ("^:p/:q*", "^<p>/<q>*"),
        ("(:p/:q)+", "(<p>/<q>)+"),
        (":p?", "<p>?"),
        ("^(:p|:q)", "^(<p>|<q>)"),
        ("^:p*", "^<p>*"),
        ("!:p", "!(<p>)"),
        ("!a", "!(<rdf:type>)"),
        ("!^:p", "!(^<p>)"),
        ("!(:p|^:q|a)", "!(<p>|^<q>|<rdf:type>)"),
        ("!()", "!()"),
        ("a/:p", "<rdf:type>/<p>"),
        ("(:p)", "<p>"),
        (":p *", "<p>*"),
        (":p{2}", "<p>{2,2}"),
        (":p{1,3}", "<p>{1,3}"),
        (":p{2,}/:q", "<p>{2,}/<q>"),
        (":p{,2}", "<p>{0,2}"),
        ("((:p|:q)/:r)?", "((<p>|<q>)/<r>)?"),
    ],
)
def test_paths(path: str, expected: str) -> None:
    assert triples(inside(f"?s {path} ?o")) == [f"?s {expected} ?o"]


def test_sparql_1_2_triple_terms() -> None:
    assert triples(inside("?r :says <<( :a :b 'c' )>>")) == ['?r <says> <<( <a> <b> "c" )>>']
    assert triples(inside("?r :says <<( :a :b <<( ?x ?y ?z )>> )>>")) == ["?r <says> <<( <a> <b> <<( ?x ?y ?z )>> )>>"]


def test_sparql_1_2_reified_triples() -> None:
    reifies = "<rdf:reifies> <<( <a> <b> <c> )>>"
    assert triples(inside("<< :a :b :c >> :p ?o")) == [f"[0] {reifies}", "[0] <p> ?o"]
    assert triples(inside("<< :a :b :c ~ ?r >> :p ?o")) == [f"?r {reifies}", "?r <p> ?o"]
    assert triples(inside("<< :a :b :c ~ >>")) == [f"[0] {reifies}"]
    assert triples(inside("?s :p << :a :b :c ~ :r >>")) == [f"<r> {reifies}", "?s <p> <r>"]


def test_sparql_1_2_annotations() -> None:
    reifies = "<rdf:reifies> <<( <a> <b> <c> )>>"
    base = "<a> <b> <c>"
    assert triples(inside(":a :b :c {| :p ?o |}")) == [base, f"[0] {reifies}", "[0] <p> ?o"]
    assert triples(inside(":a :b :c ~ :r {| :p ?o |}")) == [base, f"<r> {reifies}", "<r> <p> ?o"]
    assert triples(inside(":a :b :c ~ ~ _:r")) == [base, f"[0] {reifies}", f"_:r {reifies}"]
    assert triples(inside(":a :b :c ~ :r , :d")) == [base, f"<r> {reifies}", "<a> <b> <d>"]


def test_spans_are_those_of_the_original_text() -> None:
    text = "SELECT * {\n  ?s :p 1 , 2 ;\n     :q/:r [ :t '\\u00e9' ] }"
    syntax = checked(text)
    assert [syntax.written(p) for p in syntax.patterns] == ["?s :p 1", "2", ":t '\\u00e9'", ":q/:r [ :t '\\u00e9' ]"]
    assert syntax.position(syntax.patterns[3].start) == (3, 6)


def test_base_resolves_relative_iris_and_prefixes() -> None:
    syntax = checked("BASE <http://b.org/x/> PREFIX p: <y/> SELECT * { <a> p:b <../c> }")
    assert str(syntax.patterns[0]) == "<http://b.org/x/a> <http://b.org/x/y/b> <http://b.org/c>"
    assert syntax.base == "http://b.org/x/"


def test_a_prefix_declared_anew_counts_from_there_on() -> None:
    text = "PREFIX p: <http://1/> INSERT DATA { p:a p:b p:c } ; PREFIX p: <http://2/> INSERT DATA { p:a p:b p:c }"
    assert [p.subject.__str__() for p in checked(text).patterns] == ["<http://1/a>", "<http://2/a>"]
