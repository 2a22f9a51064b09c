"""The `[llm]` table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from proxy.settings import NONE, key


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """An `[llm.prices.MODEL]` table, in a currency of your choice."""

    prompt: float = key("price of a million tokens that are sent", 0.0)
    completion: float = key("price of a million tokens that the model writes", 0.0)

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what a call costs."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """Which model is asked, how, and what a question may cost."""

    base_url: str = key("address of an OpenAI-compatible server, such as `http://127.0.0.1:8000/v1`", "")
    model: str = key("name of the model, as the server knows it", "")
    embedding_model: str = key("name of the model for embeddings at the same server; empty for none", "")
    api_key_env: str = key("environment variable that holds the server's key; empty for none", "")
    temperature: float = key(
        "how freely actions and texts are chosen; 0 is the least, and holds for what the model judges", 0.0
    )
    top_p: float | None = key("share of the likeliest words that are chosen from; absent is the server's own", None)
    seed: int | None = key("seed of the server's random numbers; absent for none", None)
    mode: Literal["auto", "tools", "json", "text"] = key(
        "how the model names an action: by tool calls, structured output or text; auto finds out what the server can",
        "auto",
    )
    most_tokens: int = key("tokens that one reply may have, thinking included", 2048)
    timeout_s: float = key("seconds that one call may take, up to its last word", 60.0)
    silence_s: float = key("seconds without a word, once a reply has begun, after which it is asked for again", 20.0)
    attempts: int = key("times that one call is sent where the server is busy or breaks off", 3)
    concurrency: int = key("calls at the same time, per worker", 8)
    calls: int = key("calls for one question", 40)
    tokens: int = key("tokens for one question, sent and received", 200_000)
    money: float = key("money for one question, at `prices`; 0 is without a limit", 0.0)
    prices: Mapping[str, Price] = key("prices by the name of the model, as `[llm.prices.MODEL]`", NONE)
    cache: Path | None = key("folder that keeps replies, so that an evaluation asks for nothing twice", None)
    record: Path | None = key("file that every call is written to, with its reply", None)
    replay: Path | None = key("file of `record` that is answered from, instead of the server", None)

    @property
    def configured(self) -> bool:
        """Whether there is a model."""
        return bool(self.base_url and self.model)

    def missing(self) -> Iterator[str]:
        """Say what the environment lacks: a file may be checked where its secrets are not."""
        if self.api_key_env and not os.environ.get(self.api_key_env):
            yield f"llm.api_key_env: the environment variable {self.api_key_env!r} is not set"

    def mistakes(self) -> Iterator[str]:
        """Say what is well formed and still cannot work."""
        yield from self._halves()
        if self.base_url and not _is_address(self.base_url):
            yield "llm.base_url: must begin with http:// or https://, without a user, password or query in it"
        for name in ("most_tokens", "attempts", "concurrency", "calls", "tokens"):
            if getattr(self, name) < 1:
                yield f"llm.{name}: must be at least 1"
        for name in ("timeout_s", "silence_s"):
            if getattr(self, name) <= 0:
                yield f"llm.{name}: must be above 0"
        if self.temperature > 2:
            yield "llm.temperature: must be from 0 to 2"
        if self.top_p is not None and not 0 < self.top_p <= 1:
            yield "llm.top_p: must be above 0, and at most 1"
        if self.money and self.model not in self.prices:
            yield f"llm.money: needs the prices of the model, as [llm.prices.{self.model!r}]"
        yield from self._files()

    def _halves(self) -> Iterator[str]:
        """Find a table that names a server without a model, a model without a server, or neither."""
        if self.base_url and not self.model:
            yield "llm.model: is missing; name the model that the server at llm.base_url is to use"
        elif self.model and not self.base_url:
            yield "llm.base_url: is missing; name the server that has the model of llm.model"
        elif not self.configured:
            given = [each.name for each in fields(self) if getattr(self, each.name) != _NOTHING[each.name]]
            if given:
                yield f"llm: has {', '.join(given)}, but not base_url and model, so that there is no model"

    def _files(self) -> Iterator[str]:
        if self.record and self.replay:
            yield "llm.record: cannot be used together with llm.replay"
        if self.cache and self.replay:
            yield "llm.cache: cannot be used together with llm.replay"
        if self.replay and not self.replay.is_file():
            yield f"llm.replay: there is no file {str(self.replay)!r}"
        if self.record and not self.record.parent.is_dir():
            yield f"llm.record: there is no folder {str(self.record.parent)!r}"


_NOTHING = {each.name: each.default for each in fields(LlmOptions)} | {"prices": NONE}


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc and not parts.query
        )
    except ValueError:
        return False
