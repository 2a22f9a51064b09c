"""Conversations: whose they are, how long they are kept, and how much of them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from plugins.nl.contract import Turn
from plugins.nl.conversations import Conversation, Conversations
from plugins.nl.local import LocalRecords, open_database
from proxy.contract import Caller
from proxy.errors import NotFound

ANN = Caller(address="192.0.2.1", key="ann")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["memory", "file"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_database(tmp_path if request.param == "file" else None)) as opened:
        yield opened


def conversations(database: sqlite3.Connection, most: int = 10, clock: Clock | None = None) -> Conversations:
    return Conversations(LocalRecords(database, "conversations", most, clock or Clock()), 60)


async def begun(kept: Conversations, caller: Caller = ANN) -> Conversation:
    conversation = kept.begin(caller, "demo")
    await kept.keep(conversation, Turn(question="who?"))
    return conversation


async def questions(kept: Conversations, conversation: Conversation) -> list[str]:
    return [turn.question for turn in (await kept.find(conversation.id, ANN, "demo")).turns]


async def test_a_turn_is_found_again(database: sqlite3.Connection) -> None:
    kept = conversations(database)
    conversation = await begun(kept)
    turn = Turn(question="¿y su mujer? 👩", sparql="ASK {}", labels={"http://e.org/1": "Мария"})
    await kept.keep(await kept.find(conversation.id, ANN, "demo"), turn)
    found = await kept.find(conversation.id, ANN, "demo")
    assert found.turns == (Turn(question="who?"), turn)
    assert (found.id, found.owner, found.endpoint) == (conversation.id, "key ann", "demo")


@pytest.mark.parametrize(
    ("caller", "endpoint"),
    [
        (Caller(address="192.0.2.1"), "demo"),
        (Caller(address="192.0.2.1", key="bob"), "demo"),
        (Caller(address="ann"), "demo"),
        (ANN, "other"),
    ],
)
async def test_it_is_no_use_to_others(database: sqlite3.Connection, caller: Caller, endpoint: str) -> None:
    kept = conversations(database)
    conversation = await begun(kept)
    with pytest.raises(NotFound):
        await kept.find(conversation.id, caller, endpoint)
    assert await questions(kept, conversation) == ["who?"]


async def test_a_key_is_its_owner_wherever_it_asks_from(database: sqlite3.Connection) -> None:
    kept = conversations(database)
    conversation = await begun(kept)
    assert (await kept.find(conversation.id, Caller(address="198.51.100.9", key="ann"), "demo")).turns


async def test_nothing_is_kept_before_something_was_said(database: sqlite3.Connection) -> None:
    kept = conversations(database)
    with pytest.raises(NotFound):
        await kept.find(kept.begin(ANN, "demo").id, ANN, "demo")


@pytest.mark.parametrize("identifier", ["", "made-up", "x" * 100_000, "'; DROP TABLE records; --", "\0", "../../etc"])
async def test_what_never_was_is_not_found(database: sqlite3.Connection, identifier: str) -> None:
    kept = conversations(database)
    conversation = await begun(kept)
    with pytest.raises(NotFound):
        await kept.find(identifier, ANN, "demo")
    assert await questions(kept, conversation) == ["who?"]


async def test_it_ends_after_its_time_from_the_last_turn(database: sqlite3.Connection) -> None:
    clock = Clock()
    kept = conversations(database, clock=clock)
    conversation = await begun(kept)
    clock.now = 59
    await kept.keep(await kept.find(conversation.id, ANN, "demo"), Turn(question="and?"))
    clock.now = 118
    assert await questions(kept, conversation) == ["who?", "and?"]
    clock.now = 120
    with pytest.raises(NotFound):
        await kept.find(conversation.id, ANN, "demo")


async def test_a_turn_that_took_longer_than_the_conversation_lasts_still_follows_it(
    database: sqlite3.Connection,
) -> None:
    clock = Clock()
    kept = conversations(database, clock=clock)
    conversation = await kept.find((await begun(kept)).id, ANN, "demo")
    clock.now = 100
    await kept.keep(conversation, Turn(question="and?"))
    assert await questions(kept, conversation) == ["who?", "and?"]


async def test_the_oldest_goes_where_there_are_too_many(database: sqlite3.Connection) -> None:
    kept = conversations(database, most=2)
    first, second, third = [await begun(kept) for _ in range(3)]
    with pytest.raises(NotFound):
        await kept.find(first.id, ANN, "demo")
    assert await questions(kept, second) == await questions(kept, third) == ["who?"]
    # One that goes on is none of the oldest.
    await kept.keep(second, Turn(question="and?"))
    fourth = await begun(kept)
    with pytest.raises(NotFound):
        await kept.find(third.id, ANN, "demo")
    assert await questions(kept, second) == ["who?", "and?"]
    assert await questions(kept, fourth) == ["who?"]


async def test_the_last_five_turns_stay_and_many_at_once_lose_none(database: sqlite3.Connection) -> None:
    kept = conversations(database)
    conversation = kept.begin(ANN, "demo")
    # The same conversation as it was at first: others have added to it meanwhile.
    await asyncio.gather(*(kept.keep(conversation, Turn(question=str(number))) for number in range(7)))
    assert await questions(kept, conversation) == ["2", "3", "4", "5", "6"]


async def test_a_turn_has_a_bound(database: sqlite3.Connection) -> None:
    kept = conversations(database)
    conversation = kept.begin(ANN, "demo")
    labels = {"http://e.org/long": "x" * 1000} | {f"http://e.org/{number}": "x" for number in range(1000)}
    await kept.keep(conversation, Turn(question="?", sparql="x" * 1_000_000, labels=labels))
    turn = (await kept.find(conversation.id, ANN, "demo")).turns[0]
    assert len(turn.labels) == 50
    assert "http://e.org/0" in turn.labels
    assert "http://e.org/long" not in turn.labels
    assert turn.sparql == ""


async def test_a_conversation_has_a_bound_and_the_last_turn_stays(database: sqlite3.Connection) -> None:
    kept = conversations(database)
    conversation = kept.begin(ANN, "demo")
    for number in range(5):
        labels = {f"http://e.org/{n}": "汉" * 250 for n in range(50)}
        await kept.keep(conversation, Turn(question=str(number), sparql="x" * 10_000, labels=labels))
    assert await questions(kept, conversation) == ["4"]
    (size,) = database.execute("SELECT max(length(content)) FROM records").fetchone()
    assert size <= 64 * 1024


async def test_ids_cannot_be_guessed_and_are_not_kept(database: sqlite3.Connection) -> None:
    kept = conversations(database)
    found = {kept.begin(ANN, "demo").id for _ in range(1000)}
    assert len(found) == 1000
    assert min(map(len, found)) >= 24
    conversation = await begun(kept)
    assert conversation.id not in "".join(database.iterdump())


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"{}", b"[1]", b"[[1, 2]]", b'[["a", "b", "c", "d"]]', b"\xff\xfe"]
)
async def test_what_nobody_can_read_is_no_conversation(database: sqlite3.Connection, content: bytes) -> None:
    kept = conversations(database)
    conversation = await begun(kept)
    database.execute("UPDATE records SET content = ?", (content,))
    with pytest.raises(NotFound):
        await kept.find(conversation.id, ANN, "demo")
    await kept.keep(conversation, Turn(question="and?"))
    assert await questions(kept, conversation) == ["and?"]
