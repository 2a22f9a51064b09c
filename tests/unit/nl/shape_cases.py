"""Compare a shape with what a row of the tests says of it."""

from __future__ import annotations

from typing import Any

from plugins.nl.contract import Question
from plugins.nl.shape import read

# A question, the form of its answer, and other fields of its shape; what a row leaves out is not looked at.
Row = tuple[str, str, dict[str, Any]]


def check(language: str, row: Row) -> None:
    """Fail where the shape of a question is not as the row says; nobody tells its language."""
    text, form, wanted = row
    shape = read(Question(text=text, endpoint="demo"))
    found = {name: getattr(shape, name) for name in wanted}
    assert (shape.language, shape.form, found) == (language, form, wanted)
    for mention in shape.mentions:
        assert text[mention.start : mention.end] == mention.text
