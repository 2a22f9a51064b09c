"""One question, from its words to its answer: strategy, gate, answer; every step an event."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field, replace

from plugins.nl.answer import Answer, Judgement, Warned
from plugins.nl.contract import (
    Candidate,
    Event,
    OutOfBudget,
    Status,
    Strategy,
    Turn,
    Work,
)
from plugins.nl.gate import Gate, skipped
from plugins.nl.model.contract import ChatModel, ModelUnavailable
from plugins.nl.prompts import digest
from plugins.nl.trace import Trace
from plugins.nl.unavailable import Unavailable
from proxy.errors import BadQuery, ClientError, ProxyError, TooMany, UpstreamError

log = logging.getLogger("saga")

# What the gate and then the names may cost, whatever the strategy has spent. Of the time a quarter is theirs, at most.
_KEPT_S, _KEPT_SHARE = 12.0, 0.25
_NAMES_S, _NAMES_SHARE = 2.0, 0.05
_GATE_QUERIES, _NAMES_QUERIES = 24, 8
_MOST_NAMED = 200
_ALIVE_S = 5.0
_COUNTED = (
    "lookups",
    "queries",
    "empty_queries",
    "blocked",
    "llm_calls",
    "prompt_tokens",
    "completion_tokens",
)


@dataclass(slots=True, kw_only=True)
class Inquiry:
    """Answer one question. ``status`` and ``answer`` are there once the events have ended; None where they were left.

    Shapes: ``substitute`` takes over where the model is gone; ``warnings`` are those that hold from the start.
    """

    id: str
    conversation: str
    work: Work
    strategy: Strategy
    max_rows: int
    substitute: Strategy | None = None
    warnings: list[Warned] = field(default_factory=list)
    status: Status | None = None
    answer: Answer | None = None
    _spent: bool = False
    _gone: bool = False

    async def events(self) -> AsyncGenerator[Event, None]:
        """Yield what happens; the last event is the answer.

        Raises Unavailable where model or endpoint are gone before the first step, TooMany where the caller may no more,
        and errors that are neither the caller's nor an endpoint's, such as a replay that does not match.
        """
        trace = Trace(self.work.budget.clock)
        seconds = self.work.budget.seconds
        self.work.budget.seconds -= min(_KEPT_S, _KEPT_SHARE * seconds)
        async with aclosing(self._tried(trace)) as events:
            async for event in events:
                yield trace.stamp(event)
        candidate = trace.candidate
        judgements: tuple[Judgement, ...] = ()
        if candidate is not None and not self._gone:
            self._allow(seconds - min(_NAMES_S, _NAMES_SHARE * seconds), _GATE_QUERIES)
            candidate, judgements = await self._gated(candidate)
            for each in judgements:
                yield trace.stamp(Event(kind="gate", data=each.document()))
        self._allow(seconds, _NAMES_QUERIES)
        if candidate is None and not (self._spent or self._gone):
            await self._look_after_endpoint()
        self.answer = await self._answer(trace, candidate, judgements)
        yield trace.stamp(Event(kind="answer", data=self.answer.document()))

    def turn(self) -> Turn:
        """Return what a later question of the conversation may refer to."""
        assert self.answer is not None
        return Turn(question=self.work.question.text, sparql=self.answer.sparql, labels=self.answer.labels)

    async def _tried(self, trace: Trace) -> AsyncGenerator[Event, None]:
        """Yield what the strategy does, and remember how it ended."""
        try:
            with self._surviving("nl.strategy_failed", "The strategy failed"):
                async with aclosing(self._steps(trace)) as events:
                    async for event in events:
                        yield event
        except (OutOfBudget, TimeoutError):
            self._spent = True
        except (ClientError, UpstreamError) as error:
            self._failed(error, trace)

    async def _steps(self, trace: Trace) -> AsyncGenerator[Event, None]:
        """Yield the events of the strategy; where its model is gone, those of the substitute."""
        try:
            async with aclosing(self.strategy.run(self.work)) as events:
                while (event := await self._next(events)) is not None:
                    if event.kind == "action" and trace.actions >= self.work.budget.actions:
                        raise OutOfBudget("actions")
                    yield event
        except ModelUnavailable as error:
            if self.substitute is None:
                raise
            self.strategy, self.substitute = self.substitute, None
            self.work = replace(self.work, model=None)
            self._warn(error.code, f"{error.detail} {self.strategy.name} answered instead.")
            async with aclosing(self._steps(trace)) as events:
                async for event in events:
                    yield event

    def _failed(self, error: ClientError | UpstreamError, trace: Trace) -> None:
        """Take note of an error that ended the strategy. Raises Unavailable, TooMany before the first step."""
        if isinstance(error, UpstreamError):
            self.status = "unavailable"
            if not trace.actions:
                raise Unavailable(error.detail, private=error.private, headers=dict(error.headers)) from error
            self._gone = True
        elif isinstance(error, TooMany):
            if not trace.actions:
                raise error
            self._spent = True
        self._warn(error.code, error.detail)

    async def _next(self, events: AsyncGenerator[Event, None]) -> Event | None:
        """Return the next event within the time that is left. Raises TimeoutError."""
        async with asyncio.timeout(self.work.budget.left_s):
            return await anext(events, None)

    def _allow(self, seconds: float, queries: int) -> None:
        """Let the question go on until so many seconds after its start, with some more queries."""
        self.work.budget.seconds = seconds
        self.work.budget.queries = int(self.work.budget.spent.get("queries", 0)) + queries

    async def _gated(self, candidate: Candidate) -> tuple[Candidate, tuple[Judgement, ...]]:
        """Return the candidate as the gate leaves it; as it is where the gate cannot end."""
        if not self.work.switches.gate:
            return candidate, skipped("the gate is switched off")
        detail = ""
        try:
            with self._surviving("nl.gate_failed", "The answer was not checked to its end"):
                async with asyncio.timeout(self.work.budget.left_s):
                    work = self.work
                    return await Gate(self._judge()).run(candidate, work.question, work.shape, work.tools)
        except (OutOfBudget, TimeoutError):
            self._spent = self._spent or candidate.table is None
            detail = "no time was left."
        except (ClientError, UpstreamError) as error:
            self._gone = candidate.table is None and isinstance(error, UpstreamError)
            detail = error.detail
        if detail:
            self._warn("gate_skipped", f"The answer was not checked to its end: {detail}")
        return candidate, ()

    @contextmanager
    def _surviving(self, name: str, what: str) -> Iterator[None]:
        """Go on behind a fault: strategies may be anybody's, and what one has found so far is still worth something."""
        try:
            yield
        except (OutOfBudget, TimeoutError, ProxyError):
            raise
        except Exception:
            log.exception(name, extra={"fields": {"strategy": self.strategy.name}})
            self._warn(name.removeprefix("nl."), f"{what}: a fault of the proxy, which is in its log.")

    async def _look_after_endpoint(self) -> None:
        """Take note where the endpoint is gone: a search that found nothing may have had nobody to ask."""
        try:
            async with asyncio.timeout(self.work.budget.left_s):
                await self.work.tools.asker.table("ASK {}", seconds=_ALIVE_S)
        except UpstreamError as error:
            self._warn(error.code, error.detail)
            self._gone = True
        except TimeoutError:
            self._warn("timeout", "The endpoint does not even answer `ASK {}`.")
            self._gone = True
        except (OutOfBudget, ProxyError):
            # Nothing is known of it.
            return

    async def _answer(self, trace: Trace, candidate: Candidate | None, gate: tuple[Judgement, ...]) -> Answer:
        candidate = self._shortened(candidate)
        labels = await self._names(candidate) if candidate else {}
        self.status = self._status(candidate)
        return Answer(
            id=self.id,
            conversation=self.conversation,
            question=self.work.question,
            strategy=self.strategy.name,
            status=self.status,
            shape=self.work.shape,
            sparql=candidate.sparql if candidate else "",
            table=candidate.table if candidate else None,
            labels=labels,
            types=candidate.types if candidate else {},
            steps=trace.steps(),
            gate=gate,
            model=self._model(),
            usage={"actions": trace.actions, **self._usage(), "seconds": round(trace.seconds, 3)},
            warnings=tuple(self.warnings),
            confidence=candidate.confidence if candidate else None,
        )

    def _shortened(self, candidate: Candidate | None) -> Candidate | None:
        """Return the candidate with as many rows as an answer may have; what is missing of them is said."""
        if candidate is None or candidate.table is None or candidate.table.boolean is not None:
            return candidate
        table = candidate.table
        if not table.complete:
            self._warn("incomplete", "The endpoint did not give all rows.")
        rows = table.rows[: self.max_rows]
        if len(rows) < table.total:
            self._warn("row_cap", f"The first {len(rows):,} of {table.total:,} rows are here; the query gets all.")
        return replace(candidate, table=replace(table, rows=rows, complete=table.complete and len(rows) == table.total))

    async def _names(self, candidate: Candidate) -> Mapping[str, str]:
        """Return labels of what stands in the query and in the answer. They are a courtesy."""
        rows = candidate.table.rows if candidate.table else ()
        iris = [term.value for row in rows for term in row if term and term.kind == "iri"]
        wanted: list[str] = []
        with suppress(OutOfBudget, TimeoutError, BadQuery):
            wanted = list(dict.fromkeys((*self.work.tools.named_in(candidate.sparql), *iris)))[:_MOST_NAMED]
            if not self._gone:
                async with asyncio.timeout(self.work.budget.left_s):
                    await self.work.tools.labels.learn(wanted)
        return {**self.work.tools.labels.mapping(wanted), **candidate.labels}

    def _status(self, candidate: Candidate | None) -> Status:
        if self._gone:
            return "unavailable"
        if self._spent:
            return "out_of_budget" if candidate is None else "partial"
        if candidate is None or candidate.table is None or candidate.table.empty:
            return "unanswered"
        return "answered"

    def _judge(self) -> ChatModel | None:
        """Return the model where the strategy asked it: whoever wants an answer without one gets all of it so."""
        return self.work.model if self.work.budget.spent.get("llm_calls") else None

    def _model(self) -> Mapping[str, str]:
        """Return which model was asked, with which prompts; nothing where none was."""
        if self.work.model is None or not self.work.budget.spent.get("llm_calls"):
            return {}
        return {"name": self.work.model.name, "prompts": digest()}

    def _usage(self) -> Mapping[str, float]:
        spent = self.work.budget.spent
        cost = {"cost": round(spent["money"], 6)} if "money" in spent else {}
        return {**{name: int(spent.get(name, 0)) for name in _COUNTED}, **cost}

    def _warn(self, code: str, message: str) -> None:
        self.warnings.append(Warned(code=code, message=message))
