"""The `[nl]` table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from plugins.nl.model.options import LlmOptions
from plugins.nl.switches import ALL_ON, Switches
from proxy.redis_options import RedisOptions
from proxy.settings import NONE, key, table


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPurse:
    """An `[nl.keys.NAME]` table."""

    money_per_day: float = key(
        "money that the model may cost in 24 hours, at the prices of `[llm]`; 0 is no limit", 0.0
    )


# The strategy of requests that name none.
WITH_MODEL, WITHOUT_MODEL = "saga", "keyless"


@dataclass(frozen=True, slots=True, kw_only=True)
class NlOptions(RedisOptions):
    """How questions are answered, and what they may cost.

    The workers of one machine share conversations and what each caller has spent. With `redis` all machines do.
    """

    llm: LlmOptions = table("the `[llm]` table: the model that strategies ask", LlmOptions())
    strategy: str = key("strategy of requests that name none; empty is saga with a model and keyless without", "")
    strategies: Mapping[str, str] = key("further strategies by name, each as `package.module:Class`", NONE)
    public: bool = key("whether callers without the right `nl` may ask from elsewhere than this machine", False)
    switches: Switches = key("parts that can be switched off, in `[nl.switches]`", ALL_ON)
    max_actions: int = key("actions of a strategy for one question; a request may ask for fewer", 15)
    max_queries: int = key("queries of a strategy for one question; the gate has a few of its own", 60)
    max_rows: int = key("rows in an answer; where there are more, a warning says how many", 1000)
    seconds: float = key("seconds for one question, checks included; a request may ask for fewer", 60.0)
    seconds_per_minute: float = key(
        "seconds of work that one caller may cause in a minute; 0 is without a limit", 120.0
    )
    concurrency: int = key("questions that are answered at the same time, per worker; above it 429", 16)
    keys: Mapping[str, KeyPurse] = key("what the questions of a key may cost, by its name in `[keys]`", NONE)
    longest_question: int = key("longest question, in characters; above it 400", 2000)
    heartbeat_s: float = key("seconds without an event after which a comment is sent to keep a stream open", 10.0)
    conversation_s: float = key("seconds that a conversation is kept after its last question", 3600.0)
    conversations: int = key("conversations that are kept on this machine; the oldest goes", 1000)
    redis_s: float = key("seconds that Redis may take for one answer; a question goes on without it", 0.5)
    learned: Path | None = key("folder of learned words, as `saga search learn` writes it", None)
    datasets: Mapping[str, str] = key("names of data sets in the Text2SPARQL challenge, and the endpoint of each", NONE)

    def mistakes(self, endpoints: Iterable[str]) -> Iterator[str]:
        """Say what is well formed and still cannot work."""
        for name in ("max_actions", "max_rows", "concurrency", "longest_question", "conversations"):
            if getattr(self, name) < 1:
                yield f"nl.{name}: must be at least 1"
        for name in ("seconds", "heartbeat_s", "conversation_s"):
            if getattr(self, name) <= 0:
                yield f"nl.{name}: must be above 0"
        yield from self.llm.mistakes()
        if self.strategy == WITH_MODEL and not self.llm.configured:
            yield f"nl.strategy: {WITH_MODEL} needs a model; give `base_url` and `model` in `[llm]`"
        yield from self.redis_mistakes("nl")
        if self.switches.coverage > 1:
            yield "nl.switches.coverage: must be from 0 to 1"
        for name, endpoint in self.datasets.items():
            if endpoint not in endpoints:
                yield f"nl.datasets.{name}: there is no `[endpoints.{endpoint}]`"
