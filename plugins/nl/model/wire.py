"""What is sent to a model's server for one reply, and what came back.

Source: OpenAI API reference, "Create chat completion"; vLLM, llama.cpp and Ollama take the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from plugins.nl.model.contract import Purpose
from plugins.nl.model.options import LlmOptions

Body = Mapping[str, Any]
Format = Literal["", "json_schema", "json_object"]
# Where a server does not count tokens: characters of one, roughly, in languages that are written in Latin letters.
_CHARS_OF_A_TOKEN = 4
# Nothing is left to chance in these, however freely actions are chosen. Source: SAGA, appendix F.1.
_JUDGEMENTS: frozenset[Purpose] = frozenset(("answer_type", "prune", "judge", "repair", "probe"))

# So that a small model leaves a sentence that it repeats; more, and it would avoid words that it needs.
_PENALTY = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """A shorter reply that will do. Shapes: ``forms`` show it in words, ``schema`` is as in Call."""

    forms: str
    schema: Body | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request for a reply.

    Shapes: ``messages`` are pairs of a role and a text; ``tools`` are functions, of which the model has to call one;
    ``schema`` is what the reply has to fit where there is a ``format``; ``alternatives`` of each token are wanted;
    ``varied`` where the reply should not go round in circles; ``again`` is what is asked for where the reply cannot be
    read, unless that is the same.
    """

    purpose: Purpose
    messages: tuple[tuple[str, str], ...]
    tools: tuple[Body, ...] = ()
    format: Format = ""
    schema: Body | None = None
    stop: tuple[str, ...] = ()
    most_tokens: int | None = None
    alternatives: int = 0
    varied: bool = False
    again: Again | None = None

    def body(self, options: LlmOptions) -> dict[str, Any]:
        """Return the JSON that is sent, without what only says how it is to travel."""
        body: dict[str, Any] = {
            "model": options.model,
            "messages": [{"role": role, "content": text} for role, text in self.messages],
            "temperature": 0.0 if self.purpose in _JUDGEMENTS else options.temperature,
            "max_tokens": self.most_tokens or options.most_tokens,
        }
        body |= {name: value for name in ("top_p", "seed") if (value := getattr(options, name)) is not None}
        if self.tools:
            body |= {
                "tools": [{"type": "function", "function": each} for each in self.tools],
                "tool_choice": "required",
            }
        if self.format == "json_schema":
            shape = {"name": "reply", "schema": self.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif self.format:
            body["response_format"] = {"type": self.format}
        if self.stop:
            body["stop"] = list(self.stop)
        if self.varied and not self.format:
            # Structured output needs its quotes and braces as often as it needs them.
            body["frequency_penalty"] = _PENALTY
        if self.alternatives:
            body |= {"logprobs": True, "top_logprobs": self.alternatives}
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What came back.

    Shapes: ``call`` is the name of a tool and its arguments as text; ``finish`` is the server's word for why it ended;
    ``tokens`` and ``alternatives`` as in Reply; ``estimated``: the server did not count, and we guessed.
    """

    text: str = ""
    call: tuple[str, str] | None = None
    thinking: bool = False
    finish: str = "stop"
    tokens: tuple[tuple[str, float], ...] = ()
    alternatives: tuple[Mapping[str, float], ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def cut(self) -> bool:
        """Whether the reply was too long."""
        return self.finish == "length"

    @property
    def written(self) -> str:
        """All of it as text, as the model is shown it again."""
        return "\n".join(each for each in (self.text, *(self.call or ())) if each)

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Said:
        """Return what a JSON form stands for. Raises KeyError, TypeError and ValueError for what is none."""
        tokens = tuple((str(text), float(at)) for text, at in document["tokens"])
        call = document["call"]
        made = {**document, "tokens": tokens, "alternatives": tuple(document["alternatives"])}
        return cls(**made | {"call": (str(call[0]), str(call[1])) if call else None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """The embeddings of some texts, in their order."""

    vectors: list[list[float]]
    tokens: int

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Vectors:
        """Return what a JSON form stands for. Raises KeyError, TypeError and ValueError for what is none."""
        return cls(vectors=[list(map(float, each)) for each in document["vectors"]], tokens=int(document["tokens"]))


def digest(body: Body) -> str:
    """Return the name of a request: the same for the same request, in every process."""
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def estimate(texts: Sequence[str]) -> int:
    """Guess the number of tokens."""
    return -(-sum(map(len, texts)) // _CHARS_OF_A_TOKEN)
