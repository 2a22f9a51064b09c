"""Conversations: whose they are, how long they are kept, and how much of them."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Turn
from plugins.nl.conversations import Conversation, Conversations
from proxy.contract import Caller
from proxy.errors import NotFound

ANN = Caller(address="192.0.2.1", key="ann")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def begun(kept: Conversations, caller: Caller = ANN) -> Conversation:
    conversation = kept.begin(caller, "demo")
    kept.keep(conversation, Turn(question="who?"))
    return conversation


def test_a_turn_is_found_again() -> None:
    kept = Conversations(10, 60, Clock())
    conversation = begun(kept)
    kept.keep(kept.find(conversation.id, ANN, "demo"), Turn(question="and his wife?", sparql="ASK {}"))
    found = kept.find(conversation.id, ANN, "demo")
    assert [turn.question for turn in found.turns] == ["who?", "and his wife?"]
    assert found.turns[-1].sparql == "ASK {}"


@pytest.mark.parametrize(
    ("caller", "endpoint"),
    [
        (Caller(address="192.0.2.1"), "demo"),
        (Caller(address="192.0.2.1", key="bob"), "demo"),
        (ANN, "other"),
    ],
)
def test_it_is_no_use_to_others(caller: Caller, endpoint: str) -> None:
    kept = Conversations(10, 60, Clock())
    conversation = begun(kept)
    with pytest.raises(NotFound):
        kept.find(conversation.id, caller, endpoint)


def test_a_key_is_its_owner_wherever_it_asks_from() -> None:
    kept = Conversations(10, 60, Clock())
    assert kept.find(begun(kept).id, Caller(address="198.51.100.9", key="ann"), "demo").turns


def test_nothing_is_kept_before_something_was_said() -> None:
    kept = Conversations(10, 60, Clock())
    with pytest.raises(NotFound):
        kept.find(kept.begin(ANN, "demo").id, ANN, "demo")


def test_it_ends_after_its_time_from_the_last_turn() -> None:
    clock = Clock()
    kept = Conversations(10, 60, clock)
    conversation = begun(kept)
    clock.now = 59
    kept.keep(kept.find(conversation.id, ANN, "demo"), Turn(question="and?"))
    clock.now = 118
    assert len(kept.find(conversation.id, ANN, "demo").turns) == 2
    clock.now = 120
    with pytest.raises(NotFound):
        kept.find(conversation.id, ANN, "demo")


def test_the_oldest_goes_where_there_are_too_many() -> None:
    kept = Conversations(2, 60, Clock())
    first, second, third = (begun(kept) for _ in range(3))
    with pytest.raises(NotFound):
        kept.find(first.id, ANN, "demo")
    assert kept.find(second.id, ANN, "demo").turns
    assert kept.find(third.id, ANN, "demo").turns


def test_the_last_five_turns_stay_and_two_at_once_lose_none() -> None:
    kept = Conversations(2, 60, Clock())
    conversation = kept.begin(ANN, "demo")
    for number in range(7):
        # The same conversation as it was at first: others have added to it meanwhile.
        kept.keep(conversation, Turn(question=str(number)))
    found = kept.find(conversation.id, ANN, "demo")
    assert [turn.question for turn in found.turns] == ["2", "3", "4", "5", "6"]


def test_a_turn_has_a_bound() -> None:
    kept = Conversations(2, 60, Clock())
    conversation = kept.begin(ANN, "demo")
    labels = {f"http://e.org/{number}": "x" for number in range(1000)}
    kept.keep(conversation, Turn(question="?", sparql="x" * 1_000_000, labels=labels))
    turn = kept.find(conversation.id, ANN, "demo").turns[0]
    assert len(turn.labels) == 50
    assert "http://e.org/0" in turn.labels
    assert turn.sparql == ""


def test_ids_cannot_be_guessed() -> None:
    kept = Conversations(2, 60, Clock())
    found = {kept.begin(ANN, "demo").id for _ in range(1000)}
    assert len(found) == 1000
    assert min(map(len, found)) >= 24
