"""What no other reader at hand takes, checked by hand: the text, and the triple patterns it must give.

Written for this test; each is of a kind that occurs in real query logs and benchmarks.
"""

from __future__ import annotations

import pytest

from proxy.syntax import Form, read
from tests.unit.syntax.reading import PREFIXES, checked, inside, triples

P31 = "?h <p31> <house>"

CASES: list[tuple[str, str, list[str]]] = [
    # Virtuoso: words as operators.
    ("or", inside("?s :p ?o FILTER (?o = 1 OR ?o = 2)"), ["?s <p> ?o"]),
    ("or, small", inside("?s :p ?o FILTER (lang(?o) = 'en' or !isLiteral(?o))"), ["?s <p> ?o"]),
    (
        "or of three, as in question sets on Freebase",
        "SELECT DISTINCT ?x WHERE { FILTER (?x != ex:m.1) FILTER (!isLiteral(?x) OR lang(?x) = '' OR "
        "langMatches(lang(?x), 'en')) ex:m.1 ex:film.film.starring ?y . ?y ex:film.performance.actor ?x . }",
        ["<m.1> <film.film.starring> ?y", "?y <film.performance.actor> ?x"],
    ),
    ("and", inside("?s :p ?o FILTER (?o > 1 AND ?o < 3 OR BOUND(?s))"), ["?s <p> ?o"]),
    ("like", inside("?s :p ?o FILTER (?o LIKE 'a%')"), ["?s <p> ?o"]),
    (
        "a date cast with a prefix nobody declared",
        "SELECT ?x { ?x :from ?f FILTER (xsd:datetime(?f) <= '2009'^^xsd:dateTime) } ORDER BY DESC(xsd:datetime(?f))",
        ["?x <from> ?f"],
    ),
    (
        "exists or not exists, one word each",
        inside("?c :p ?x FILTER (NOT EXISTS {?c :from ?a} OR EXISTS {?c :from ?b . FILTER (?b <= 1)})"),
        ["?c <p> ?x", "?c <from> ?a", "?c <from> ?b"],
    ),
    # Virtuoso: pragmas and options.
    ("define", "DEFINE sql:signal-void-variables 1 SELECT * {?s ?p ?o}", ["?s ?p ?o"]),
    (
        "defines with values of all kinds",
        "define input:inference 'rules' define input:default-graph-uri <g>, <h> PREFIX q: <r> ASK { ?s ?p ?o }",
        ["?s ?p ?o"],
    ),
    (
        "option of a triple",
        inside("?s :knows ?o OPTION (TRANSITIVE, t_distinct, t_in (?s), t_out (?o), t_min (1)) . ?o :p 'x'"),
        ["?s <knows> ?o", '?o <p> "x"'],
    ),
    ("option of a group", inside("{ SELECT * { ?s :p ?o } } OPTION (TRANSITIVE, t_in(?s))"), ["?s <p> ?o"]),
    ("a predicate of its own", inside("?l bif:contains 'york'"), ['?l <bif:contains> "york"']),
    ("a function of its own", inside("?s :p ?o FILTER (bif:upper(?o) = 'A')"), ["?s <p> ?o"]),
    # Virtuoso: loose SELECT clauses.
    ("bare aggregate", "SELECT COUNT(?x) WHERE { ?x :p ?y }", ["?x <p> ?y"]),
    ("bare aggregate, named", "SELECT ?y COUNT(DISTINCT ?x) AS ?n WHERE { ?x :p ?y } GROUP BY ?y", ["?x <p> ?y"]),
    ("bare aggregate in brackets", "SELECT (COUNT(?x)) WHERE { ?x :p ?y }", ["?x <p> ?y"]),
    ("a variable by another name", "SELECT ?x AS ?y { ?x :p 'a' }", ['?x <p> "a"']),
    ("commas between columns", "SELECT ?x, ?y { ?x :p ?y } ORDER BY ?x, ?y", ["?x <p> ?y"]),
    ("aggregate without GROUP BY", "SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y }", ["?x <p> ?y"]),
    ("order without brackets", "SELECT ?x { ?x :p ?y } ORDER BY DESC ?y LIMIT 1", ["?x <p> ?y"]),
    ("order by an aggregate", "SELECT ?x { ?x :p ?y } GROUP BY ?x ORDER BY DESC(COUNT(?y)) LIMIT 1", ["?x <p> ?y"]),
    ("separator as an argument", "SELECT (GROUP_CONCAT(?y, ', ') AS ?z) { ?x :p ?y }", ["?x <p> ?y"]),
    # Blazegraph: named subqueries, hints, label service, old BINDINGS.
    (
        "named subquery",
        "SELECT ?h WITH { SELECT ?h { ?h :p31 :house } LIMIT 3 } AS %houses WHERE { INCLUDE %houses . ?h :in ?c }",
        ["?h <in> ?c", P31],
    ),
    (
        "two, one in the other",
        "SELECT * WITH { SELECT ?h { ?h :p31 :house } } AS %a WITH { SELECT ?h ?c { INCLUDE %a ?h :in ?c } } AS %b "
        "{ INCLUDE %b OPTIONAL { ?c :label ?l } }",
        ["?c <label> ?l", "?h <in> ?c", P31],
    ),
    (
        "named subquery after the data set, with groups and a service",
        "SELECT ?l (COUNT(?h) AS ?n) FROM <g> WITH { SELECT ?h (SAMPLE(?c) AS ?d) { ?h :p31/:p279* :house ; :in ?c } "
        "GROUP BY ?h } AS %r WHERE { INCLUDE %r SERVICE wikibase:label { bd:serviceParam wikibase:language 'en' . "
        "?d :label ?l } } GROUP BY ?l ORDER BY DESC(?n)",
        [
            '<bd:serviceParam> <wikibase:language> "en"',
            "?d <label> ?l",
            "?h <p31>/<p279>* <house>",
            "?h <in> ?c",
        ],
    ),
    (
        "include in a union",
        "SELECT * WITH { SELECT * { ?s :p ?o } } AS %x { { INCLUDE %x } UNION { ?s :q ?o } }",
        ["?s <q> ?o", "?s <p> ?o"],
    ),
    (
        "hint",
        inside("hint:Query hint:optimizer 'None' . ?s :p ?o . hint:Prior hint:runFirst 'true'"),
        ['<hint:Query> <hint:optimizer> "None"', "?s <p> ?o", '<hint:Prior> <hint:runFirst> "true"'],
    ),
    ("service in service", inside("SERVICE :a { ?s :p ?o SERVICE :b { ?o :q ?x } }"), ["?s <p> ?o", "?o <q> ?x"]),
    ("a reified triple in BIND", inside("BIND (<< ?s :p ?o >> AS ?t) ?t :since ?d"), ["?t <since> ?d"]),
    ("bindings", "SELECT * { ?s :p ?o } BINDINGS (?s) { (:a) (:b) }", ["?s <p> ?o"]),
    ("space before a repetition", inside("?s :p31 / :p279 * :house"), ["?s <p31>/<p279>* <house>"]),
    ("space around the datatype sign", inside("?s :p '2009' ^^ :year"), ['?s <p> "2009"^^<year>']),
    # Jena.
    ("lateral", inside("?s :p ?o LATERAL { SELECT * { ?o :q ?x } LIMIT 1 }"), ["?s <p> ?o", "?o <q> ?x"]),
    ("let", inside("?s :p ?o LET (?x := ?o + 1)"), ["?s <p> ?o"]),
    ("unfold", inside("?s :p ?l UNFOLD (?l AS ?x, ?n)"), ["?s <p> ?l"]),
    (
        "graphs in a template",
        "CONSTRUCT { GRAPH ?g { ?s :p ?o } ?a :q ?b } WHERE { ?s ?p ?o }",
        ["?s <p> ?o", "?a <q> ?b", "?s ?p ?o"],
    ),
    ("own aggregates", "SELECT (MEDIAN(?y) AS ?m) (AGG <f>(DISTINCT ?y) AS ?n) { ?x :p ?y }", ["?x <p> ?y"]),
    # Freebase: names with dots, a sub-select as the whole body, VALUES of dotted names.
    (
        "grail",
        "SELECT (?x0 AS ?value) WHERE { SELECT DISTINCT ?x0 WHERE { ?x0 :type.object.type :book.author . "
        "VALUES ?x1 { :m.01 } ?x0 :book.author.works ?x1 . FILTER (?x0 != ?x1) } }",
        ["?x0 <type.object.type> <book.author>", "?x0 <book.author.works> ?x1"],
    ),
    ("no space at all", "SELECT?x{?x:p<q>;:r?y.FILTER(?y<?x)}", ["?x <p> <q>", "?x <r> ?y"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_patterns(text: str, expected: list[str]) -> None:
    assert triples(text) == expected


def test_columns_of_virtuoso_have_its_names() -> None:
    assert checked("SELECT ?y COUNT(?x) (1 AS ?z) SUM(?x) AS ?s {}").projection == ("y", "callret-1", "z", "s")


def test_pragmas_are_named_and_are_no_prefixes() -> None:
    syntax = read("DEFINE get:soft 'replace' DEFINE sql:log 1 SELECT * { ?s sql:x ?o }")
    assert syntax.pragmas == ("get:soft", "sql:log")
    assert syntax.missing_prefixes == {"sql"}


def test_forms_of_one_engine_are_other() -> None:
    syntax = read("JSON { 'x': ?x } WHERE { ?x ?p ?o }")
    assert (syntax.form, syntax.checked) == (Form.OTHER, False)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO GRAPH <g> { :s :p :o }",
        "INSERT INTO <g> { ?s :p ?o } WHERE { ?s ?p ?o }",
        "DELETE FROM GRAPH <g> { ?s :p ?o } WHERE { ?s :p ?o }",
        "DELETE FROM <g> { ?s :p ?o } INSERT INTO <g> { ?s :q ?o } WHERE { ?s :p ?o }",
        "MODIFY GRAPH <g> DELETE { ?s :p ?o } INSERT { ?s :q ?o } WHERE { ?s :p ?o }",
        "MODIFY <g> INSERT { ?s :q ?o } WHERE { ?s :p ?o }",
        "INSERT DATA INTO <g> { :s :p :o }",
    ],
)
def test_updates_of_virtuoso(text: str) -> None:
    syntax = read(text, prefixes=PREFIXES)
    assert syntax.checked, syntax.problem
    assert syntax.is_update
