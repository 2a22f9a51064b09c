"""The reader on texts that nobody thought of: it never breaks, and layout never matters."""

from __future__ import annotations

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from proxy.errors import ProxyError
from proxy.syntax import Syntax, add_prefixes, expand_dotted, read
from tests.oracles.algebra import triples
from tests.oracles.canonical import ours
from tests.oracles.texts import QUERIES, SOUP, TEXTS, Tokens, laid_out, mutated

IMPLIED = {"ex": "http://implied/", "ns": "http://implied.ns/"}


def said(syntax: Syntax) -> tuple[object, ...]:
    """Everything of a reading that layout must not change."""
    return (
        syntax.form,
        syntax.checked,
        [(str(p), p.scope.kind, p.required) for p in syntax.patterns],
        [(b.variable, b.terms) for b in syntax.bindings],
        [(s.target, s.silent) for s in syntax.services],
        syntax.projection,
        syntax.volatile,
        syntax.missing_prefixes,
        syntax.limit,
    )


def unlabelled(syntax: Syntax) -> tuple[object, ...]:
    """The same with patterns in the common form, since anonymous nodes are named by their place."""
    return (ours(syntax), *said(syntax)[3:])


@given(TEXTS)
def test_generated_queries_are_read_whole(text: str) -> None:
    syntax = read(text)
    assert syntax.checked, syntax.problem


@given(TEXTS)
def test_the_normal_form_is_idempotent_and_means_the_same(text: str) -> None:
    syntax = read(text)
    again = read(syntax.normal)
    assert again.normal == syntax.normal
    assert said(again) == said(syntax)


@given(QUERIES.flatmap(lambda tokens: st.tuples(laid_out(tokens), laid_out(tokens))))
def test_two_layouts_have_one_normal_form(texts: tuple[str, str]) -> None:
    one, other = map(read, texts)
    assert one.normal == other.normal
    assert said(one) == said(other)


@given(QUERIES, st.data())
def test_another_token_gives_another_normal_form(tokens: Tokens, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(tokens) - 1))
    changed = (*tokens[:at], tokens[at] + "x", *tokens[at + 1 :])
    try:
        other = read(" ".join(changed))
    except ProxyError:
        return
    assert other.normal != read(" ".join(tokens)).normal


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_rdflib_finds_the_same_patterns(text: str) -> None:
    assume(text.count("EXISTS") < 2)  # rdflib loses the inner one of two
    try:
        theirs = triples(text, {})
    except Exception:  # noqa: BLE001  rdflib overflows on some texts that are right
        return
    assert ours(read(text)) == theirs


@settings(max_examples=40, deadline=None)
@given(TEXTS)
def test_rdflib_reads_the_normal_form_as_the_text(text: str) -> None:
    try:
        before = triples(text, {})
    except Exception:  # noqa: BLE001  as above
        return
    assert triples(read(text).normal, {}) == before


@settings(max_examples=400)
@given(st.one_of(mutated(), SOUP, st.text()))
@example("SELECT")
@example("SELECT * {" + "(" * 199)
@example("ASK { FILTER(?a<?b>)")
@example("SELECT (1 AS ?x) { } ORDER BY")
@example("CONSTRUCT WHERE")
@example("SELECT * WITH {")
@example("ASK { ?s !")
@example("ASK { << << <<")
@example("INSERT DATA INTO")
@example("SELECT * { } ORDER BY )")
@example("DEFINE a:")
@example("SELECT * { SERVICE")
@example("LOAD")
@example("PREFIX")
def test_only_our_errors_and_places_inside_the_text(text: str) -> None:
    try:
        syntax = read(text, prefixes=IMPLIED)
    except ProxyError:
        return
    assert syntax.checked is (syntax.problem is None)
    for pattern in syntax.patterns:
        assert 0 <= pattern.start < pattern.end <= len(text)
        str(pattern), pattern.required, syntax.position(pattern.end)
    if syntax.problem is not None:
        assert syntax.problem.line <= text.count("\n") + text.count("\r") + 1
        assert syntax.normal == text
    else:
        again = read(syntax.normal, prefixes=IMPLIED)
        assert again.normal == syntax.normal
        assert unlabelled(again) == unlabelled(syntax)


@given(mutated())
def test_service_is_never_overlooked(text: str) -> None:
    """Whatever else stands there: a group that calls out is seen, before and behind the damage."""
    try:
        clean = read("ASK { SERVICE <http://evil/> { } }\n" + text)
    except ProxyError:
        return
    assert "<http://evil/>" in map(str, (service.target for service in clean.services))


@given(TEXTS)
def test_dotted_names_written_out_say_the_same(text: str) -> None:
    written = expand_dotted(text, IMPLIED)
    assert "ns:people." not in written
    assert ours(read(written)) == ours(read(text))


@given(mutated())
def test_edits_never_break_what_could_be_read(text: str) -> None:
    try:
        before = read(text, prefixes=IMPLIED)
    except ProxyError:
        return
    after = read(expand_dotted(add_prefixes(text, IMPLIED), IMPLIED))
    assert after.checked or not before.checked
    if before.checked:
        assert ours(after) == ours(before)


@settings(max_examples=200)
@given(TEXTS, st.data())
def test_escapes_change_nothing_but_the_normal_form(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    if text[at] == "\\" or text[at - 1 : at] == "\\":
        return
    escaped = f"{text[:at]}\\u{ord(text[at]):04X}{text[at + 1 :]}"
    syntax = read(escaped)
    assert said(syntax) == said(read(text))
    assert [syntax.written(p) for p in syntax.patterns if p.end <= at] == [
        read(text).written(p) for p in read(text).patterns if p.end <= at
    ]
