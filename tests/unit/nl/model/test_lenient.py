"""JSON as models write it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.nl.model.lenient import objects

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda each: st.lists(each, max_size=3))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"a": 1} and {"b": 2}', [{"a": 1}, {"b": 2}]),
        ('SELECT { ?x } {"a": 1}', [{"a": 1}]),
        ('{"a": "b\nc"}', [{"a": "b\nc"}]),
        ('{"a": [1, 2,], }', [{"a": [1, 2]}]),
        ('{"a": {"b": "c"', [{"a": {"b": "c"}}]),
        ('{"a": ["b"', [{"a": ["b"]}]),
        ('{"a": "b', [{"a": "b"}]),
        ("no object", []),
        ("[1]", []),
        ("", []),
    ],
)
def test_objects_amid_other_text(text: str, read: list[object]) -> None:
    assert list(objects(text)) == read


@given(st.dictionaries(st.text(), VALUES, min_size=1), st.text(st.characters(exclude_characters="{}")))
def test_an_object_is_found_in_any_text(made: dict[str, object], around: str) -> None:
    assert next(objects(around + json.dumps(made) + around)) == made
