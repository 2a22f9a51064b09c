"""Text in which less is left to be implied."""

from __future__ import annotations

import pytest

from proxy.syntax import Name, add_prefixes, expand_dotted, read
from tests.unit.syntax.reading import PREFIXES, E

NS = "http://ns/"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * { ns:a.b.c ?p ?o }", f"SELECT * {{ <{NS}a.b.c> ?p ?o }}"),
        ("SELECT * { ns:a ns:b.c. ?s ns:d.e. }", f"SELECT * {{ ns:a <{NS}b.c>. ?s <{NS}d.e>. }}"),
        ("SELECT * { ns:a/ns:b.c* ?o }", f"SELECT * {{ ns:a/<{NS}b.c>* ?o }}"),
        ("SELECT * { unknown:a.b ?p ?o }", "SELECT * { unknown:a.b ?p ?o }"),
        ("SELECT * { <ns:a.b> ?p 'ns:a.b' } # ns:a.b", "SELECT * { <ns:a.b> ?p 'ns:a.b' } # ns:a.b"),
        ("PREFIX ns: <http://o/> ASK { ns:a.b ?p 1.5 }", "PREFIX ns: <http://o/> ASK { <http://o/a.b> ?p 1.5 }"),
        ("PREFIX a.b: <http://o/> ASK { a.b:c ?p 1.5 }", "PREFIX a.b: <http://o/> ASK { a.b:c ?p 1.5 }"),
        ("SELECT * { ns:a\\.b ?p ?o }", f"SELECT * {{ <{NS}a.b> ?p ?o }}"),
        ("SELECT * { ?s ?p '\\u00e9' , ns:a.b }", f"SELECT * {{ ?s ?p '\\u00e9' , <{NS}a.b> }}"),
        ("SELECT ns:a.b [ broken", f"SELECT <{NS}a.b> [ broken"),
    ],
)
def test_dotted_names_are_written_out(text: str, expected: str) -> None:
    assert expand_dotted(text, {"ns": NS}) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ASK { ns:a ?p ex:b }", f"PREFIX ex: <{E}> PREFIX ns: <{NS}> ASK {{ ns:a ?p ex:b }}"),
        ("PREFIX ns: <http://o/> ASK { ns:a ?p ?o }", "PREFIX ns: <http://o/> ASK { ns:a ?p ?o }"),
        ("ASK { 'ns:a' ?p <ns:b> } # ns:c", "ASK { 'ns:a' ?p <ns:b> } # ns:c"),
        ("ASK { unknown:a ?p ?o }", "ASK { unknown:a ?p ?o }"),
    ],
)
def test_implied_prefixes_are_declared(text: str, expected: str) -> None:
    assert add_prefixes(text, {"ns": NS, "ex": E}) == expected


def test_both_keep_what_the_text_says() -> None:
    text = "SELECT * { ns:a.b ex:c/ns:d.e ?o OPTIONAL { ?o a ns:f.g } }"
    before = read(text, prefixes={"ns": NS, **PREFIXES})
    after = read(add_prefixes(expand_dotted(text, {"ns": NS}), PREFIXES))
    assert [str(p) for p in after.patterns] == [str(p) for p in before.patterns]


def test_names_have_their_places() -> None:
    text = "PREFIX p: <http://p/> ASK { p:a.b q:c :d }"
    assert read(text, prefixes=PREFIXES).names == (
        Name("p", "a.b", "http://p/a.b", 28, 33),
        Name("q", "c", None, 34, 37),
        Name("", "d", f"{E}d", 38, 40),
    )


@pytest.mark.parametrize("escape", ["", "'\\u00e9'"])
def test_long_texts_are_edited_alike(escape: str) -> None:
    rows = "ns:a.b 'ns:a.b' <ns:a.b> (ns:c 1.5 ex:d.e)\n" * 9000
    text = f"ASK {{ {escape} VALUES ?x {{ {rows} }} }}"
    assert read(text, prefixes={"ns": NS}).missing_prefixes == {"ex"}
    expected = text.replace("ns:a.b '", f"<{NS}a.b> '").replace("ex:d.e", f"<{E}d.e>")
    assert expand_dotted(text, {"ns": NS, "ex": E}) == expected
    assert add_prefixes(text, {"ns": NS}) == f"PREFIX ns: <{NS}> {text}"
