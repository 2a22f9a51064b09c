"""One reply out of the pieces in which a server sends it.

Source: OpenAI API reference, "Chat completion chunk object". Servers leave out, or send as null, whatever they like.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plugins.nl.model.wire import Said, estimate


class Assembly:
    """Put pieces together. ``begun`` is whether any word has come, ``chosen`` whether any choice has."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: dict[int, list[str]] = {}
        self._tokens: list[tuple[str, float]] = []
        self._alternatives: list[Mapping[str, float]] = []
        self._finish = ""
        self._usage: Mapping[str, Any] = {}
        self.chosen = False

    @property
    def begun(self) -> bool:
        """Whether the model has said something."""
        return bool(self._text or self._thinking or self._calls)

    @property
    def ended(self) -> bool:
        """Whether the server said why the reply ends."""
        return bool(self._finish)

    def add(self, piece: Mapping[str, Any]) -> None:
        """Take a chunk of a stream, or a whole document."""
        if isinstance(usage := piece.get("usage"), Mapping):
            self._usage = usage
        choice = next(iter(piece.get("choices") or ()), None)
        if not isinstance(choice, Mapping):
            return
        self.chosen = True
        said = choice.get("delta") or choice.get("message") or {}
        for into, names in ((self._text, ("content", "refusal")), (self._thinking, ("reasoning_content", "reasoning"))):
            into += [text for name in names if (text := _text(said.get(name)))]
        for n, call in enumerate(said.get("tool_calls") or ()):
            self._called(call.get("index", n), call.get("function") or {})
        for token in (choice.get("logprobs") or {}).get("content") or ():
            self._tokens.append((token["token"], token["logprob"]))
            likeliest = token.get("top_logprobs") or ()
            self._alternatives.append({each["token"]: each["logprob"] for each in likeliest})
        self._finish = choice.get("finish_reason") or self._finish

    def _called(self, index: int, function: Mapping[str, Any]) -> None:
        name_and_arguments = self._calls.setdefault(index or 0, ["", ""])
        for n, key in enumerate(("name", "arguments")):
            value = function.get(key)
            name_and_arguments[n] += value if isinstance(value, str) else json.dumps(value) if value else ""

    def said(self, messages: list[Mapping[str, Any]]) -> Said:
        """Return the reply; what the server did not count is estimated from what was asked and said."""
        text, thinking = "".join(self._text), "".join(self._thinking)
        call = next((self._calls[index] for index in sorted(self._calls) if self._calls[index][0]), None)
        counts = [self._usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
        guesses = estimate([str(each.get("content")) for each in messages]), estimate([text, thinking, *(call or ())])
        prompt, completion = (
            count if isinstance(count, int) else guess for count, guess in zip(counts, guesses, strict=True)
        )
        return Said(
            text=text,
            call=(call[0], call[1]) if call else None,
            thinking=bool(thinking),
            finish=self._finish or "stop",
            tokens=tuple(self._tokens),
            alternatives=tuple(self._alternatives),
            prompt_tokens=prompt,
            completion_tokens=completion,
            estimated=None in counts,
        )


def _text(content: Any) -> str:
    """Return a text that came whole, or as a list of parts; parts of other kinds are no text."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [each.get("text") for each in parts if isinstance(each, Mapping)]
    return "".join(each for each in texts if isinstance(each, str))
