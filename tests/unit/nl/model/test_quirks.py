"""What is learnt from refusals, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from plugins.nl.model.quirks import Quirks

BODY: dict[str, Any] = {"model": "m", "messages": [], "max_tokens": 5, "seed": 1, "logprobs": True, "top_logprobs": 2}


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("Unsupported parameter: 'seed' is not supported with this model.", {"seed"}),
        ("stream_options: Extra inputs are not permitted", {"stream_options"}),
        ("Unknown field top_logprobs", {"top_logprobs"}),
        ("'logprobs' is not supported", {"logprobs", "top_logprobs"}),
        ("stream is not supported", {"stream", "stream_options"}),
        ("Unrecognized request argument supplied: seed", {"seed"}),
    ],
)
def test_what_is_refused_is_left_out(said: str, gone: set[str]) -> None:
    quirks = Quirks()
    sent = quirks.fitted(BODY, streams=True)
    assert quirks.learn(said, sent)
    assert sent.keys() - quirks.fitted(BODY, streams=True).keys() == gone
    # What is gone cannot be refused again.
    assert not quirks.learn(said, quirks.fitted(BODY, streams=True))


@pytest.mark.parametrize(
    "said",
    [
        "'max_tokens' is too large: 8000",
        "tools are not supported",
        "The messages are invalid",
        "Something is unsupported",
        "seed",
    ],
)
def test_other_errors_are_errors(said: str) -> None:
    quirks = Quirks()
    sent = quirks.fitted(BODY, streams=True)
    assert not quirks.learn(said, sent)
    assert quirks.fitted(BODY, streams=True) == sent


def test_the_newer_name_of_a_limit() -> None:
    quirks = Quirks()
    said = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    assert quirks.learn(said, quirks.fitted(BODY, streams=False))
    assert quirks.fitted(BODY, streams=False)["max_completion_tokens"] == 5


def test_a_schema_becomes_an_object() -> None:
    quirks = Quirks()
    body = {**BODY, "response_format": {"type": "json_schema", "json_schema": {}}}
    assert quirks.learn("response_format of type json_schema is not supported", body)
    assert quirks.fitted(body, streams=False)["response_format"] == {"type": "json_object"}
