"""The protocol for any input: what goes in comes out, and nothing raises what is not ours."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote, quote_plus, unquote_to_bytes

from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import ProxyError
from proxy.protocol import FORM, _percent_decoded, formats, parse_get, parse_post
from proxy.syntax import Form

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: bool(text.strip()))


def refusal(call: Callable[[], object]) -> int | None:
    """Return the status that a call is refused with, or None; anything else that it raises fails the test."""
    try:
        call()
    except ProxyError as error:
        return error.status
    return None


@given(TEXT, st.lists(TEXT, max_size=3), st.sampled_from([quote, quote_plus]))
def test_text_and_graphs_come_out_as_they_went_in(text: str, graphs: list[str], encode: object) -> None:
    assert callable(encode)
    pairs = [("query", text), *(("default-graph-uri", graph) for graph in graphs)]
    encoded = "&".join(f"{name}={encode(value, safe='')}" for name, value in pairs)
    for operation in (parse_get(encoded), parse_post("", FORM, encoded.encode())):
        assert operation.text == text
        assert operation.dataset.default == tuple(graphs)


@given(st.binary(max_size=200))
def test_percent_decoding_is_that_of_the_library(raw: bytes) -> None:
    assert _percent_decoded(raw) == unquote_to_bytes(raw)
    assert _percent_decoded(quote(raw).encode()) == raw


@given(st.text(max_size=200), st.text(max_size=60), st.binary(max_size=200))
def test_nothing_raises_what_is_not_ours(query_string: str, content_type: str, body: bytes) -> None:
    calls: list[Callable[[], object]] = [
        lambda: parse_get(query_string),
        lambda: parse_post(query_string, content_type, body),
        lambda: parse_post("", FORM, body),
        lambda: parse_post("", "application/sparql-query", body),
    ]
    for call in calls:
        assert refusal(call) in (None, 400, 415)


RANGES = st.sampled_from(
    ["*/*", "text/*", "application/*", "text/csv", "text/turtle", "application/json", "application/sparql-results+xml"]
)
QUALITY = st.sampled_from(["", ";q=0", ";q=0.5", ";q=1.000", ";q=x", ";version=1.2", "; q=0.1 "])


@given(
    st.lists(st.tuples(RANGES, QUALITY), max_size=5),
    st.none() | st.text(max_size=20),
    st.sampled_from([Form.SELECT, Form.ASK, Form.CONSTRUCT, Form.DESCRIBE]),
)
def test_negotiation_gives_formats_that_the_client_named(
    ranges: list[tuple[str, str]], wanted: str | None, form: Form
) -> None:
    accept = ",".join(name + quality for name, quality in ranges)
    if refused := refusal(lambda: formats(accept, wanted, form)):
        assert refused == 406
        return
    chosen = formats(accept, wanted, form)
    assert len(set(chosen)) == len(chosen) > 0
    assert all(fmt.is_graph == (form in (Form.CONSTRUCT, Form.DESCRIBE)) for fmt in chosen)


@given(st.text(max_size=100), st.none() | st.text(max_size=20))
def test_any_accept_header_gives_a_format_or_406(accept: str, wanted: str | None) -> None:
    assert refusal(lambda: formats(accept, wanted, Form.SELECT)) in (None, 406)
