"""The tools that every strategy works with: link, search, lookup, examples, execute.

Each returns data; `Wording` puts it into words within a bound. All queries go through the proxy's own chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from plugins.nl.contract import ALL_ON, Budget, Filter, Question, Shape, Switches
from plugins.nl.tools.asker import Asker
from plugins.nl.tools.diagnosis import Doctor
from plugins.nl.tools.examples import examples
from plugins.nl.tools.execute import Execution, Executor
from plugins.nl.tools.knowledge import Knowledge
from plugins.nl.tools.labels import Labels
from plugins.nl.tools.lookup import Direction, Lookup, Neighbourhood
from plugins.nl.tools.wording import Wording
from plugins.schema.model import Property
from plugins.search import Hit
from plugins.search.hit import Kind
from proxy.contract import Caller, Context
from proxy.results.terms import Term
from proxy.syntax import Iri, read, steps

__all__ = ["Execution", "Filter", "Hit", "Knowledge", "Neighbourhood", "Tools"]

SEARCH_HITS = 8
_OTHERS = 3


class Tools:
    """The tools for one question. ``seen`` are the IRIs that came up, so that a made-up one is noticed."""

    def __init__(
        self,
        context: Context,
        knowledge: Knowledge,
        caller: Caller,
        question: Question,
        shape: Shape,
        budget: Budget,
        switches: Switches = ALL_ON,
    ) -> None:
        self.knowledge = knowledge
        self.asker = Asker(context, knowledge.endpoint, caller, budget)
        self.labels = Labels(self.asker, knowledge, question.language or shape.language)
        self.wording = Wording(knowledge, self.labels)
        self.seen: set[str] = set()
        self._beside: dict[str, Sequence[Hit]] = {}
        self._language = question.language or shape.language
        self._budget = budget
        self._mode = switches.filter
        self._lookup = Lookup(self.asker, knowledge, self.labels, question.text, shape, switches)
        self._executor = Executor(self.asker, Doctor(self.asker, knowledge), switches)

    def link(self, texts: Iterable[str], kind: Kind | None = None, limit: int = SEARCH_HITS) -> Mapping[str, list[Hit]]:
        """Return what is called exactly so, for those of many texts that are names. Costs microseconds each."""
        found = self.knowledge.searcher.mentions(texts, kind, self._language, limit)
        for hits in found.values():
            self._keep(hits)
        return found

    async def search(self, text: str, kind: Kind | None = None, limit: int = SEARCH_HITS) -> Sequence[Hit]:
        """Return entities or properties by what they are called. Raises OutOfBudget."""
        self._budget.count("searches")
        hits = await self.knowledge.searcher.find(text, kind, self._language, limit)
        self._keep(hits)
        return hits

    async def lookup(self, iri: str, direction: Direction = "both", mode: Filter | None = None) -> Neighbourhood:
        """Return what stands around an entity. Raises OutOfBudget, ProxyError."""
        self._budget.count("lookups")
        found = await self._lookup.read(iri, direction, mode or self._mode)
        if found.suspicion:
            others = (hit for hit in self._beside.get(iri, ()) if hit.iri != iri)
            found = replace(found, others=tuple(islice(others, _OTHERS)))
        self.seen.add(iri)
        self.seen.update((*found.types, *found.superclasses))
        for line in (*found.out.values(), *found.into.values()):
            self.seen.add(line.property.iri)
            self.seen.update(value.value for value in line.values if value.kind == "iri")
        return found

    async def examples(self, record: Property) -> tuple[tuple[Term, Term], ...]:
        """Return some facts with a property. Raises OutOfBudget, ProxyError."""
        return await examples(self.asker, self.knowledge, self.labels, record)

    async def execute(self, sparql: str) -> Execution:
        """Run a query of the strategy's own. Raises OutOfBudget, ProxyError where the endpoint is gone."""
        done = await self._executor.run(sparql)
        if done.outcome == "blocked":
            self._budget.count("blocked")
        elif done.table is not None:
            if done.table.empty:
                self._budget.count("empty_queries")
            self.seen.update(term.value for row in done.table.rows for term in row if term and term.kind == "iri")
        return done

    def _keep(self, hits: Sequence[Hit]) -> None:
        """Remember what came up, and what beside it: one of those may be the right one."""
        self.seen.update(hit.iri for hit in hits)
        self._beside.update((hit.iri, hits) for hit in hits)

    def named_in(self, sparql: str) -> tuple[str, ...]:
        """Return the IRIs that stand in a query, properties by the IRI of their entity, in the order of the text."""
        syntax = read(sparql, prefixes=self.asker.prefixes)
        found: dict[str, None] = {}
        for pattern in syntax.patterns:
            ends = (each.value for each in (pattern.subject, pattern.object) if isinstance(each, Iri))
            found.update(dict.fromkeys((*ends, *(step.iri.value for step in steps(pattern.predicate)))))
        bound = (term for binding in syntax.bindings for term in binding.terms)
        found.update(dict.fromkeys(each.value for each in bound if isinstance(each, Iri)))
        return tuple(dict.fromkeys(map(self._canonical, found)))

    def _canonical(self, iri: str) -> str:
        index = self.knowledge.schema
        known = index.role_of(iri) if index else None
        return known[0].iri if known else iri
