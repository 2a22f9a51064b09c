from __future__ import annotations

import pytest

from proxy.contract import Dataset
from proxy.errors import BadRequest, NotAcceptable, UnsupportedMedia
from proxy.protocol import FORM, QUERY, UPDATE, formats, parse_get, parse_post
from proxy.results.formats import Format
from proxy.syntax import Form


def test_a_get_carries_text_and_dataset() -> None:
    operation = parse_get(
        "query=ASK%20%7B%7D&default-graph-uri=http%3A%2F%2Fe.org%2Fa&named-graph-uri=http%3A%2F%2Fe.org%2Fb"
    )
    assert (operation.kind, operation.text) == ("query", "ASK {}")
    assert operation.dataset == Dataset(default=("http://e.org/a",), named=("http://e.org/b",))


def test_plus_is_a_blank_and_its_escape_a_plus() -> None:
    body = b"query=SELECT+%281%2B1+AS+%3Fx%29+%7B%7D"
    assert parse_post("", FORM, body).text == "SELECT (1+1 AS ?x) {}"
    assert parse_get(body.decode()).text == "SELECT (1+1 AS ?x) {}"


def test_the_dataset_of_a_form_may_stand_in_the_address() -> None:
    operation = parse_post("default-graph-uri=http%3A%2F%2Fe.org%2Fg1", FORM, b"query=ASK%7B%7D&default-graph-uri=u:2")
    assert operation.dataset.default == ("http://e.org/g1", "u:2")


def test_an_update_has_its_own_dataset_parameters() -> None:
    operation = parse_post("using-graph-uri=u:1&default-graph-uri=u:9", UPDATE, b"CLEAR ALL")
    assert (operation.kind, operation.dataset) == ("update", Dataset(default=("u:1",)))


def test_nothing_at_all_asks_for_the_description() -> None:
    assert parse_get("").kind == "description"


@pytest.mark.parametrize(
    "query_string",
    ["query=", "foo=1", "query=ASK%7B%7D&query=ASK%7B%7D", "update=CLEAR%20ALL", "query=%FF", "query=A&timeout=x"],
)
def test_a_bad_get(query_string: str) -> None:
    with pytest.raises(BadRequest):
        parse_get(query_string)


@pytest.mark.parametrize(
    ("query_string", "content_type", "body", "error"),
    [
        ("", FORM, b"query=A&update=B", BadRequest),
        ("query=A", FORM, b"query=A", BadRequest),
        ("query=A", QUERY, b"ASK {}", BadRequest),
        ("", FORM, b"", BadRequest),
        ("", QUERY, b"", BadRequest),
        ("", QUERY, b"\xff", BadRequest),
        ("", QUERY + "; charset=UTF-16", "ASK {}".encode("utf-16"), UnsupportedMedia),
        ("", "text/plain", b"ASK {}", UnsupportedMedia),
        ("", "", b"ASK {}", UnsupportedMedia),
    ],
)
def test_a_bad_post(query_string: str, content_type: str, body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_post(query_string, content_type, body)


@pytest.mark.parametrize("content_type", [QUERY + "; charset=UTF-8", QUERY.upper() + ';charset="utf-8"', QUERY])
def test_the_character_set_may_be_named(content_type: str) -> None:
    assert parse_post("", content_type, "ASK {'ü'}".encode()).text == "ASK {'ü'}"


def test_empty_datasets_are_ignored_and_timeouts_read() -> None:
    operation = parse_get("default-graph-uri=&query=ASK%7B%7D&timeout=1.5&output=json&x=y")
    assert (operation.dataset, operation.timeout_s, operation.format) == (Dataset(), 1.5, "json")
    assert parse_get("query=A&timeout=0").timeout_s is None


@pytest.mark.parametrize(
    ("accept", "wanted", "form", "first"),
    [
        (None, None, Form.SELECT, Format.JSON),
        ("*/*", "csv", Form.SELECT, Format.CSV),
        ("*/*", "application/sparql-results+xml", Form.SELECT, Format.XML),
        ("*/*", "nonsense", Form.SELECT, Format.JSON),
        ("text/csv", "json", Form.SELECT, Format.CSV),
        ("text/turtle;q=0.9, application/sparql-results+json;q=0.5", None, Form.SELECT, Format.JSON),
        ("application/sparql-results+json,text/turtle", None, Form.CONSTRUCT, Format.TURTLE),
        ("application/sparql-results+json,text/turtle", None, Form.SELECT, Format.JSON),
        ("text/csv;q=0.2, text/tab-separated-values;q=0.8", None, Form.SELECT, Format.TSV),
        ("text/*", None, Form.SELECT, Format.CSV),
        ("*/*;q=0.1, application/sparql-results+xml", None, Form.ASK, Format.XML),
        ("application/json", None, Form.SELECT, Format.JSON),
        ("application/json", None, Form.CONSTRUCT, Format.JSONLD),
        ("application/xml", None, Form.DESCRIBE, Format.RDFXML),
        ("application/sparql-results+json;version=1.2", None, Form.SELECT, Format.JSON),
        ("application/sparql-results+xml, application/sparql-results+json", None, Form.SELECT, Format.XML),
        ("text/html, application/xml;q=0.9, */*;q=0.8", None, Form.SELECT, Format.XML),
        ("application/n-triples;q=0, */*", None, Form.CONSTRUCT, Format.TURTLE),
        ("application/sparql-results+json", None, Form.CONSTRUCT, Format.TURTLE),
        ("", "nt", Form.CONSTRUCT, Format.NTRIPLES),
    ],
)
def test_negotiation(accept: str | None, wanted: str | None, form: Form, first: Format) -> None:
    assert formats(accept, wanted, form)[0] is first


def test_a_format_that_is_refused_is_never_chosen() -> None:
    assert Format.NTRIPLES not in formats("application/n-triples;q=0, */*", None, Form.CONSTRUCT)


@pytest.mark.parametrize(
    ("accept", "form"), [("text/csv", Form.ASK), ("text/turtle", Form.SELECT), ("image/png", Form.CONSTRUCT)]
)
def test_what_cannot_be_made_is_406_and_says_what_can(accept: str, form: Form) -> None:
    with pytest.raises(NotAcceptable) as caught:
        formats(accept, None, form)
    assert caught.value.members["available"]


def test_a_strict_proxy_gives_no_graph_for_formats_of_results() -> None:
    with pytest.raises(NotAcceptable):
        formats("application/sparql-results+json", None, Form.CONSTRUCT, strict=True)
