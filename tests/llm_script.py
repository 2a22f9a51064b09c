"""The nouns of a model server's script: a turn, what it answers, and what the server can."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Says:
    """Choose an action: as a tool call, a JSON object or text, whichever the request asks for."""

    thought: str
    action: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Fills:
    """Fill a form: as the arguments of a tool call, or as JSON."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Writes:
    """Write a text, whatever the request asks for.

    Shapes: ``tokens`` are those of the text, each with its log-probability and the likeliest at its place; absent, they
    are its words, all equally sure. ``thinking`` goes out as `reasoning_content`; None as text sends `null`.
    """

    text: str | None
    finish: str = "stop"
    tokens: Sequence[tuple[str, float, Mapping[str, float]]] = ()
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class Calls:
    """Call a tool with arguments as they stand, also such as no JSON reader takes."""

    name: str
    arguments: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Fails:
    """Answer with a status and a body: a text, or an error object as such servers send it."""

    status: int
    retry_after: str | None = None
    body: str | Mapping[str, Any] = ""
    type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Dies:
    """Break the connection behind some text."""

    after: str = ""


@dataclass(frozen=True, slots=True)
class Hangs:
    """Send some text, and then nothing more until the client leaves."""

    after: str = ""


Answer = Says | Fills | Writes | Calls | Fails | Dies | Hangs


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and its answer. ``purpose`` is the one that the client names in its header."""

    says: Answer
    expects: Sequence[str] = ()
    refuses: Sequence[str] = ()
    purpose: str | None = None

    def wrong(self, asked: Asked) -> list[str]:
        """Say what about a request is not as expected."""
        found = [f"lacks {text!r}" for text in self.expects if text not in asked.text]
        found += [f"has {text!r}" for text in self.refuses if text in asked.text]
        if self.purpose not in (None, asked.purpose):
            found.append(f"is for {asked.purpose!r} and not for {self.purpose!r}")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What the server can. With ``refuses`` the rest is answered with ``status``, else it is ignored.

    Units: ``probe_s`` is how long a check of what it can takes, in seconds.
    """

    tools: bool = True
    json: bool = True
    json_object: bool = True
    streaming: bool = True
    logprobs: bool = True
    embeddings: bool = True
    usage: bool = True
    refuses: bool = True
    status: int = 400
    probe_s: float = 0.0


@dataclass(slots=True)
class Asked:
    """One request as it came, and whether its client left before the answer was whole."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def messages(self) -> Sequence[Mapping[str, Any]]:
        """The messages of the request."""
        return self.body.get("messages") or ()

    @property
    def text(self) -> str:
        """All messages, one after the other."""
        return "\n".join(str(each.get("content") or "") for each in self.messages)

    @property
    def purpose(self) -> str:
        """What the client says that the request is for."""
        return self.headers.get("X-Saga-Purpose", "")

    @property
    def format(self) -> Mapping[str, Any]:
        """The response format that is wanted; empty for none."""
        return self.body.get("response_format") or {}
