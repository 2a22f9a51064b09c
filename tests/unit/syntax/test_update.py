from __future__ import annotations

import pytest

from proxy.syntax import Form, ScopeKind, read
from tests.unit.syntax.reading import PREFIXES, checked

ACCEPT = [
    "LOAD <http://e.org/a>",
    "LOAD SILENT :a INTO GRAPH :g",
    "CLEAR GRAPH :g ; CLEAR SILENT DEFAULT ; CLEAR NAMED ; CLEAR ALL",
    "DROP GRAPH :g ; DROP SILENT ALL",
    "CREATE GRAPH :g ; CREATE SILENT GRAPH :h",
    "ADD :a TO :b ; ADD SILENT GRAPH :a TO DEFAULT",
    "MOVE DEFAULT TO :b ; COPY GRAPH :a TO GRAPH :b",
    "INSERT DATA { }",
    "INSERT DATA { :s :p :o , 1 . GRAPH :g { :s :p [ :q 1 ] } . :s :p _:b . GRAPH :h { } :s :p 2 }",
    "DELETE DATA { :s :p :o . GRAPH :g { :s :p 'x' } }",
    "DELETE WHERE { ?s :p ?o . GRAPH ?g { ?s :q ?o } }",
    "DELETE { ?s :p ?o } WHERE { ?s :p ?o }",
    "INSERT { ?s :p ?o } WHERE { ?s :p ?o FILTER (?o > 1) }",
    "WITH :g DELETE { ?s :p ?o } INSERT { ?s :q ?o } USING :h USING NAMED :i WHERE { ?s :p/:q ?o }",
    "WITH :g INSERT { GRAPH ?g { ?s :q ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }",
    "PREFIX a: <b> INSERT DATA { a:s a:p a:o } ; PREFIX c: <d> INSERT DATA { c:s c:p c:o } ;",
    "BASE <http://e.org/> INSERT DATA { <s> <p> <o> }",
    "insert data { :s :p :o }",
    "INSERT DATA { <<( :a :b :c )>> :p :o }".replace("<<( :a :b :c )>> :p :o", ":s :p <<( :a :b :c )>>"),
    "INSERT DATA { :s :p :o ~ :r {| :q 1 |} }",
]
REJECT = [
    "LOAD",
    "LOAD ?x",
    "LOAD <a> INTO <b>",
    "CLEAR",
    "CLEAR :g",
    "DROP DATA",
    "CREATE :g",
    "CREATE SILENT",
    "ADD :a :b",
    "COPY ALL TO :b",
    "INSERT { :s :p :o }",
    "INSERT DATA :s :p :o",
    "INSERT DATA { ?s :p :o }",
    "INSERT DATA { :s :p/:q :o }",
    "INSERT DATA { :s :p :o FILTER (1) }",
    "DELETE DATA { :s :p ?o }",
    "DELETE WHERE { ?s :p/:q ?o }",
    "DELETE WHERE { ?s :p ?o FILTER (?o) }",
    "DELETE { ?s :p ?o }",
    "DELETE { ?s :p ?o } { ?s :p ?o }",
    "DELETE { ?s ^:p ?o } WHERE { ?s :p ?o }",
    "WITH :g DELETE DATA { }",
    "INSERT DATA { :s :p :o } INSERT DATA { :s :p :o }",
    "INSERT DATA { :s :p :o } ; SELECT * { }",
    "INSERT DATA { GRAPH { :s :p :o } }",
    "INSERT { ?s ?p ?o } USING WHERE { ?s ?p ?o }",
]


@pytest.mark.parametrize("text", ACCEPT)
def test_read_whole(text: str) -> None:
    syntax = checked(text)
    assert syntax.form is Form.UPDATE
    assert syntax.is_update
    assert syntax.projection is None


@pytest.mark.parametrize("text", REJECT)
def test_not_read_whole(text: str) -> None:
    syntax = read(text, prefixes=PREFIXES)
    assert not syntax.checked
    assert syntax.is_update


def test_templates_are_told_from_patterns() -> None:
    syntax = checked("DELETE { ?s :p ?o } INSERT { GRAPH :g { ?s :q ?o } } WHERE { ?s :p ?o }")
    assert [(p.written, p.scope.kind) for p in syntax.patterns] == [
        (True, ScopeKind.TEMPLATE),
        (True, ScopeKind.TEMPLATE),
        (False, ScopeKind.WHERE),
    ]


def test_graphs_and_documents_are_listed() -> None:
    syntax = checked("WITH :g DELETE {} INSERT {} USING :u USING NAMED :n WHERE {} ; LOAD <http://x/> ; COPY :a TO :b")
    assert [(s.keyword, s.iri) for s in syntax.datasets] == [
        ("USING", "http://e.org/u"),
        ("USING NAMED", "http://e.org/n"),
        ("WITH", "http://e.org/g"),
    ]
    assert [(s.keyword, s.iri) for s in syntax.loads] == [("LOAD", "http://x/"), ("COPY", "http://e.org/a")]
