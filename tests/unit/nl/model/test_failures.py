"""What servers say of pauses, and what of their words may be logged."""

from __future__ import annotations

import datetime
import email.utils

import pytest

from plugins.nl.model.failures import loggable, pause_of


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "5"}, 5.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "5", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Mon, 30 Nov 1998 10:00:00 GMT"}, 0.0),
    ],
)
def test_the_pause_that_is_asked_for(headers: dict[str, str], seconds: float | None) -> None:
    assert pause_of(headers) == seconds


def test_a_pause_until_a_moment() -> None:
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)
    pause = pause_of({"retry-after": email.utils.format_datetime(moment, usegmt=True)})
    assert pause is not None
    assert 3000 < pause <= 3600


def test_words_of_those_who_ask_and_keys_are_left_out() -> None:
    body = {
        "messages": [{"role": "system", "content": "You answer."}, {"role": "user", "content": "Who is Obama?"}],
    }
    assert loggable("You asked 'Who is Obama?' with sk-1", body, "sk-1") == "You asked '… is …?' with …"
    assert len(loggable("x " * 1000, body, "")) == 300
