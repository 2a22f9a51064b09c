"""Forms: schemas as servers demand them, and replies held against them."""

from __future__ import annotations

from typing import Any

import pytest

from plugins.nl.model.contract import Unreadable
from plugins.nl.model.forms import read_form, strict

SCHEMA = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["list", "ask"]},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "sure": {"type": "boolean"},
        "words": {"type": "array", "items": {"type": "string"}},
        "where": {"type": "object", "properties": {"place": {"type": "string"}}},
    },
    "required": ["kind"],
}


def test_strict_schemas_have_all_members_and_no_others() -> None:
    made = strict(SCHEMA)
    assert made["required"] == list(SCHEMA["properties"])
    assert made["additionalProperties"] is False
    assert made["properties"]["where"]["required"] == ["place"]
    assert SCHEMA["required"] == ["kind"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"kind": "list"}', {"kind": "list"}),
        ('Here:\n```json\n{"kind": "LIST ", "other": 1}\n```', {"kind": "list"}),
        ('<think>{"kind": "ask"}</think>{"kind": "list"}', {"kind": "list"}),
        ('{"kind": "ask", "count": "3", "share": "0.5"}', {"kind": "ask", "count": 3, "share": 0.5}),
        ('{"kind": "ask", "sure": "yes"}', {"kind": "ask", "sure": True}),
        ('{"kind": "ask", "sure": 0}', {"kind": "ask", "sure": False}),
        ('{"kind": "ask", "words": "one"}', {"kind": "ask", "words": ["one"]}),
        ('{"kind": "ask", "words": ["a", 2]}', {"kind": "ask", "words": ["a", "2"]}),
        ('{"kind": "ask", "where": {"place": "here"}}', {"kind": "ask", "where": {"place": "here"}}),
    ],
)
def test_what_is_plainly_meant_is_taken(text: str, read: dict[str, Any]) -> None:
    assert read_form(text, SCHEMA) == read


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("list", "it holds no JSON object"),
        ("", "it holds no JSON object"),
        ("{}", "it lacks kind"),
        ('{"kind": null}', "kind must be one of list, ask"),
        ('{"kind": "both"}', "kind must be one of list, ask"),
        ('{"kind": "ask", "count": 1.5}', "count must be a whole number"),
        ('{"kind": "ask", "count": "many"}', "count must be a number"),
        ('{"kind": "ask", "count": Infinity}', "count must be a whole number"),
        ('{"kind": "ask", "sure": "perhaps"}', "sure must be true or false"),
        ('{"kind": "ask", "words": null}', "words must be of type array"),
        ('{"kind": "ask", "where": "here"}', "where must be of type object"),
        ('{"kind": "ask", "where": {}}', "it lacks where.place"),
    ],
)
def test_what_does_not_fit_is_said(text: str, why: str) -> None:
    with pytest.raises(Unreadable) as raised:
        read_form(text, SCHEMA)
    assert str(raised.value) == why
