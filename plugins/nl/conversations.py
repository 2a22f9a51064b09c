"""Conversations: what was asked before, bound to whoever asked it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

from cachetools import TTLCache

from plugins.nl.contract import Turn
from plugins.nl.purse import who
from proxy.contract import Caller
from proxy.errors import NotFound

_MOST_TURNS = 5
# What one turn may hold, so that the memory of all has a bound.
_MOST_LABELS = 50
_LONGEST_SPARQL = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The turns of a conversation, the oldest first; ``owner`` is who began it."""

    id: str
    owner: str
    endpoint: str
    turns: tuple[Turn, ...] = ()


class Conversations:
    """Keep conversations for a time and within a number. An id cannot be guessed, and is no use to another caller."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float]) -> None:
        self._kept: TTLCache[str, Conversation] = TTLCache(most, seconds, timer=clock)

    def begin(self, caller: Caller, endpoint: str) -> Conversation:
        """Return a new conversation; it is kept once something was said in it."""
        return Conversation(id=secrets.token_urlsafe(18), owner=who(caller), endpoint=endpoint)

    def find(self, identifier: str, caller: Caller, endpoint: str) -> Conversation:
        """Return a conversation. Raises NotFound for one that is unknown, over, another caller's or endpoint's."""
        found = self._kept.get(identifier)
        if found is None or found.owner != who(caller) or found.endpoint != endpoint:
            raise NotFound("There is no such conversation, or it is over. Leave `conversation` out to begin one.")
        return found

    def keep(self, conversation: Conversation, turn: Turn) -> None:
        """Add a turn, behind those that were added meanwhile; the last five stay."""
        before = self._kept.get(conversation.id, conversation)
        short = replace(
            turn,
            sparql=turn.sparql if len(turn.sparql) <= _LONGEST_SPARQL else "",
            labels=dict(islice(turn.labels.items(), _MOST_LABELS)),
        )
        self._kept[conversation.id] = replace(before, turns=(*before.turns, short)[-_MOST_TURNS:])
