from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from plugins.cache.key import Keys, uncacheable
from proxy.contract import Caller, Dataset, Query, Right
from proxy.results import Format
from proxy.syntax import read
from tests.unit.cache.questions import query


def name(asked: Query, epoch: int = 1) -> bytes:
    return Keys("rights").names(asked, epoch).whole


def test_layout_and_comments_do_not_matter_and_nor_do_id_source_and_address() -> None:
    first = query("SELECT * { ?s ?p ?o }")
    for same in (
        query("SELECT * {?s ?p ?o}"),
        query("# hello\nSELECT  *\n{ ?s ?p ?o }"),
        replace(first, id="2", source="nl", caller=Caller(address="10.0.0.1"), hints={"user-agent": "x"}),
    ):
        assert name(same) == name(first)


DIFFERENT = [
    query(),
    query("SELECT * { ?s ?p ?x }"),
    query("select * { ?s ?p ?o }"),
    query('SELECT * { ?s ?p "a b" }'),
    query('SELECT * { ?s ?p "a  b" }'),
    query("SELECT * { ?s a:b ?o }", prefixes={"a": "http://e.org/"}),
    query(endpoint="other"),
    query(formats=(Format.XML,)),
    query(formats=(Format.JSON, Format.XML)),
    query(formats=(Format.XML, Format.JSON)),
    query(timeout_s=1.0),
    query(timeout_s=2.0),
    query(version="1.2"),
    query(version=""),
    query(dataset=Dataset(default=("http://e.org/a",))),
    query(dataset=Dataset(named=("http://e.org/a",))),
    query(dataset=Dataset(default=("http://e.org/a", "http://e.org/b"))),
    query(dataset=Dataset(default=("http://e.org/a', 'http://e.org/b",))),
    query(dataset=Dataset(default=("http://e.org/a",), named=("http://e.org/b",))),
    query(caller=Caller(address="127.0.0.1", key="k", rights=frozenset({"query", "admin"}))),
    query(caller=Caller(address="127.0.0.1", key="k", rights=frozenset())),
]


def test_whatever_may_change_an_answer_makes_another_name() -> None:
    names = [name(each) for each in DIFFERENT] + [name(each, epoch=2) for each in DIFFERENT]
    assert len(set(names)) == len(names)


def test_implied_prefixes_are_part_of_the_meaning() -> None:
    text = "SELECT * { ?s a:b ?o }"
    one, other = (query(text, prefixes={"a": iri}) for iri in ("http://e.org/1", "http://e.org/2"))
    assert name(one) != name(other)


def test_keys_are_told_apart_only_where_the_configuration_says_so() -> None:
    rights: frozenset[Right] = frozenset({"query"})
    one, other = (query(caller=Caller(address="", key=key, rights=rights)) for key in ("one", "other"))
    assert name(one) == name(other)
    assert len({Keys("key").names(each, 1) for each in (one, other)}) == 2


_TERMS = st.sampled_from(["?s", "?p", "?o", "<urn:a>", '"x"', '"x "', '"#x"', "'''\n'''", "'x'@en", "1", "1.0", "a:b"])
_GAPS = st.sampled_from([" ", "\n", "\t ", " # comment\n", "  "])


@st.composite
def texts(draw: st.DrawFn) -> str:
    words = ["SELECT", "*", "{", draw(_TERMS), draw(st.sampled_from(["?p", "<urn:p>", "a:b"])), draw(_TERMS), "}"]
    if draw(st.booleans()):
        words += ["LIMIT", draw(st.sampled_from(["1", "10"]))]
    gaps = [draw(_GAPS) for _ in words]
    return "PREFIX a: <urn:>" + "".join(itertools.chain(*zip(gaps, words, strict=True)))


def _store() -> Store:
    store = Store()
    for value in ("x", "x ", "#x", "\n"):
        store.add(Quad(NamedNode("urn:a"), NamedNode("urn:p"), Literal(value)))
    store.add(Quad(NamedNode("urn:a"), NamedNode("urn:b"), Literal("x", language="en")))
    store.add(Quad(NamedNode("urn:b"), NamedNode("urn:p"), Literal(1)))
    return store


STORE = _store()


def meaning(text: str) -> object:
    """Return what an engine that shares no code with us answers, or that it refuses."""
    try:
        found = STORE.query(text)
        return sorted(str(row) for row in found)  # type: ignore[union-attr]  # a SELECT has rows
    except SyntaxError:
        return "refused"


@given(texts(), texts())
def test_equal_names_mean_equal_answers(one: str, other: str) -> None:
    same = name(query(one)) == name(query(other))
    if same:
        assert meaning(one) == meaning(other)
    # And the layout alone never makes two names of one query.
    if read(one).checked and one.split() == other.split() and "#" not in one + other and "'" not in one + other:
        assert same


_IRIS = st.lists(st.text("ab,'\"()\\ ", max_size=4), max_size=3).map(tuple)
_PARTS = st.tuples(
    st.sampled_from(["up", "other"]), _IRIS, _IRIS, st.sampled_from([None, 1.0, 2.0]), st.sampled_from([None, "1.2"]),
    st.lists(st.sampled_from(list(Format)), min_size=1, max_size=3, unique=True).map(tuple),
)  # fmt: skip


@given(_PARTS, _PARTS)
def test_equal_names_mean_equal_parts(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    def made(parts: tuple[object, ...]) -> Query:
        endpoint, default, named_graphs, timeout_s, version, formats = parts
        dataset = Dataset(default=default, named=named_graphs)  # type: ignore[arg-type]
        return query(endpoint=endpoint, dataset=dataset, timeout_s=timeout_s, version=version, formats=formats)

    assert (name(made(one)) == name(made(other))) == (one == other)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT * { ?s ?p ?o }", None),
        ("SELECT (NOW() AS ?x) {}", "volatile"),
        ("SELECT * { ?s ?p ?o FILTRE }", None),
        ("SELECT * { ?s ?p ?o FILTRE RAND() }", "volatile"),
        ("SELECT * { SERVICE <urn:other> { ?s ?p ?o } }", "service"),
        ("SELECT * { SERVICE <urn:own> { ?s ?p ?o } }", None),
        ("SELECT * { SERVICE ?where { ?s ?p ?o } }", "service"),
        ("INSERT DATA { <urn:a> <urn:b> 1 }", "form"),
        ("JSON { 'a': ?s } WHERE { ?s ?p ?o }", "form"),
        ("DEFINE get:soft 'soft' SELECT * { ?s ?p ?o }", "pragma"),
        ("DEFINE input:inference 'rules' SELECT * { ?s ?p ?o }", None),
    ],
)
def test_what_may_not_be_kept(text: str, reason: str | None) -> None:
    assert uncacheable(read(text), {"urn:own"}) == reason
