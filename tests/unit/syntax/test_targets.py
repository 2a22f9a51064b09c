"""The gate that needs no grammar: where a text would go."""

from __future__ import annotations

import pytest

from proxy.syntax import Form, Limits, Service, read
from tests.unit.syntax.reading import PREFIXES, E


def targets(text: str) -> list[str]:
    return [str(service.target) for service in read(text, prefixes=PREFIXES).services]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * { SERVICE <http://a/> { } }", ["<http://a/>"]),
        ("SELECT * { SERVICE SILENT ?e { } }", ["?e"]),
        ("SELECT * { service ex:a { SERVICE :b { } } }", [f"<{E}a>", f"<{E}b>"]),
        ("PREFIX q: <http://q/> SELECT * { SERVICE q:r { } }", ["<http://q/r>"]),
        ("BASE <http://b/> SELECT * { SERVICE <r> { } }", ["<http://b/r>"]),
        ("SELECT * { SERVICE unknown:a { } }", ["None"]),
        ("SELECT * { SERVICE }", ["None"]),
        ("SELECT * { SERVICE 'a' { } }", ["None"]),
        ("SELECT * { SERVICE%evil { } }", ["None"]),
        ("SELECT * { FILTRE (1) SERVICE <http://a/> { } }", ["<http://a/>"]),
        ("SELECT * { SERVICESILENT <http://a/> { } }", ["None"]),
        ("SELECT * { ?s ?p trueSERVICE <http://a/> { } }", ["None"]),
        ("SELECT * { \\u0053ERVICE <http://a/> { } }", ["<http://a/>"]),
        ("SELECT * { SERV\\u0049CE <http:\\u002F\\u002Fa/> { } }", ["<http://a/>"]),
        ("SELECT * { ſERVICE <http://a/> { } }", ["None"]),
        ("SELECT * { FILTER (?a<?b)SERVICE#>\n<http://a/> { } }", ["<http://a/>"]),
        ("SELECT * { BROKEN FILTER (?a<?b)SERVICE#>\n<http://a/> { } }", ["None"]),
        ("SELECT * { ?s ?p 'open\n SERVICE <http://a/> { } }", ["<http://a/>"]),
        ("SELECT * { ?s ?p 'open\n' SERVICE <http://a/> { } }", ["None"]),
        ("SELECT * { ?s ?p '''open SERVICE <http://a/> { } }", ["None"]),
        ("SELECT * { ?s ?p 'SERVICE <http://a/>' , <http://SERVICE/> , ex:SERVICE # SERVICE <x>\n }", []),
        ("SELECT * { ?SERVICE ?p ?o }", []),
    ],
)
def test_service_targets(text: str, expected: list[str]) -> None:
    assert targets(text) == expected


def test_silent_and_the_place_are_kept() -> None:
    text = "SELECT * { SERVICE SILENT <http://a/> { } }"
    assert [s.silent for s in read(text).services] == [True]
    first: Service = read(text).services[0]
    assert text[first.start : first.end] == "SERVICE SILENT <http://a/>"


def test_targets_of_a_text_too_long_to_check() -> None:
    text = "PREFIX q: <http://q/> SELECT * { VALUES ?x { " + "q:r 'SERVICE' " * 50 + "} SERVICE q:s { } }"
    syntax = read(text, limits=Limits(max_checked_tokens=30))
    assert not syntax.checked
    assert "too long to check" in str(syntax.problem)
    assert syntax.form is Form.SELECT
    assert [str(service.target) for service in syntax.services] == ["<http://q/s>"]
    assert syntax.missing_prefixes == frozenset()
    assert syntax.normal == text


def test_a_prefix_counts_from_where_it_is_declared() -> None:
    text = (
        "PREFIX a: <http://1/> INSERT {} WHERE { SERVICE a:x {} } ; "
        "PREFIX a: <http://2/> INSERT {} WHERE { SERVICE a:x {} }"
    )
    assert targets(text) == ["<http://1/x>", "<http://2/x>"]


def test_data_sets() -> None:
    syntax = read("SELECT * FROM <file:///x> FROM NAMED ex:g FROM ?y { }", prefixes=PREFIXES)
    assert [(s.keyword, s.iri) for s in syntax.datasets] == [
        ("FROM", "file:///x"),
        ("FROM NAMED", f"{E}g"),
        ("FROM", None),
    ]


def test_the_word_with_of_a_named_subquery_is_no_graph() -> None:
    assert read("SELECT * WITH { SELECT * {} } AS %a { INCLUDE %a }").datasets == ()
