"""What a server does not take, learnt from its refusals: it is left out from then on."""

from __future__ import annotations

import re
from typing import Any

from plugins.nl.model.wire import Body

# What a request can do without. Anything else that is refused is an error.
_OPTIONAL = (
    "stream_options", "top_logprobs", "logprobs", "seed", "top_p", "stop", "tool_choice", "temperature", "stream",
    "frequency_penalty", "max_tokens",
)  # fmt: skip
_REFUSED = re.compile(
    r"not (be )?(supported|support|allowed|permitted|implemented|recognized|valid)|unsupported|unknown|unrecognized"
    r"|unexpected|invalid|extra (inputs|fields)",
    re.IGNORECASE,
)


class Quirks:
    """The habits of one server. ``learn`` changes them, ``fitted`` follows them."""

    def __init__(self) -> None:
        self._without: set[str] = set()

    def learn(self, said: str, body: Body) -> bool:
        """Read a refusal; True where the request should be sent again, without what was refused.

        Shapes: ``body`` is as it was sent, so that nothing is left out twice.
        """
        if not _REFUSED.search(said):
            return False
        named = [name for name in _OPTIONAL if name in body and re.search(rf"\b{name}\b", said)]
        if not named and _has_schema(body) and re.search(r"response_format|json_schema", said):
            named = ["json_schema"]
        self._without.update(named)
        return bool(named)

    def fitted(self, body: Body, streams: bool) -> dict[str, Any]:
        """Return a request as this server takes it; ``streams`` asks for a stream where it can."""
        made = {**body, "stream": True, "stream_options": {"include_usage": True}} if streams else {**body}
        for name in self._without & made.keys():
            value = made.pop(name)
            if name == "max_tokens":
                made["max_completion_tokens"] = value
        if "logprobs" not in made:
            made.pop("top_logprobs", None)
        if "stream" not in made:
            made.pop("stream_options", None)
        if "json_schema" in self._without and _has_schema(made):
            made["response_format"] = {"type": "json_object"}
        return made


def _has_schema(body: Body) -> bool:
    return bool(body.get("response_format", {}).get("type") == "json_schema")
