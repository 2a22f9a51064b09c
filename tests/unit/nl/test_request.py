"""What a request to /nl may say."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request
from hypothesis import given
from hypothesis import strategies as some

from plugins.nl.request import Asked, checked, wants_events
from proxy.errors import BadRequest, NotAcceptable


def test_all_that_may_be_said() -> None:
    found = checked(
        {
            "question": " Who? ",
            "language": "zh-Hans",
            "strategy": "saga",
            "conversation": "c",
            "max_actions": 3,
            "seconds": "2.5",
            "dataset": "demo",
        },
        100,
    )
    assert found == Asked(
        question="Who?",
        language="zh-hans",
        strategy="saga",
        conversation="c",
        max_actions=3,
        seconds=2.5,
        dataset="demo",
    )


def test_what_is_null_was_not_said() -> None:
    fields = {"question": "Who?", "language": None, "conversation": None, "max_actions": None, "seconds": None}
    assert checked(fields, 100) == Asked(question="Who?")


@pytest.mark.parametrize(
    "more",
    [
        {"question": None},
        {"question": ""},
        {"question": "\n\t "},
        {"question": ["Who?"]},
        {"question": "x" * 101},
        {"questions": "Who?"},
        {"language": "x"},
        {"language": 'en" || true'},
        {"language": "e\nn"},
        {"strategy": 7},
        {"conversation": {}},
        {"max_actions": 0},
        {"max_actions": -1},
        {"max_actions": True},
        {"max_actions": 2.5},
        {"max_actions": "many"},
        {"max_actions": [1]},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"seconds": 10**400},
        {"seconds": "1e999"},
    ],
    ids=lambda each: str(each)[:40],
)
def test_what_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        checked({"question": "Who?", **more}, 100)


def test_half_a_character_is_one_that_can_be_sent_on() -> None:
    assert checked({"question": "who \ud800?"}, 100).question == "who ??"


values = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
    lambda each: some.lists(each, max_size=2) | some.dictionaries(some.text(), each, max_size=2),
)


@given(some.dictionaries(some.sampled_from(["question", "language", "max_actions", "seconds", "x"]), values))
def test_anything_is_read_or_refused(fields: dict[str, Any]) -> None:
    try:
        found = checked(fields, 100)
    except BadRequest:
        return
    assert found.question.encode()


@pytest.mark.parametrize(
    ("accept", "events"),
    [
        ("text/event-stream", True),
        ("application/json, text/event-stream", True),
        ("Text/Event-Stream; q=1", True),
        ("application/json", False),
        ("*/*", False),
        ("text/html,application/xhtml+xml,*/*;q=0.8", False),
        (None, False),
        ("", False),
    ],
)
def test_events_are_for_those_that_ask_for_them(accept: str | None, events: bool) -> None:
    headers = {} if accept is None else {"Accept": accept}
    assert wants_events(make_mocked_request("GET", "/nl", headers=headers)) is events


def test_another_format_is_refused() -> None:
    with pytest.raises(NotAcceptable):
        wants_events(make_mocked_request("GET", "/nl", headers={"Accept": "text/csv"}))
