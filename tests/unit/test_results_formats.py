from __future__ import annotations

import pytest

from proxy.results.formats import BINDINGS, BOOLEANS, GRAPHS, Format, format_of, formats_for
from proxy.syntax import Form


def test_every_format_is_found_by_its_own_names() -> None:
    for form, formats in ((Form.SELECT, BINDINGS), (Form.ASK, BOOLEANS), (Form.DESCRIBE, GRAPHS)):
        assert formats_for(form) == formats
        for fmt in formats:
            assert format_of(fmt.media_type, form) is fmt
            assert format_of(f" {fmt.short_name.upper()} ", form) is fmt


@pytest.mark.parametrize(
    ("name", "form", "fmt"),
    [
        ("application/json", Form.SELECT, Format.JSON),
        ("application/json", Form.CONSTRUCT, Format.JSONLD),
        ("xml", Form.ASK, Format.XML),
        ("application/xml", Form.DESCRIBE, Format.RDFXML),
        ("text/n3", Form.CONSTRUCT, Format.TURTLE),
        ("text/plain", Form.CONSTRUCT, Format.NTRIPLES),
        ("text/turtle", Form.SELECT, None),
        ("text/csv", Form.ASK, None),
        ("text/plain", Form.SELECT, None),
        ("", Form.SELECT, None),
    ],
)
def test_plain_names_mean_what_the_form_asks_for(name: str, form: Form, fmt: Format | None) -> None:
    assert format_of(name, form) is fmt


def test_what_ends_with_a_bracket_or_tag_delimits_itself() -> None:
    assert {fmt for fmt in Format if fmt.self_delimiting} == {Format.JSON, Format.XML, Format.RDFXML, Format.JSONLD}


def test_text_types_name_their_character_set() -> None:
    for fmt in (Format.CSV, Format.TSV, Format.TURTLE):
        assert "charset=utf-8" in fmt.content_type
    assert Format.JSON.content_type == "application/sparql-results+json"
