"""Conversations: what was asked before, bound to whoever asked it."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from plugins.nl.contract import Turn
from plugins.nl.purse import who
from plugins.nl.records import Change, Record, Records, Unreadable
from plugins.nl.unavailable import Unavailable
from proxy.contract import Caller
from proxy.errors import NotFound

_MOST_TURNS = 5
# What a turn and a conversation may hold, so that all of them have a bound. Units: characters, then bytes.
_MOST_LABELS, _LONGEST_LABEL = 50, 300
_LONGEST_SPARQL = 10_000
_MOST_BYTES = 64 * 1024
_RETRY_S = "2"

# A turn as it is kept: its own name, question, query, labels.
Row = tuple[str, str, str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The turns of a conversation, the oldest first; ``owner`` is who began it."""

    id: str
    owner: str
    endpoint: str
    turns: tuple[Turn, ...] = ()


class Conversations:
    """Keep conversations for a time. An id cannot be guessed, and is no use to another caller.

    Units: ``seconds`` from the last turn.
    """

    def __init__(self, records: Records, seconds: float) -> None:
        self._records = records
        self._seconds = seconds

    def begin(self, caller: Caller, endpoint: str) -> Conversation:
        """Return a new conversation; it is kept once something was said in it."""
        return Conversation(id=secrets.token_urlsafe(18), owner=who(caller), endpoint=endpoint)

    async def find(self, identifier: str, caller: Caller, endpoint: str) -> Conversation:
        """Return a conversation.

        Raises NotFound for one that is unknown, over, another caller's or endpoint's; Unavailable where nobody can say.
        """
        empty = Conversation(id=identifier, owner=who(caller), endpoint=endpoint)
        try:
            rows = _rows(await self._records.read(_name(empty)))
        except Unreadable:
            detail = "The conversation cannot be read now. Ask again, or leave `conversation` out to begin one."
            raise Unavailable(detail, headers={"Retry-After": _RETRY_S}) from None
        if not rows:
            raise NotFound("There is no such conversation, or it is over. Leave `conversation` out to begin one.")
        return replace(empty, turns=tuple(_turn(row) for row in rows))

    async def keep(self, conversation: Conversation, turn: Turn) -> None:
        """Add a turn, behind those that were added meanwhile; the last five stay."""
        await self._records.change(_name(conversation), self._added(conversation.turns, turn))

    def _added(self, before: Sequence[Turn], turn: Turn) -> Change:
        new = _row(turn)

        def change(record: Record) -> tuple[bytes, float]:
            # What is over by now is still what this turn followed.
            rows = _rows(record) or [_row(each) for each in before]
            # It may have been added by a change whose answer was lost.
            if all(row[0] != new[0] for row in rows):
                rows = [*rows, new]
            return _written(rows[-_MOST_TURNS:]), self._seconds

        return change


def _name(conversation: Conversation) -> str:
    """Return the name of a conversation, which is of no use without its id, its owner and its endpoint."""
    parts = json.dumps([conversation.id, conversation.owner, conversation.endpoint])
    return hashlib.blake2b(parts.encode(), digest_size=20).hexdigest()


def _row(turn: Turn) -> Row:
    """Return a turn as it is kept: a name of its own, then what it holds within a bound."""
    labels = ((iri, label) for iri, label in turn.labels.items() if len(iri) + len(label) <= _LONGEST_LABEL)
    sparql = turn.sparql if len(turn.sparql) <= _LONGEST_SPARQL else ""
    return (secrets.token_hex(8), turn.question, sparql, dict(islice(labels, _MOST_LABELS)))


def _turn(row: Row) -> Turn:
    _, question, sparql, labels = row
    return Turn(question=question, sparql=sparql, labels=labels)


def _written(rows: Sequence[Row]) -> bytes:
    """Return turns as they are kept, without the oldest where they are too much."""
    content = json.dumps(rows, ensure_ascii=False).encode(errors="replace")
    return content if len(content) <= _MOST_BYTES or len(rows) == 1 else _written(rows[1:])


def _rows(record: Record) -> list[Row]:
    """Return the turns of a record; none where something else stands there."""
    try:
        rows = json.loads(record.content or b"[]")
        return [(str(name), str(text), str(sparql), dict(labels)) for name, text, sparql, labels in rows]
    except (ValueError, TypeError):
        return []
