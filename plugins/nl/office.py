"""Where inquiries are made: what is known of each endpoint's graph, the strategies, and the count of questions."""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from plugins.nl.answer import Warned
from plugins.nl.contract import Budget, Question, Work
from plugins.nl.conversations import Conversation
from plugins.nl.inquiry import Inquiry
from plugins.nl.lanes import Clients, Lanes
from plugins.nl.model.client import ModelClient
from plugins.nl.model.options import LlmOptions
from plugins.nl.options import WITH_MODEL, WITHOUT_MODEL, NlOptions
from plugins.nl.request import Asked
from plugins.nl.roster import Roster
from plugins.nl.shape import read as read_shape
from plugins.nl.tools import Knowledge, Tools
from plugins.schema.guard import Guard
from plugins.search import Learned, Search
from proxy.contract import Caller, Context
from proxy.errors import ConfigError

log = logging.getLogger("saga")

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_NO_INDEX = "The search index of this endpoint is missing or cannot be used; names were looked for without it."
_VERDICTS = ("shown", "folded", "demoted", "removed")


class Office:
    """Make the inquiry of a question, and count what came of it."""

    def __init__(
        self,
        context: Context,
        options: NlOptions,
        model: ModelClient | None = None,
        clients: Clients | None = None,
    ) -> None:
        """Look at what there is to stand on; questions give way to ``clients``. Raises ConfigError."""
        # All queries of questions go through here; those of clients do not.
        self._context = replace(context, run=Lanes(context.run, context.tables, clients or Clients()).run)
        self._options = options
        self._model = model
        self._roster = Roster(options.strategies, options.strategy or (WITH_MODEL if model else WITHOUT_MODEL))
        self.knowledge = _knowledge(context, options)
        metrics = context.metrics
        self._questions = metrics.counter("saga_nl_questions", "Questions", ["endpoint", "strategy", "status"])
        self._seconds = metrics.histogram("saga_nl_seconds", "Time of a question", ["endpoint", "strategy"], _SECONDS)
        self._actions = metrics.counter("saga_nl_actions", "Actions of strategies", ["strategy", "action"])
        self._edges = metrics.counter(
            "saga_nl_edges", "Properties around entities, by what became of them", ["verdict"]
        )

    def inquiry(self, asked: Asked, conversation: Conversation, caller: Caller, identifier: str) -> Inquiry:
        """Return the inquiry of a request. Raises BadRequest for an unknown strategy."""
        options, endpoint = self._options, conversation.endpoint
        question = Question(text=asked.question, endpoint=endpoint, language=asked.language, history=conversation.turns)
        shape = read_shape(question)
        budget = Budget(
            clock=self._context.clock,
            started=self._context.clock(),
            actions=min(asked.max_actions or options.max_actions, options.max_actions),
            queries=options.max_queries,
            llm_calls=options.llm.calls,
            tokens=options.llm.tokens,
            money=options.llm.money or math.inf,
            seconds=min(asked.seconds or options.seconds, options.seconds),
        )
        knowledge = self.knowledge[endpoint]
        model = self._model.question(budget) if self._model else None
        work = Work(
            question=question,
            shape=shape,
            tools=Tools(self._context, knowledge, caller, question, shape, budget, options.switches),
            budget=budget,
            model=model,
            switches=options.switches,
        )
        return Inquiry(
            id=identifier,
            conversation=conversation.id,
            work=work,
            strategy=self._roster.strategy(asked.strategy),
            # Whoever did not choose a strategy wants an answer rather than a model.
            substitute=self._roster.strategy(WITHOUT_MODEL) if model and not asked.strategy else None,
            max_rows=options.max_rows,
            warnings=_shortcomings(knowledge),
        )

    def ended(self, inquiry: Inquiry, seconds: float) -> None:
        """Count a question, and log it without its words. One that its caller left has no status: time only."""
        endpoint, name, status = inquiry.work.question.endpoint, inquiry.strategy.name, inquiry.status
        self._seconds.labels(endpoint, name).observe(seconds)
        fields = {"endpoint": endpoint, "strategy": name, "status": status or "cancelled", "seconds": round(seconds, 3)}
        log.info("nl.done", extra={"fields": {**fields, "chars": len(inquiry.work.question.text)}})
        if status is not None:
            self._questions.labels(endpoint, name, status).inc()
        for step in inquiry.answer.steps if inquiry.answer else ():
            if step["kind"] == "action":
                self._actions.labels(name, step["action"]).inc()
            for verdict in _VERDICTS:
                self._edges.labels(verdict).inc(step.get("edges", {}).get(verdict, 0))


@asynccontextmanager
async def modelled(context: Context, options: LlmOptions) -> AsyncIterator[ModelClient | None]:
    """Open the model of the `[llm]` table; None where none is configured. Raises ConfigError."""
    if not options.configured:
        yield None
        return
    if missing := list(options.missing()):
        raise ConfigError(*missing)
    async with ModelClient(options, context.metrics, context.clock) as model:
        context.parts["model"] = model.problem
        yield model


def _shortcomings(knowledge: Knowledge) -> list[Warned]:
    """Say what an answer has to do without."""
    # What exactly is wrong names files of this machine, and stands in the log.
    missing = knowledge.searcher.problem
    return [Warned(code="search_index", message=_NO_INDEX)] if missing else []


def _knowledge(context: Context, options: NlOptions) -> Mapping[str, Knowledge]:
    """Return what is known of each endpoint's graph. Raises ConfigError."""
    search, guard = context.plugin(Search), context.plugin(Guard)
    if search is None:
        raise ConfigError("plugins.enabled: 'plugins.nl' needs 'plugins.search' before it")
    learned = Learned.open(options.learned) if options.learned else None
    return {
        name: Knowledge(
            endpoint=name,
            graph=table.graph,
            prefixes=context.prefixes[name],
            searcher=search.searcher(name),
            index=functools.partial(guard.index, name) if guard else lambda: None,
            coverage=options.switches.coverage,
            seed=options.switches.seed,
            learned=learned,
        )
        for name, table in context.tables.items()
    }
