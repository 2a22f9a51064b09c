"""What kind of question a gold query answers, and over how many hops."""

from __future__ import annotations

import pytest

from plugins.evaluation.forms import FORMS, form, hops

FORM = {
    "ASK { wd:Q1 wdt:P1 wd:Q2 }": "boolean",
    "ask where { { SELECT ?x { ?x wdt:P1 ?n } ORDER BY DESC(?n) LIMIT 1 } wd:Q1 wdt:P2 ?x }": "boolean",
    "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x wdt:P1 wd:Q1 }": "count",
    "SELECT (COUNT(*) AS ?n) { ?x wdt:P1 wd:Q1 }": "count",
    "SELECT COUNT(?x) { ?x wdt:P1 wd:Q1 }": "count",
    "SELECT ?n { { SELECT (COUNT(?x) AS ?n) { ?x wdt:P1 wd:Q1 } } }": "count",
    "SELECT (?n AS ?value) { { SELECT (COUNT(?x) AS ?n) { ?x wdt:P1 wd:Q1 } } }": "count",
    "SELECT (xsd:integer(COUNT(?x)) AS ?value) { ?x wdt:P1 wd:Q1 }": "count",
    "SELECT ?c (COUNT(?x) AS ?n) { ?x wdt:P1 ?c } GROUP BY ?c": "factoid",
    "SELECT (COUNT(?x) AS ?n) { ?x wdt:P1 ?c } GROUP BY ?c": "factoid",
    "SELECT ?c { ?x wdt:P1 ?c } GROUP BY ?c HAVING (COUNT(?x) > 10)": "factoid",
    "SELECT ?x { { SELECT ?x (COUNT(?y) AS ?n) { ?x wdt:P1 ?y } GROUP BY ?x } FILTER(?n > 3) }": "factoid",
    "SELECT DISTINCT ?x { ?x wdt:P1 ?n } ORDER BY DESC(?n) LIMIT 1": "superlative",
    "SELECT ?x { ?x wdt:P1 ?n } ORDER BY ?n LIMIT 1 OFFSET 1": "superlative",
    "SELECT ?c (COUNT(?x) AS ?n) { ?x wdt:P1 ?c } GROUP BY ?c ORDER BY DESC(?n) LIMIT 1": "superlative",
    "SELECT ?y { { SELECT ?x { ?x wdt:P1 ?n } ORDER BY ?n LIMIT 1 } ?x wdt:P2 ?y }": "superlative",
    "SELECT (MAX(?n) AS ?most) { ?x wdt:P1 ?n }": "superlative",
    "SELECT ?x { { SELECT (MIN(?n) AS ?m) { ?y wdt:P1 ?n } } ?x wdt:P1 ?m }": "superlative",
    "SELECT ?x (MIN(?n) AS ?first) { ?x wdt:P1 ?n } GROUP BY ?x": "factoid",
    "SELECT ?x { ?x wdt:P1 ?n } ORDER BY DESC(?n)": "factoid",
    "SELECT ?x { ?x wdt:P1 wd:Q1 } LIMIT 1": "factoid",
    "SELECT ?x { wd:Q1 wdt:P1 ?x }": "factoid",
    "SELECT ?count { wd:Q1 wdt:P1082 ?count }": "factoid",
    "SELECT ?x WHERE { ?x rdfs:label 'COUNT (MAX) ORDER BY LIMIT 1'@en }": "factoid",
}

HOPS = {
    "SELECT ?x { wd:Q1 wdt:P1 ?x }": 1,
    "SELECT ?x { ?x wdt:P1 wd:Q1 . ?x wdt:P2 wd:Q2 }": 1,
    "SELECT ?n { wd:Q408 wdt:P36 ?c . ?c wdt:P1082 ?n }": 2,
    "SELECT ?n { wd:Q408 wdt:P36/wdt:P1082 ?n }": 2,
    "SELECT ?n { ?n ^wdt:P1082/^wdt:P36 wd:Q408 }": 2,
    "SELECT ?x { ?x wdt:P31/wdt:P279* wd:Q1 }": 1,
    "SELECT ?x { ?x wdt:P31? wd:Q1 }": 1,
    "SELECT ?x { wd:Q1 wdt:P131+ ?x . ?x wdt:P31/wdt:P279* wd:Q2 }": 1,
    "SELECT ?x { wd:Q1 wdt:P1|wdt:P2/wdt:P3 ?x }": 1,
    "SELECT ?x { wd:Q1 ?p ?x }": 1,
    "SELECT ?x { wd:Q1 !(wdt:P1|^wdt:P2) ?x }": 1,
    "SELECT ?x { wd:Q76 p:P39 ?s . ?s ps:P39 ?x }": 1,
    "SELECT ?x { wd:Q76 p:P39/ps:P39 ?x }": 1,
    "SELECT ?y { wd:Q76 p:P39 ?s . ?s ps:P39 wd:Q4 . ?s pq:P768 ?x . ?x wdt:P131 ?y }": 2,
    "SELECT ?x { wd:Q2 p:P161 [ ps:P161 ?x ; pq:P453 wd:Q3 ] }": 1,
    "SELECT ?s { wd:Q76 p:P39 ?s }": 1,
    "SELECT ?n { wd:Q1 p:P2044/psv:P2044/wikibase:quantityAmount ?n }": 1,
    "PREFIX w: <http://www.wikidata.org/prop/> PREFIX s: <http://www.wikidata.org/prop/statement/> "
    "SELECT ?x { <http://www.wikidata.org/entity/Q76> w:P39 ?s . ?s s:P39 ?x }": 1,
    "SELECT ?x { <http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/direct/P1> ?x }": 1,
    "ASK { wd:Q1 wdt:P1 wd:Q2 }": 1,
    "ASK { wd:Q1 wdt:P1 ?x . ?x wdt:P2 wd:Q2 }": 2,
    "SELECT (COUNT(DISTINCT ?y) AS ?n) { wd:Q1 wdt:P1 ?x . ?x wdt:P2 ?y }": 2,
    "SELECT (COUNT(*) AS ?n) { wd:Q1 wdt:P1 ?x . ?x wdt:P2 ?y }": 2,
    "SELECT * { wd:Q1 wdt:P1 ?x . ?x wdt:P2 ?y }": 2,
    "SELECT ?year { wd:Q1 wdt:P1 ?x . ?x wdt:P2 ?date BIND(YEAR(?date) AS ?year) }": 2,
    "SELECT (YEAR(?date) AS ?year) { wd:Q1 wdt:P1 ?x . ?x wdt:P2 ?date }": 2,
    "SELECT (?x0 AS ?value) { SELECT DISTINCT ?x0 { ?x0 :a.b ?y . VALUES ?y { :m.1 } } }": 1,
    "SELECT ?x { VALUES ?who { wd:Q1 wd:Q2 } ?who wdt:P1 ?y . ?y wdt:P2 ?x }": 2,
    "SELECT ?x { ?y rdfs:label 'Rome'@en . ?y wdt:P1 ?x }": 1,
    "SELECT ?x ?xLabel { wd:Q1 wdt:P1 ?x SERVICE wikibase:label { bd:serviceParam wikibase:language 'en' } }": 1,
    "SELECT ?x { ?x wdt:P31 wd:Q1 . MINUS { ?x wdt:P1 ?y . ?y wdt:P2 wd:Q2 } }": 2,
    "SELECT ?x { ?x wdt:P1 ?n } ORDER BY ?n LIMIT 1": 0,
    "SELECT ?x { ?x wdt:P1 wd:Q1 . ?y wdt:P2 ?z . ?z wdt:P3 ?w }": 1,
    "PREFIX ns: <http://rdf.freebase.com/ns/> SELECT DISTINCT ?x { FILTER (?x != ns:m.1) "
    "FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en')) ns:m.1 ns:a.b.c ?y . ?y ns:d.e.f ?x }": 2,
}

UNREADABLE = (
    "",
    "   ",
    "no query",
    "SELECT ?x { ?x wdt:P1",
    "SELECT ?x WHERE { ?x ?y }",
    "# only a comment",
    "INSERT DATA { <a> <b> <c> }",
    "SELECT ?x { " + "{" * 5_000,
    "SELECT ?x { ?x ?p '\ud800' }",
    "\x00",
    "SELECT * { ?s ?p ?o } " + "#" * 3_000_000,
)


@pytest.mark.parametrize(("sparql", "expected"), FORM.items(), ids=FORM.keys())
def test_forms(sparql: str, expected: str) -> None:
    assert form(sparql) == expected
    assert expected in FORMS


@pytest.mark.parametrize(("sparql", "expected"), HOPS.items(), ids=HOPS.keys())
def test_hops(sparql: str, expected: int) -> None:
    assert hops(sparql) == expected


@pytest.mark.parametrize("sparql", UNREADABLE, ids=range(len(UNREADABLE)))
def test_what_cannot_be_read_is_a_factoid_of_no_hops(sparql: str) -> None:
    assert (form(sparql), hops(sparql)) == ("factoid", 0)
