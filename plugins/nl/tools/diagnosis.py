"""Why an answer is empty: the pattern that leaves nothing, and at most two repairs that were tried.

Source: specs/strategies.md section 5, "Empty-result diagnosis".
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from plugins.nl.tools.asker import Asker
from plugins.nl.tools.knowledge import Knowledge
from plugins.schema.body import Body, Unaskable
from plugins.schema.suggestions import Adviser, Wanted
from proxy.errors import ProxyError
from proxy.results.terms import XSD
from proxy.syntax import Inverse, Iri, Literal, Repeat, ScopeKind, Syntax, TriplePattern, Variable, read
from proxy.syntax import Sequence as Steps

MOST_REPAIRS = 2
_MOST_PATTERNS = 16
_MOST_PROBES = 4
_SECONDS = 2.0
# Of Wikidata: the place around a place, and its country.
_WITHIN, _COUNTRY = "P131", "P17"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A pattern to write in place of the one that leaves nothing; it was tried, and matches."""

    pattern: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What leaves nothing. ``culprit`` is empty where all patterns match together, and a filter is left to blame."""

    culprit: str
    repairs: tuple[Repair, ...] = ()

    @property
    def text(self) -> str:
        """The diagnosis in words."""
        if not self.culprit:
            return "[WARNING] 0 rows: the patterns match together; what removes the rows is a FILTER or the like."
        tried = "; ".join(f"{each.pattern} matches ({each.why})" for each in self.repairs)
        return f"[WARNING] 0 rows: {self.culprit} leaves nothing." + (f" Try: {tried}." if tried else "")


class Doctor:
    """Examine empty answers, with few and short look-ups."""

    def __init__(self, asker: Asker, knowledge: Knowledge) -> None:
        self._asker = asker
        self._knowledge = knowledge

    async def examine(self, sparql: str) -> Diagnosis | None:
        """Return why a query finds nothing; None where its patterns do not tell. Raises OutOfBudget."""
        syntax = read(sparql, prefixes=self._asker.prefixes)
        patterns = _ordered(syntax)
        if not patterns or not syntax.checked:
            return None
        try:
            place = await self._first_failing(patterns)
            if place is None:
                return Diagnosis(culprit="")
            before, culprit = patterns[:place], patterns[place]
            return Diagnosis(culprit=self._shown(culprit), repairs=await self._repairs(before, culprit))
        except (ProxyError, Unaskable):
            # The endpoint is slow or refuses: the empty answer stands without a reason.
            return None

    async def _first_failing(self, patterns: Sequence[TriplePattern]) -> int | None:
        """Return the place of the first pattern with which nothing is left: halving, since more match less."""
        if await self._matches(patterns):
            return None
        low, high = 0, len(patterns) - 1
        while low < high:
            middle = (low + high) // 2
            if await self._matches(patterns[: middle + 1]):
                low = middle + 1
            else:
                high = middle
        return low

    async def _repairs(self, before: Sequence[TriplePattern], culprit: TriplePattern) -> tuple[Repair, ...]:
        found = []
        # In a thread: names that are close are looked for among all properties.
        for pattern, why in await asyncio.to_thread(list, islice(self._variants(culprit), _MOST_PROBES)):
            if await self._matches((*before, pattern)):
                found.append(Repair(pattern=self._shown(pattern), why=why))
                if len(found) == MOST_REPAIRS:
                    break
        return tuple(found)

    def _variants(self, pattern: TriplePattern) -> Iterator[tuple[TriplePattern, str]]:
        """Yield what the pattern may have been meant to be, the likely ones first."""
        step = pattern.predicate
        if isinstance(pattern.object, Literal):
            yield from _written_otherwise(pattern, pattern.object)
        if not isinstance(step, Iri):
            return
        known = self._knowledge.vocabulary
        if step.value in known.types and isinstance(pattern.object, Iri) and known.superclasses:
            path = Steps((step, Repeat(Iri(known.superclasses[0]), 0, None)))
            yield pattern._replace(predicate=path), "subclasses too"
            return
        if isinstance(pattern.object, Iri | Variable):
            yield pattern._replace(predicate=Inverse(step)), "the other way round"
        yield from self._wider(pattern, step)
        yield from self._ranks(pattern, step)
        yield from self._near(pattern, step)

    def _wider(self, pattern: TriplePattern, step: Iri) -> Iterator[tuple[TriplePattern, str]]:
        """Yield a place within places, where the pattern is about where something is."""
        within = Iri(f"{self._knowledge.direct}{_WITHIN}")
        if self._knowledge.direct and step == within:
            yield pattern._replace(predicate=Repeat(step, 1, None)), "places within it too"
        elif self._knowledge.direct and step.value == f"{self._knowledge.direct}{_COUNTRY}":
            yield (
                pattern._replace(predicate=Steps((Repeat(within, 1, None), step))),
                "the country of the place around it",
            )

    def _ranks(self, pattern: TriplePattern, step: Iri) -> Iterator[tuple[TriplePattern, str]]:
        base, direct = self._knowledge.vocabulary.properties, self._knowledge.direct
        if direct and step.value.startswith(direct):
            name = step.value.removeprefix(direct)
            path = Steps((Iri(f"{base}{name}"), Iri(f"{base}statement/{name}")))
            yield pattern._replace(predicate=path), "statements of all ranks"

    def _near(self, pattern: TriplePattern, step: Iri) -> Iterator[tuple[TriplePattern, str]]:
        index = self._knowledge.schema
        found = index.role_of(step.value) if index else None
        if index is None or found is None or found[1] != "direct":
            return
        for each in Adviser(index).suggestions(Wanted(property=found[0])):
            record = index.property(each.name.id)
            if record is not None:
                iri = f"{self._knowledge.direct}{record.id}" if self._knowledge.direct else record.iri
                yield pattern._replace(predicate=Iri(iri)), f"{record.name} instead"

    async def _matches(self, patterns: Sequence[TriplePattern]) -> bool:
        body = Body()
        for pattern in patterns:
            body.pattern(pattern)
        table = await self._asker.table(f"ASK {{ {body.text} }}", seconds=_SECONDS)
        return bool(table.boolean)

    def _shown(self, pattern: TriplePattern) -> str:
        return " ".join(self._term(str(each)) for each in (pattern.subject, pattern.predicate, pattern.object))

    def _term(self, text: str) -> str:
        """Return a term or a path with its IRIs shortened."""
        parts = text.split("<")
        shown = [parts[0]]
        for part in parts[1:]:
            iri, _, rest = part.partition(">")
            shown.append(self._knowledge.short(iri) + rest)
        return "".join(shown)


def _ordered(syntax: Syntax) -> list[TriplePattern]:
    """Return the required patterns of the query itself: with constants first, then those that join what is there."""
    left = [
        each
        for each in syntax.patterns
        if each.required
        and not each.written
        and each.scope.service is None
        and not each.scope.inside(ScopeKind.SUBSELECT)
    ][:_MOST_PATTERNS]
    chosen: list[TriplePattern] = []
    bound: set[str] = set()
    while left:
        best = max(left, key=lambda each: (bool(bound & _variables(each)), _constants(each), -each.start))
        left.remove(best)
        chosen.append(best)
        bound |= _variables(best)
    return chosen


def _written_otherwise(pattern: TriplePattern, node: Literal) -> Iterator[tuple[TriplePattern, str]]:
    """Yield a literal as another graph may write it: with or without a language tag, as a number or as text."""
    if node.language:
        yield pattern._replace(object=Literal(node.value)), "the same text without a language tag"
    elif node.datatype == XSD + "string":
        yield pattern._replace(object=Literal(node.value, language="en")), "the same text in English"
        if node.value.isascii() and node.value.isdigit():
            yield pattern._replace(object=Literal(node.value, XSD + "integer")), "the same as a number"
    elif node.datatype in (XSD + "integer", XSD + "decimal"):
        yield pattern._replace(object=Literal(node.value)), "the same as text"


def _constants(pattern: TriplePattern) -> int:
    return sum(isinstance(each, Iri | Literal) for each in (pattern.subject, pattern.object))


def _variables(pattern: TriplePattern) -> set[str]:
    return {str(each) for each in (pattern.subject, pattern.object) if not isinstance(each, Iri | Literal)}
