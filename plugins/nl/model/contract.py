"""What a strategy sees of a language model; how the server is made to do it is hidden behind these nouns.

A model that chooses an action does so by a native tool call, by structured output or in plain text, whichever its
server can; the strategy does not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from proxy.errors import UpstreamError

# How a server is brought to an action: by its tool calls, by structured output, or by words that we read.
Mode = Literal["tools", "json", "text"]
# What a call is for. The label of its metrics, so a closed set.
Purpose = Literal["answer_type", "controller", "prune", "judge", "repair", "probe", "embed", "other"]
Outcome = Literal["ok", "repaired", "failed", "timeout", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What is sent. ``system`` says what to do, ``user`` what about; both come from a template."""

    purpose: Purpose
    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An action that the model may choose. ``argument`` says in words what its one argument is; empty for none."""

    name: str
    description: str
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The action that the model chose. ``action`` is always the name of an offer."""

    thought: str
    action: str
    argument: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A text that the model wrote.

    Shapes: ``tokens`` are those of the text with the natural logarithm of their probability, empty where the server
    does not tell; ``alternatives`` holds for each of them the likeliest tokens at its place, likewise.
    """

    text: str
    tokens: tuple[tuple[str, float], ...] = ()
    alternatives: tuple[Mapping[str, float], ...] = ()


class ChatModel(Protocol):
    """A question's way to the model: every call counts in the budget of the question.

    All raise OutOfBudget where calls, tokens, money or time are spent, ModelUnavailable where the server is gone or
    refuses us, and Unreadable for a reply that one request to repair it did not make readable.
    """

    @property
    def name(self) -> str:
        """The model's name, as the server knows it."""

    async def choose(self, prompt: Prompt, offers: Sequence[Offer]) -> Choice:
        """Return one thought and one action."""

    async def fill(self, prompt: Prompt, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an object that fits a JSON schema, an object with required members of plain types."""

    async def write(self, prompt: Prompt, *, most_tokens: int | None = None, alternatives: int = 0) -> Reply:
        """Return a text; with the probabilities of its tokens where ``alternatives`` of each are wanted."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return a vector for each text; an empty list where no embedding model is configured."""


class ModelUnavailable(UpstreamError):
    """The model's server is gone, or does not take us as we are configured; the text names the key to look at."""

    status = 503
    code = "model_unavailable"
    title = "Model unavailable"


class Unreadable(Exception):
    """The model's reply is not what was asked for, and could not be repaired; ``args[0]`` says what is wrong."""


class TooLong(ModelUnavailable):
    """The prompt does not fit the model's context. Ask again with less; who does not is without a model here."""
