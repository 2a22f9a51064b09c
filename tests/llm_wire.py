"""What an OpenAI-compatible server sends: whole documents and streams of events, with usage and token probabilities.

Source: OpenAI API reference, "Chat completion object" and "Chat completion chunk object".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

_DIMENSIONS = 32
_SURE = -0.01


@dataclass(frozen=True, slots=True)
class Message:
    """What the model says: a text, or the call of a tool.

    Shapes: ``call`` is a name and its arguments as JSON text; ``tokens`` have a log-probability and the likeliest at
    their place.
    """

    text: str | None = None
    call: tuple[str, str] | None = None
    finish: str = "stop"
    tokens: Sequence[tuple[str, float, Mapping[str, float]]] | None = ()
    thinking: str = ""

    @property
    def written(self) -> str:
        """All that the model wrote."""
        return " ".join(each for each in (self.thinking, self.text or "", *(self.call or ())) if each)

    @property
    def finished(self) -> str:
        """The reason why it ended."""
        return "tool_calls" if self.call and self.finish == "stop" else self.finish

    def without_tokens(self) -> Message:
        """Return the message of a server that does not tell probabilities."""
        return replace(self, tokens=None)

    def pieces(self) -> list[tuple[str, dict[str, Any] | None]]:
        """Return the text in pieces, as a stream sends it, with the probabilities of each."""
        given = self.tokens or [(word, _SURE, {word: _SURE}) for word in re.findall(r"\s*\S+|\s+$", self.text or "")]
        return [
            (token, None if self.tokens is None else {"content": [_probability(token, at, likeliest)]})
            for token, at, likeliest in given
        ]


def document(model: str, message: Message, usage: Mapping[str, int] | None) -> dict[str, Any]:
    """Return an answer that comes in one piece."""
    said: dict[str, Any] = {"role": "assistant", "content": message.text}
    if message.call:
        said["tool_calls"] = [_call(message.call)]
    if message.thinking:
        said["reasoning_content"] = message.thinking
    choice: dict[str, Any] = {"index": 0, "message": said, "finish_reason": message.finished}
    if message.tokens is not None and message.text:
        shown = [each for _, told in message.pieces() if told for each in told["content"]]
        choice["logprobs"] = {"content": shown}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
    return {**whole, "usage": usage} if usage else whole


def events(model: str, message: Message, usage: Mapping[str, int] | None) -> list[str]:
    """Return an answer as server-sent events; the last two are the reason of the end and `[DONE]`."""
    deltas: list[tuple[dict[str, Any], dict[str, Any] | None]] = [({"role": "assistant", "content": None}, None)]
    deltas += [({"reasoning_content": each}, None) for each in _halves(message.thinking)]
    deltas += [({"content": piece}, told) for piece, told in message.pieces()]
    if message.call:
        name, arguments = message.call
        deltas.append(({"tool_calls": [{"index": 0, **_call((name, ""))}]}, None))
        halves = [{"index": 0, "function": {"arguments": each}} for each in _halves(arguments)]
        deltas += [({"tool_calls": [each]}, None) for each in halves]
    chunks = [_chunk(model, [_delta(delta, told, None)]) for delta, told in deltas]
    end = _chunk(model, [_delta({}, None, message.finished)])
    # Usage comes behind the end, in an event without choices.
    last = {**_chunk(model, []), "usage": usage} if usage else None
    tail = [end, last] if last else [end]
    sent = [f"data: {json.dumps(each)}\n\n" for each in chunks]
    return [*sent, "".join(f"data: {json.dumps(each)}\n\n" for each in tail), "data: [DONE]\n\n"]


def _delta(delta: dict[str, Any], logprobs: dict[str, Any] | None, finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {**choice, "logprobs": logprobs} if logprobs else choice


def _chunk(model: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices}


def _call(call: tuple[str, str]) -> dict[str, Any]:
    name, arguments = call
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def _probability(token: str, at: float, likeliest: Mapping[str, float]) -> dict[str, Any]:
    def one(text: str, value: float) -> dict[str, Any]:
        return {"token": text, "logprob": value, "bytes": list(text.encode())}

    return {**one(token, at), "top_logprobs": [one(*each) for each in likeliest.items()]}


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [each for each in (text[:middle], text[middle:]) if each]


def counted(text: str) -> int:
    """Count the tokens of a text: here its words."""
    return len(text.split())


def sample(schema: Mapping[str, Any]) -> Any:
    """Return the simplest value that fits a JSON schema."""
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: sample(each) for name, each in schema.get("properties", {}).items()}
        case "array":
            return [sample(schema.get("items", {"type": "string"}))]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case _:
            return "blue"


def vector(text: str) -> list[float]:
    """Return an embedding: texts that share words are near each other."""
    values = [0.0] * _DIMENSIONS
    for word in text.lower().split():
        values[hashlib.blake2b(word.encode(), digest_size=2).digest()[0] % _DIMENSIONS] += 1.0
    length = sum(each * each for each in values) ** 0.5 or 1.0
    return [each / length for each in values]
