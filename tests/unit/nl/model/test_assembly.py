"""Replies out of pieces, also of such as no server should send."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.nl.model.assembly import Assembly
from plugins.nl.model.wire import Said


def assembled(*pieces: dict[str, Any]) -> Said:
    assembly = Assembly()
    for piece in pieces:
        assembly.add(piece)
    return assembly.said([{"content": "x" * 8}])


def delta(**said: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": said}]}


def test_text_comes_in_pieces() -> None:
    said = assembled(delta(role="assistant", content=None), delta(content="a"), delta(content="b"))
    assert (said.text, said.finish) == ("ab", "stop")


def test_tool_calls_come_in_pieces_and_the_first_counts() -> None:
    def call(index: int, **function: str) -> dict[str, Any]:
        return delta(tool_calls=[{"index": index, "function": function}])

    said = assembled(
        call(0, name="a", arguments=""),
        call(1, name="b", arguments="{}"),
        call(0, arguments='{"x"'),
        call(0, arguments=": 1}"),
    )
    assert said.call == ("a", '{"x": 1}')


def test_calls_without_an_index_and_arguments_that_are_objects() -> None:
    said = assembled(delta(tool_calls=[{"function": {"name": "a", "arguments": None}}]))
    assert said.call == ("a", "")
    said = assembled(delta(tool_calls=[{"function": {"name": "a", "arguments": {"x": 1}}}]))
    assert said.call == ("a", '{"x": 1}')


def test_thinking_is_seen_and_is_no_text() -> None:
    said = assembled(delta(reasoning_content="hm"), delta(content="a"))
    assert (said.text, said.thinking) == ("a", True)


def test_tokens_are_the_servers_where_it_counts_them() -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}}
    said = assembled(delta(content="abcd"), usage)
    assert (said.prompt_tokens, said.completion_tokens, said.estimated) == (5, 7, False)
    said = assembled(delta(content="abcd"), {"choices": [], "usage": None})
    assert (said.prompt_tokens, said.completion_tokens, said.estimated) == (2, 1, True)


def test_texts_may_come_in_parts_of_kinds() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    said = assembled(delta(content=[thinking, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]))
    assert said.text == "ab"


MESSAGE = ("content", "tool_calls", "function", "name", "arguments", "index")
KEYS = (
    *MESSAGE,
    "choices",
    "delta",
    "message",
    "usage",
    "prompt_tokens",
    "finish_reason",
    "logprobs",
    "token",
    "logprob",
)
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda each: st.lists(each, max_size=2) | st.dictionaries(st.sampled_from(KEYS), each, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.just("choices"), st.lists(ODD, min_size=1)), ODD)
def test_whatever_comes_it_is_a_reply_or_one_of_the_errors_that_are_taken_for_nonsense(
    piece: dict[str, Any], usage: object
) -> None:
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
        assembled({**piece, "usage": usage}, {"choices": [{"delta": usage, "logprobs": usage}]})


@pytest.mark.parametrize("piece", [{}, {"choices": None}, {"choices": []}, {"choices": [None]}, {"choices": [7]}])
def test_no_choice_is_no_reply(piece: dict[str, Any]) -> None:
    assembly = Assembly()
    assembly.add(piece)
    assert not assembly.chosen
