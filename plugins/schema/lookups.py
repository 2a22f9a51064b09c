"""The look-ups of one query: its dataset, its deadlines, and how many it may start."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping

from plugins.schema.about import About
from plugins.schema.body import askable
from plugins.schema.facts import Facts
from proxy.contract import Dataset
from proxy.syntax import Syntax

# So many constants are looked up for one query, and so many patterns verified; the rest stays unknown.
MOST_CONSTANTS = 64
MOST_ASKS = 24
_NOTHING: Mapping[str, About] = {}


class Lookups:
    """Ask on behalf of one query. Without facts (`saga check` without an endpoint) nothing is known.

    ``missed`` says that the endpoint did not answer a look-up, or not in time; ``since`` is the moment of the
    facts' clock from which the oldest answer is.
    """

    def __init__(self, facts: Facts | None, dataset: Dataset | None = None, gate: asyncio.Event | None = None) -> None:
        self._facts = facts
        self._dataset = dataset or Dataset()
        self._gate = gate
        self._about = _NOTHING
        self._left = MOST_ASKS
        self._until: float | None = None
        self.missed = False
        self.since = facts.now() if facts else math.inf

    @property
    def online(self) -> bool:
        """Whether there is an endpoint to ask."""
        return self._facts is not None

    def renew(self) -> None:
        """Begin a new stage, with a budget of its own."""
        self._until = None
        self._left = MOST_ASKS

    async def learn(self, iris: Iterable[str]) -> None:
        """Find out about constants, beside those known already; those that are late stay unknown."""
        wanted = [iri for iri in dict.fromkeys(iris) if iri not in self._about and askable(iri)][:MOST_CONSTANTS]
        if self._facts is not None and wanted:
            await self._opened(self._facts, wanted)
            learnt = await self._facts.about(wanted, self._dataset, self._facts.budget.types_s)
            self._about = {**self._about, **learnt}
            self.since = min((self.since, *(each.asked for each in learnt.values())))
            self.missed = self.missed or len(learnt) < len(wanted)

    def about(self, iri: str) -> About | None:
        """Return what was learnt of a constant."""
        return self._about.get(iri)

    async def _opened(self, facts: Facts, questions: Iterable[str]) -> None:
        """Wait for the gate, where the endpoint is to be asked."""
        if self._gate is not None and not facts.settled(questions, self._dataset):
            await self._gate.wait()

    async def ask(self, body: str) -> bool | None:
        """Return whether anything matches; None where nobody knows in time."""
        if self._facts is None or self._left <= 0:
            return None
        self._left -= 1
        await self._opened(self._facts, [body])
        clock = asyncio.get_running_loop().time
        if self._until is None:
            self._until = clock() + self._facts.budget.ask_s
        answer = await self._facts.ask(body, self._dataset, self._until - clock())
        self.missed = self.missed or answer is None
        self.since = min(self.since, self._facts.asked(body, self._dataset))
        return answer


def dataset_of(syntax: Syntax, asked: Dataset) -> Dataset | None:
    """Return the dataset that a query is about: the protocol's beats FROM; None where that cannot be read."""
    if asked:
        return asked
    named: dict[str, list[str]] = {"FROM": [], "FROM NAMED": []}
    for source in syntax.datasets:
        if source.iri is None or source.keyword not in named:
            return None
        named[source.keyword].append(source.iri)
    return Dataset(default=tuple(named["FROM"]), named=tuple(named["FROM NAMED"]))
