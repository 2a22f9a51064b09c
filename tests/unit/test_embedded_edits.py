"""Edits of a text: what they make, and that every place finds back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import QuerySolutions, Store

from proxy.contract import Dataset
from proxy.endpoints.edit import Edit, applied, original
from proxy.endpoints.edits import edits
from proxy.syntax import read


def edited(text: str, dataset: Dataset | None = None) -> str:
    return applied(text, edits(read(text), dataset or Dataset()))


def test_only_dotted_names_change() -> None:
    prefix = "PREFIX n: <http://e.org/> "
    assert (
        edited(prefix + "ASK { n:a.b n:c n:d.e.f. }") == prefix + "ASK { <http://e.org/a.b> n:c <http://e.org/d.e.f>. }"
    )
    for text in ("ASK { <urn:a.b> ?p 'n:a.b' }", prefix + "ASK { n:a ?p n:b. # n:c.d\n }", "ASK { u:a.b ?p 1.5 }"):
        assert edited(text) == text


def test_virtuosos_operators_become_those_of_sparql() -> None:
    text = "SELECT ?x { ?x ?p ?y FILTER (!isLiteral(?x) OR lang(?x) = '' and ?y != 'this OR that') } # or so"
    assert edited(text) == text.replace("?x) OR", "?x) ||").replace("'' and", "'' &&")
    for plain in ("PREFIX or: <urn:and> ASK { or:and or:or 'and' }", "ASK { ?or ?and <urn:OR> FILTER(?or || ?and) }"):
        assert edited(plain) == plain


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("?x wdt:P31/wdt:P279* wd:Q5", "wd:Q5 ^(wdt:P279*)/^wdt:P31 ?x"),
        ("$x a/rdfs:subClassOf+ <urn:c> .", "<urn:c> ^(rdfs:subClassOf+)/^a $x ."),
        ("?x p:P31 / ps:P31/wdt:P279 * wd:Q5", "wd:Q5 ^(wdt:P279*)/^ps:P31/^p:P31 ?x"),
        ("?x wdt:P17 ?y ; wdt:P31/wdt:P279* wd:Q5 .", "wd:Q5 ^(wdt:P279*)/^wdt:P31 ?x . ?x wdt:P17 ?y ; ."),
        ("?x wdt:P31/wdt:P279* wd:Q5 ; wdt:P17 ?y", "wd:Q5 ^(wdt:P279*)/^wdt:P31 ?x . ?x wdt:P17 ?y"),
        ("?x b:b/b:c* d:e ; b:f/b:g+ d:h ; .", "d:e ^(b:c*)/^b:b ?x . d:h ^(b:g+)/^b:f ?x ; ."),
        ("?x b:b/b:c* d:e ; b:f/b:g+ d:h ; b:i ?y", "d:e ^(b:c*)/^b:b ?x . d:h ^(b:g+)/^b:f ?x . ?x b:i ?y"),
        ("?x b:b/b:c* d:e ; VALUES ?x { d:g }", "d:e ^(b:c*)/^b:b ?x ; VALUES ?x { d:g }"),
        ("?a ?b ?c OPTIONAL { ?x b:b/b:c* d:e } ?y b:f ?z", "?a ?b ?c OPTIONAL { d:e ^(b:c*)/^b:b ?x } ?y b:f ?z"),
        (
            "?x b:f d:g.?x b:b/b:c*<urn:c>OPTIONAL{?x b:f ?y}",
            "?x b:f d:g. <urn:c> ^(b:c*)/^b:b ?x OPTIONAL{?x b:f ?y}",
        ),
        ("?x b:b/b:c*<urn:c>.?y b:f/b:c+d:e", "<urn:c> ^(b:c*)/^b:b ?x . d:e ^(b:c+)/^b:f ?y"),
    ],
)
def test_a_path_to_a_constant_begins_there(text: str, changed: str) -> None:
    prefixes = "".join(f"PREFIX {each}: <urn:{each}:> " for each in ("wd", "wdt", "p", "ps", "rdfs", "b", "d"))
    made = edited(f"{prefixes}SELECT * {{ {text} }}")
    assert made.replace(" ", "") == f"{prefixes}SELECT * {{ {changed} }}".replace(" ", "")
    assert read(made).checked


@pytest.mark.parametrize(
    "text",
    [
        "?x wdt:P31/wdt:P279* ?y",
        "wd:Q1 wdt:P31/wdt:P279* wd:Q5",
        "?x wdt:P31/wdt:P279* wd:Q5, wd:Q6",
        "?x (wdt:P31/wdt:P279*) wd:Q5",
        "?x ^wdt:P31/wdt:P279* wd:Q5",
        "?x wdt:P1|wdt:P31/wdt:P279* wd:Q5",
        "?x wdt:P279* wd:Q5",
        "?x wdt:P1 [ wdt:P31/wdt:P279* wd:Q5 ]",
        "?x wdt:P1 ?z FILTER(?z > wd:Q1/wd:Q2 * wd:Q3)",
        "?x rdfs:label '?x wdt:P31/wdt:P279* wd:Q5'",
        "?x wdt:P17 ?y FILTER EXISTS { ?x wdt:P31/wdt:P279* wd:Q5 }",
        "?x wdt:P1 ?y ;; wdt:P31/wdt:P279* wd:Q5",
        "?x wdt:P1 ?y {| wdt:P2 ?z ; wdt:P31/wdt:P279* wd:Q5 |}",
        "?x wdt:P1 'a\\u0027 ?x wdt:P31/wdt:P279* wd:Q5'",
        "?x wdt:P1 ?a FILTER(?a<5&&'b'!='>') BIND(' ?x wdt:P31/wdt:P279* wd:Q5 ' AS ?t)",
        "SERVICE <urn:s> { ?x wdt:P31/wdt:P279* wd:Q5 }",
    ],
)
def test_other_paths_stay(text: str) -> None:
    prefixes = "".join(f"PREFIX {each}: <urn:{each}:> " for each in ("wd", "wdt", "rdfs"))
    assert edited(f"{prefixes}SELECT * {{ {text} }}") == f"{prefixes}SELECT * {{ {text} }}"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?x wdt:P31/wdt:P279* wd:Q4022 }",
        "SELECT (COUNT(*) AS ?n) { ?x wdt:P31/wdt:P279* wd:Q6256 ; wdt:P30 ?y . ?y wdt:P31/wdt:P279* wd:Q5107 }",
        "SELECT ?x { ?x wdt:P19 ?y . OPTIONAL { ?y wdt:P131/wdt:P131* wd:Q183 . ?y wdt:P1082 ?z } }",
        "SELECT ?x { ?x wdt:P17 wd:Q183 MINUS { ?x wdt:P31/wdt:P279+ wd:Q515 } }",
        "SELECT ?x { ?x wdt:P31/wdt:P279* wd:Q515 FILTER regex(str(EXISTS { ?x wdt:P31/wdt:P279* wd:Q515 }), 't') }",
        "SELECT * { ?x wdt:P31/wdt:P279* wd:Q515 ; wdt:P31/wdt:P279* wd:Q486972 ; wdt:P17 ?y . }",
        "SELECT * { { ?x wdt:P31/wdt:P279* wd:Q4022 } UNION { ?x wdt:P31/wdt:P279* wd:Q515 ; wdt:P17 ?x2 } }",
    ],
)
def test_the_answers_are_the_same_in_number_too(demo_store: Path, text: str) -> None:
    prefixes = "PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wdt: <http://www.wikidata.org/prop/direct/> "
    store = Store.read_only(str(demo_store))

    def rows(query: str) -> list[str]:
        solutions = store.query(query)
        assert isinstance(solutions, QuerySolutions)
        return sorted(map(str, solutions))

    assert edited(text) != text
    assert rows(edited(prefixes + text)) == rows(prefixes + text) != []


def test_a_long_list_takes_no_longer_than_its_length() -> None:
    text = "SELECT * { ?x a ?y " + ";<urn:p>/<urn:q>*<urn:c>" * 2_500 + " }"
    assert edited(text).count("^(<urn:q>*)") == 2_500


def test_graphs_of_a_request() -> None:
    dataset = Dataset(default=("urn:1", "urn:2"), named=("urn:3",))
    clauses = "USING <urn:1> USING <urn:2> USING NAMED <urn:3> "
    assert edited("INSERT {} WHERE {}", dataset) == f"INSERT {{}} {clauses}WHERE {{}}"
    assert edited("DELETE WHERE { ?a ?b ?c }", dataset) == f"DELETE {{ ?a ?b ?c }} {clauses}WHERE {{ ?a ?b ?c }}"
    data = "INSERT DATA { <urn:a> <urn:b> 'WHERE' }"
    assert edited(data, dataset) == data


@given(
    st.text(alphabet="ab\n", max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5), st.text(alphabet="xy", max_size=6)), max_size=5),
)
def test_every_place_outside_of_edits_finds_back(text: str, wanted: list[tuple[int, int, str]]) -> None:
    changes: list[Edit] = []
    for start, length, new in sorted(wanted):
        if start + length <= len(text) and (not changes or start > changes[-1].end):
            changes.append(Edit(start, start + length, new))
    changed = applied(text, changes)
    for offset, letter in enumerate(changed):
        place = original(offset, changes)
        assert 0 <= place <= len(text)
        if letter in "ab\n":
            assert text[place] == letter
        else:
            assert place in {change.start for change in changes}
