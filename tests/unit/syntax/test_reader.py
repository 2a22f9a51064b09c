"""The whole way from a text to what it says: forms, facts, limits."""

from __future__ import annotations

import contextlib
import sys
import time

import pytest

from proxy.errors import BadQuery, ProxyError, TooLarge
from proxy.syntax import Form, Limits, read
from tests.bench.syntax.hostile import HOSTILE
from tests.unit.syntax.reading import PREFIXES, checked


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("SELECT * {}", "select"),
        ("ask {}", "ask"),
        ("CONSTRUCT { } { }", "construct"),
        ("DESCRIBE <a>", "describe"),
        ("# SELECT\nPREFIX select: <ask> ASK {}", "ask"),
        ("INSERT DATA {}", "update"),
        ("WITH <g> DELETE {} WHERE {}", "update"),
        ("PREFIX a: <b> DROP ALL", "update"),
        ("DEFINE sql:x 'INSERT' SELECT * {}", "select"),
        ("EXPLAIN SELECT * {}", "select"),
        ("\\u0053ELECT * {}", "select"),
        ("\\u0049NSERT DATA {}", "update"),
        ("SELECT * { FILTRE } ; DROP ALL", "update"),
        ("SELECT * { FILTRE ( INSERT ) }", "select"),
        ("SELECT * {} DELETE WHERE {}", "update"),
    ],
)
def test_form(text: str, form: str) -> None:
    assert read(text).form == form


def test_keywords_in_literals_and_iris_are_none() -> None:
    text = 'SELECT * { ?s ?p "INSERT coin, then DELETE" ; <http://e.org/LOAD> ?o , ex:DROP , ?SERVICE } # CLEAR ALL'
    syntax = checked(text)
    assert (syntax.form, syntax.is_update, syntax.services, syntax.loads) == (Form.SELECT, False, (), ())


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("SELEKT *", 1, 1, "did you mean SELECT?"),
        ("PREFIX a: <b>\n  SELCT ?x {}", 2, 3, "did you mean SELECT?"),
        ("SELEKT * { { SELECT * {} } }", 1, 1, "did you mean SELECT?"),
        ("", 1, 1, "ends before any query"),
        ("# only a comment\n", 2, 1, "ends before any query"),
        ("PREFIX a: <b>", 1, 14, "ends before any query"),
        ("hello world", 1, 1, "found 'hello'"),
        ("{ }", 1, 1, "found '{'"),
    ],
)
def test_no_form_is_refused(text: str, line: int, column: int, said: str) -> None:
    with pytest.raises(BadQuery) as caught:
        read(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert said in caught.value.detail


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(BadQuery, match="surrogate") as caught:
        read("ASK {\n'\ud800' }")
    assert (caught.value.line, caught.value.column) == (2, 2)


def test_bytes_are_counted_not_characters() -> None:
    limits = Limits(max_bytes=40)
    assert read("ASK { ?s ?p 'ééé' }", limits=limits).checked
    with pytest.raises(TooLarge, match="longer than 40 bytes"):
        read("ASK { ?s ?p 'ééééééééééééééé' }", limits=limits)


@pytest.mark.parametrize(
    ("text", "volatile"),
    [
        ("SELECT (NOW() AS ?t) {}", {"NOW"}),
        ("SELECT (rand() AS ?t) { BIND (uuid() AS ?u) FILTER (STRUUID() = STR(BNODE())) }",
         {"RAND", "UUID", "STRUUID", "BNODE"}),
        ("SELECT * { ?NOW ex:NOW 'NOW()' } # RAND()", set()),
        ("SELECT (bif:rnd(10) AS ?r) {}", {"rnd"}),
        ("SELECT (<http://jena.apache.org/ARQ/function#now>() AS ?r) {}", {"now"}),
        ("SELECT (ex:nowhere() AS ?r) { ?s ex:now ?o }", set()),
        ("SELECT * { FILTRE (NOW() > bif:curdatetime()) }", {"NOW", "curdatetime"}),
    ],
)  # fmt: skip
def test_volatile_functions(text: str, volatile: set[str]) -> None:
    assert read(text, prefixes=PREFIXES).volatile == volatile


def test_facts_about_the_outermost_select() -> None:
    syntax = checked("SELECT ?a (COUNT(*) AS ?n) { { SELECT * {} LIMIT 7 } } GROUP BY ?a LIMIT 5 OFFSET 2")
    assert syntax.projection == ("a", "n")
    assert (syntax.aggregates, syntax.grouped, syntax.limit, syntax.offset) == (True, True, 5, 2)
    syntax = checked("SELECT * { { SELECT (COUNT(*) AS ?n) {} GROUP BY ?a LIMIT 7 } }")
    assert syntax.projection is None
    assert (syntax.aggregates, syntax.grouped, syntax.limit, syntax.offset) == (False, False, None, None)


def test_prefixes_declared_and_missing() -> None:
    syntax = read("PREFIX a: <http://a/> SELECT * { a:x ex:y b:z , 'c:d' , <e:f> }", prefixes={"ex": "http://e/"})
    assert dict(syntax.prefixes) == {"a": "http://a/"}
    assert syntax.missing_prefixes == {"b"}
    assert str(syntax.patterns[0]) == "<http://a/x> <http://e/y> <b:z>"


def test_the_same_text_is_read_once() -> None:
    text = "SELECT * { ?once ?p ?o }"
    assert read(text) is read(text)
    assert read(text) is not read(text, prefixes={"a": "b"})
    assert read(text) is not read(text, limits=Limits(max_depth=9))


def test_a_broken_text_keeps_what_was_found() -> None:
    syntax = read("SELECT ?x { ?x ?p 1 . OPTIONAL { ?x ?q 2 FILTRE (?x) } }")
    assert not syntax.checked
    assert [str(p.predicate) for p in syntax.patterns] == ["?p", "?q"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_answered_at_once(name: str) -> None:
    text = HOSTILE[name]()
    start = time.process_time()
    with contextlib.suppress(ProxyError):
        read(text, prefixes=PREFIXES)
    # Ten times what the bench holds it to: this one runs beside other tests, on any machine.
    assert time.process_time() - start < 2


def test_little_room_on_the_stack_is_no_error() -> None:
    text = "ASK { " + "FILTER (EXISTS { " * 95 + "})" * 95 + " }"

    def deeper(levels: int) -> bool:
        return deeper(levels - 1) if levels else read(text).checked

    assert deeper(sys.getrecursionlimit() - 400) is False
