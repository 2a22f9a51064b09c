"""Ask one question of one strategy, and run one gold query: both on the same endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from plugins.evaluation.oracle import CALLER, Oracle
from plugins.nl.answer import Answer
from plugins.nl.contract import Table
from plugins.nl.conversations import Conversation
from plugins.nl.model.client import ModelClient
from plugins.nl.office import Office
from plugins.nl.options import NlOptions
from plugins.nl.request import Asked
from plugins.nl.tools import Knowledge
from plugins.search.learned import Learned
from proxy.contract import Context, Over
from proxy.errors import BadRequest, ProxyError, TooMany, UpstreamError, UsageError

# Warnings of a defect, of strategy or gate, behind which the question went on.
_FAULTS = frozenset(("strategy_failed", "gate_failed"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a question. Units: ``seconds`` of wall time.

    Shapes: ``answer`` is None where there is none; ``problem`` says why, or what fault there was on the way; ``gone``
    where endpoint or model are; ``events`` are JSON objects.
    """

    answer: Answer | None
    seconds: float
    problem: str = ""
    gone: bool = False
    events: Sequence[Mapping[str, Any]] = ()


class Asking(Protocol):
    """A way to ask questions: in this process, or of a proxy that runs."""

    async def ask(self, text: str, language: str, strategy: str, name: str) -> Done:
        """Return what came of a question; no error of endpoint or model ends a run."""


class Answering:
    """Answer questions as /nl does, and gold queries."""

    def __init__(
        self,
        context: Context,
        endpoint: str,
        options: NlOptions,
        model: ModelClient | None = None,
        learned: Learned | None = None,
    ) -> None:
        """Look at what there is to stand on; ``learned`` words take the place of the options'. Raises ConfigError.

        Several may stand on one context and one model: each counts for itself, and nobody reads that.
        """
        self._context = context
        self._endpoint = endpoint
        self._office = Office(unread(context), options, model)
        self._oracle = Oracle(context, endpoint)
        if learned is not None:
            self.knowledge.learned = learned

    @property
    def knowledge(self) -> Knowledge:
        """What is known of the endpoint's graph."""
        return self._office.knowledge[self._endpoint]

    def demand(self, strategy: str) -> None:
        """See that a strategy can be made. Raises UsageError."""
        conversation = Conversation(id="", owner="", endpoint=self._endpoint)
        try:
            self._office.inquiry(Asked(question="?", strategy=strategy), conversation, CALLER, "")
        except BadRequest as error:
            raise UsageError(f"--strategy: {error.detail}") from error

    async def ask(self, text: str, language: str, strategy: str, name: str) -> Done:
        """Ask a question; no error of endpoint or model ends a run."""
        clock = self._context.clock
        began = clock()
        conversation = Conversation(id=name, owner="evaluation", endpoint=self._endpoint)
        asked = Asked(question=text, language=language, strategy=strategy)
        found: list[Mapping[str, Any]] = []
        try:
            inquiry = self._office.inquiry(asked, conversation, CALLER, name)
            async with aclosing(inquiry.events()) as events:
                async for event in events:
                    found.append(event.document())
        except ProxyError as error:
            gone = isinstance(error, UpstreamError | TooMany)
            return Done(answer=None, seconds=clock() - began, problem=error.detail, gone=gone, events=found)
        assert inquiry.answer is not None
        return done(inquiry.answer, clock() - began, found)

    async def gold(self, sparql: str) -> Table | None:
        """Run a query; None where the endpoint does not answer it, or not as a whole."""
        table = await self._oracle.whole(sparql)
        return table if table is not None and table.complete else None


def done(answer: Answer, seconds: float, events: Sequence[Mapping[str, Any]]) -> Done:
    """Return what came of a question that was answered in some way; a fault of ours is no answer of a strategy."""
    gone = answer.status == "unavailable"
    faults = [each for each in answer.warnings if gone or each.code in _FAULTS]
    problem = "; ".join(each.message for each in faults)
    return Done(answer=answer, seconds=seconds, gone=gone, problem=problem, events=events)


def unread(context: Context) -> Context:
    """Return the context with series of its own, which nobody reads."""
    return replace(context, metrics=_Unread())


class _Unread:
    """Series that nobody reads: several offices in one process would have the same names."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()

    def counter(self, name: str, text: str, labels: Sequence[str]) -> Counter:
        return Counter(name, text, labels, registry=self._registry)

    def gauge(self, name: str, text: str, labels: Sequence[str], over: Over = "sum") -> Gauge:
        return Gauge(name, text, labels, registry=self._registry)

    def histogram(self, name: str, text: str, labels: Sequence[str], buckets: Sequence[float]) -> Histogram:
        return Histogram(name, text, labels, registry=self._registry, buckets=tuple(buckets))
