"""Ask one question of one strategy, and run one gold query: both on the same endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

from plugins.nl.answer import Answer
from plugins.nl.contract import Budget, Table
from plugins.nl.conversations import Conversation
from plugins.nl.office import Office
from plugins.nl.options import NlOptions
from plugins.nl.request import Asked
from plugins.nl.tools import Knowledge
from plugins.nl.tools.asker import Asker
from plugins.search.learned import Learned
from proxy.contract import Caller, Context
from proxy.errors import ProxyError

_GOLD_S = 20.0
_MOST_ROWS = 50_000
_CALLER = Caller(address="evaluation", rights=frozenset({"query", "nl"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a question. ``answer`` is None where the endpoint was gone. Units: ``seconds`` of wall time."""

    answer: Answer | None
    seconds: float
    problem: str = ""


class Answering:
    """Answer questions as /nl does, and gold queries."""

    def __init__(self, context: Context, endpoint: str, options: NlOptions) -> None:
        """Look at what there is to stand on. Raises ConfigError."""
        self._context = context
        self._endpoint = endpoint
        self._office = Office(context, options)

    @property
    def knowledge(self) -> Knowledge:
        """What is known of the endpoint's graph."""
        return self._office.knowledge[self._endpoint]

    @asynccontextmanager
    async def taught(self, learned: Learned | None) -> AsyncIterator[None]:
        """Answer with learned words for a while."""
        knowledge = self.knowledge
        before, knowledge.learned = knowledge.learned, learned
        try:
            yield
        finally:
            knowledge.learned = before

    async def ask(self, text: str, language: str, strategy: str, name: str) -> Done:
        """Ask a question; no error of the endpoint ends a run."""
        clock = self._context.clock
        began = clock()
        conversation = Conversation(id=name, owner="evaluation", endpoint=self._endpoint)
        asked = Asked(question=text, language=language, strategy=strategy)
        inquiry = self._office.inquiry(asked, conversation, _CALLER, name)
        try:
            async with aclosing(inquiry.events()) as events:
                async for _ in events:
                    pass
        except ProxyError as error:
            return Done(answer=None, seconds=clock() - began, problem=error.detail)
        return Done(answer=inquiry.answer, seconds=clock() - began)

    async def gold(self, sparql: str) -> Table | None:
        """Run a gold query; None where the endpoint does not answer it."""
        budget = Budget(clock=self._context.clock, started=self._context.clock(), seconds=2 * _GOLD_S)
        asker = Asker(self._context, self._endpoint, _CALLER, budget, "gold")
        try:
            table = await asker.table(sparql, seconds=_GOLD_S, most_rows=_MOST_ROWS, hints={"saga-guard": "off"})
        except ProxyError:
            return None
        return table if table.complete else None
