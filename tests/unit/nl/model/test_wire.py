"""Requests and replies as JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.nl.model.contract import Purpose
from plugins.nl.model.options import LlmOptions
from plugins.nl.model.wire import Call, Said, digest, estimate

CALL = Call(purpose="controller", messages=(("user", "x"),))
TOKENS = st.lists(st.tuples(st.text(), st.floats(max_value=0, allow_nan=False, allow_infinity=False)), max_size=3)


@given(st.text(), st.none() | st.tuples(st.text(), st.text()), TOKENS)
def test_a_reply_survives_its_file(text: str, call: tuple[str, str] | None, tokens: list[tuple[str, float]]) -> None:
    said = Said(text=text, call=call, tokens=tuple(tokens), alternatives=tuple(dict([each]) for each in tokens))
    assert Said.read(json.loads(json.dumps(said.document()))) == said


def test_a_request_has_one_name_and_another_request_another() -> None:
    options = LlmOptions(base_url="http://e.org/v1", model="m")
    name = digest(CALL.body(options))
    assert digest(dict(reversed(CALL.body(options).items()))) == name
    assert digest(CALL.body(LlmOptions(base_url="http://e.org/v1", model="m", seed=1))) != name
    assert digest(CALL.body(LlmOptions(base_url="http://other.org/v1", model="m"))) == name


def test_tokens_are_guessed_upwards() -> None:
    assert (estimate([""]), estimate(["abcd", "e"])) == (0, 2)


@pytest.mark.parametrize(("purpose", "sent"), [("controller", 0.7), ("other", 0.7), ("answer_type", 0), ("judge", 0)])
def test_only_actions_and_texts_are_left_to_chance(purpose: Purpose, sent: float) -> None:
    call = Call(purpose=purpose, messages=(("user", "?"),))
    assert call.body(LlmOptions(temperature=0.7))["temperature"] == sent
