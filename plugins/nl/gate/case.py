"""What a check of the gate looks at, and what it says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from plugins.nl.contract import Candidate, Question, Shape, Table, Verdict
from plugins.nl.gate.draft import Draft
from plugins.nl.model.contract import ChatModel
from plugins.nl.tools import Tools
from plugins.schema.vocabulary import Vocabulary
from proxy.errors import ProxyError
from proxy.syntax import Iri, TriplePattern, Variable, steps

_PROBE_S, _TRIAL_S = 5.0, 20.0
_MOST_ROWS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a check says.

    Shapes: ``sparql`` is the query that a fix proposes; ``bare`` says that it may find nothing where the old one found
    something, since its reason is that what was found is wrong; ``confidence`` caps that of the candidate.
    """

    verdict: Verdict
    why: str = ""
    sparql: str = ""
    bare: bool = False
    confidence: float = 1.0


PASS = Opinion(verdict="pass")


def ask(why: str) -> Opinion:
    """Say what a strategy, or a person, has to look at."""
    return Opinion(verdict="ask", why=why)


def fix(sparql: str, why: str) -> Opinion:
    """Propose another query; it is tried, and kept if it answers at least as well."""
    return Opinion(verdict="fix", sparql=sparql, why=why)


@dataclass(frozen=True, eq=False)
class Case:
    """A candidate, as the checks before left it, and the question that it is to answer."""

    candidate: Candidate
    question: Question
    shape: Shape
    tools: Tools
    model: ChatModel | None = None

    @cached_property
    def draft(self) -> Draft:
        """The query, to be read and rewritten."""
        return self.drafted(self.candidate.sparql)

    @property
    def table(self) -> Table:
        """What the query returned."""
        assert self.candidate.table is not None
        return self.candidate.table

    @property
    def words(self) -> Vocabulary:
        """How the graph says type, superclass and label."""
        return self.tools.knowledge.vocabulary

    @property
    def language(self) -> str:
        """The language of the question."""
        return self.question.language or self.shape.language

    def over(self, sparql: str, table: Table) -> Case:
        """Return the case with another query."""
        return replace(self, candidate=replace(self.candidate, sparql=sparql, table=table))

    def drafted(self, sparql: str) -> Draft:
        """Read another query for the question."""
        return Draft.of(sparql, self.tools.asker.prefixes)

    async def run(self, sparql: str) -> Table | None:
        """Return what another query would answer, None where that is not whole. Raises OutOfBudget, ProxyError."""
        table = await self.tools.asker.table(sparql, seconds=_TRIAL_S, most_rows=_MOST_ROWS)
        return table if table.complete else None

    async def probe(self, text: str) -> Table | None:
        """Return the answer of a short look-up; None where the endpoint does not give it in time."""
        try:
            return await self.tools.asker.table(text, seconds=_PROBE_S)
        except ProxyError:
            return None

    def iri(self, iri: str) -> str:
        """Return an IRI as the query may write it, whatever prefixes it declares."""
        short = self.tools.knowledge.short(iri)
        prefix = short.partition(":")[0]
        declared = self.draft.syntax.prefixes.get(prefix)
        known = self.tools.knowledge.prefixes.get(prefix)
        return short if declared is None or declared == known else f"<{iri}>"

    def path(self, *iris: str) -> str:
        """Return the steps along properties, one after the other."""
        return "/".join(map(self.iri, iris))

    def typed(self) -> str:
        """Return the path from a thing to its classes and all above them."""
        first, above = self.words.types[0], self.words.superclasses
        return self.iri(first) + (f"/{self.iri(above[0])}*" if above else "")

    @cached_property
    def names(self) -> dict[str, str]:
        """The IRIs that stand in the query, also in its conditions, and under which IRI tools have them.

        What is no thing of the graph is left out: how it says type and label, datatypes, functions.
        """
        found = [iri for pattern in self.draft.patterns for iri in constants(pattern)]
        bound = (term for binding in self.draft.syntax.bindings for term in binding.terms)
        found += [term.value for term in bound if isinstance(term, Iri)]
        known = self.words
        found += [each.iri for each in self.draft.syntax.names if each.iri and known.is_entity(each.iri)]
        grammar = {*known.types, *known.superclasses, *known.labels, *known.statement_type}
        return {iri: self._named(iri) for iri in dict.fromkeys(found) if iri not in grammar}

    def _named(self, iri: str) -> str:
        index = self.tools.knowledge.schema
        role = index.role_of(iri) if index else None
        if role is not None:
            return role[0].iri
        space = self.words.properties
        return self.words.entities + iri.rpartition("/")[2] if space and iri.startswith(space) else iri

    def is_type(self, pattern: TriplePattern) -> bool:
        """Whether a pattern says what kind of thing its subject is, by whatever path."""
        known = {*self.words.types, *self.words.superclasses, *self.words.statement_type}
        walked = {step.iri.value for step in steps(pattern.predicate)}
        return bool(walked) and walked <= known

    def direct(self, pattern: TriplePattern) -> str | None:
        """Return the local name of a property that leads straight to a value, where the graph has statements."""
        space = self.tools.knowledge.direct
        if not space or not isinstance(pattern.predicate, Iri) or not pattern.predicate.value.startswith(space):
            return None
        return pattern.predicate.value.removeprefix(space)

    def touching(self, names: Iterable[str]) -> tuple[TriplePattern, ...]:
        """Return the patterns that have one of these variables as an end."""
        wanted = {Variable(name) for name in names}
        return tuple(each for each in self.draft.patterns if each.subject in wanted or each.object in wanted)


def constants(pattern: TriplePattern) -> list[str]:
    """Return the IRIs of a pattern, those of its path too."""
    ends = [each.value for each in (pattern.subject, pattern.object) if isinstance(each, Iri)]
    return [*ends, *(step.iri.value for step in steps(pattern.predicate))]
