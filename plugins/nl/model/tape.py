"""Calls and their replies in a file, one JSON object a line: written as they happen, or answered from.

Shapes: `{"hash", "purpose", "request", "reply"}`, or `"error"` in place of a reply. Prompts stand in it, which are
personal data; keys do not.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plugins.nl.model.contract import Mode, ModelUnavailable, Purpose, TooLong
from plugins.nl.model.wire import Body, Format, Said, Vectors, digest
from proxy.errors import ConfigError, ProxyError

_MOST_LINES = 60


class Mismatch(ProxyError):
    """A replay was asked for something that is not in its file.

    The detail shows the difference, and so the prompts: to whoever asked, and in no log, as with all below 500.
    """

    status = 409
    code = "replay_mismatch"
    title = "Replay mismatch"


class Recording:
    """Write every call to a file, behind those that it holds. Raises OSError: a record with a hole is none."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, purpose: Purpose, body: Body, reply: Mapping[str, Any]) -> None:
        """Write a reply."""
        self._write(purpose, body, {"reply": reply})

    def failed(self, purpose: Purpose, body: Body, error: ModelUnavailable) -> None:
        """Write why there was no reply, since what was done next depends on it."""
        self._write(purpose, body, {"error": {"too_long": isinstance(error, TooLong), "detail": error.detail}})

    def _write(self, purpose: Purpose, body: Body, came: Mapping[str, Any]) -> None:
        line = {"hash": digest(body), "purpose": purpose, "request": body, **came}
        with open(self._path, "a", encoding="utf-8", opener=_private) as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class Replay:
    """Answer from a file, each of its replies once, the first to the first who asks the same."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises ConfigError for one that is none."""
        try:
            self._left = [_line(text) for text in path.read_text(encoding="utf-8").splitlines() if text.strip()]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"llm.replay: {path} is no record of calls ({error!r})") from None
        self.mode = _mode([line["request"] for line in self._left])

    def find(self, purpose: Purpose, body: Body) -> Mapping[str, Any]:
        """Return the reply to a request. Raises Mismatch, and ModelUnavailable where that was recorded."""
        name = digest(body)
        found = next((n for n, line in enumerate(self._left) if line["hash"] == name), None)
        if found is None:
            raise Mismatch(_difference(next((each for each in self._left if each["purpose"] == purpose), None), body))
        line = self._left.pop(found)
        if error := line.get("error"):
            raise (TooLong if error["too_long"] else ModelUnavailable)(error["detail"])
        reply: Mapping[str, Any] = line["reply"]
        return reply


def _line(text: str) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(text)
    if "error" not in line:
        (Vectors if line["purpose"] == "embed" else Said).read(line["reply"])
    elif not isinstance(line["error"]["detail"], str):
        raise ValueError("an error without words")
    return line | {name: line[name] for name in ("hash", "purpose", "request")}


def _mode(requests: Sequence[Body]) -> tuple[Mode, Format]:
    """Return the mode that requests were made in."""
    if any("tools" in each for each in requests):
        return "tools", ""
    formats = [each["response_format"]["type"] for each in requests if "response_format" in each]
    return ("json", formats[0]) if formats else ("text", "")


def _difference(line: Mapping[str, Any] | None, body: Body) -> str:
    """Show what is asked beside what comes next in the file."""
    if line is None:
        return "llm.replay has no call of this kind left; asked was:\n" + "\n".join(_shown(body)[:_MOST_LINES])
    lines = list(difflib.unified_diff(_shown(line["request"]), _shown(body), "recorded", "asked", lineterm="", n=2))
    more = [f"... and {len(lines) - _MOST_LINES} lines more"] if len(lines) > _MOST_LINES else []
    return "\n".join(
        [
            "llm.replay does not match what is asked; record it again, or go back to what it was recorded with:",
            *lines[:_MOST_LINES],
            *more,
        ]
    )


def _shown(body: Body) -> list[str]:
    """Return a request as lines: its parameters, then its messages as they are read."""
    lines = [f"{name}: {json.dumps(body[name], ensure_ascii=False)}" for name in sorted(body) if name != "messages"]
    for each in body.get("messages", ()):
        lines += [f"--- {each['role']}", *str(each["content"]).splitlines()]
    return lines
