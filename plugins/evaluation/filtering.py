"""What `lookup` shows: whether the property that a gold query needs is among its first lines, by mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from plugins.evaluation.records import Record
from plugins.nl.contract import Budget, Question
from plugins.nl.office import Office
from plugins.nl.options import NlOptions
from plugins.nl.shape import read as read_shape
from plugins.nl.tools import Filter, Knowledge, Tools
from plugins.schema.builders.progress import Progress
from proxy.contract import Caller, Context
from proxy.errors import ClientError, ProxyError
from proxy.syntax import Iri, Syntax, read, steps

MODES: tuple[Filter, ...] = ("strict", "closure", "demote", "off")
LINES = (10, 20, 40)
_FORWARD = ("direct", "claim")


@dataclass(slots=True)
class Places:
    """Where gold properties stand in the look-ups of one mode; None for one that the mode took away."""

    places: list[int | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def recall(self, first: int) -> float:
        """Return the share of gold properties among so many lines."""
        return sum(place is not None and place <= first for place in self.places) / max(1, len(self.places))

    def shown(self, first: int) -> float:
        """Return how many lines that are, on average."""
        return sum(min(first, each) for each in self.lines) / max(1, len(self.lines))


class Filtering:
    """Look up the constants of gold queries in all modes."""

    def __init__(self, context: Context, endpoint: str) -> None:
        """Look at what there is to stand on. Raises ConfigError."""
        self._context = context
        self._knowledge: Knowledge = Office(context, NlOptions()).knowledge[endpoint]
        self.found: Mapping[Filter, Places] = {mode: Places() for mode in MODES}

    async def read(self, records: Sequence[Record], language: str, progress: Progress) -> None:
        """Look up every constant subject of every record; what the graph does not have counts nowhere."""
        progress.part("questions", len(records))
        for record in records:
            text = record.text(language)
            if text:
                for iri, wanted in self._starts(record.sparql).items():
                    await self._look(iri, wanted, text, language)
            progress.step()
        progress.end()

    async def _look(self, iri: str, wanted: Sequence[str], text: str, language: str) -> None:
        question = Question(text=text, endpoint=self._knowledge.endpoint, language=language)
        clock = self._context.clock
        budget = Budget(clock=clock, started=clock(), queries=1_000)
        shape = read_shape(question)
        tools = Tools(self._context, self._knowledge, Caller(address="evaluation"), question, shape, budget)
        present: list[str] = []
        for mode in reversed(MODES):
            try:
                around = await tools.lookup(iri, "out", mode)
            except ProxyError:
                return
            order = [edge.property.id for edge in (*around.ordered.shown, *around.ordered.folded)]
            if mode == "off":
                present = [name for name in wanted if name in order]
            if present:
                self.found[mode].lines.append(len(order))
                self.found[mode].places += [order.index(name) + 1 if name in order else None for name in present]

    def _starts(self, sparql: str) -> dict[str, list[str]]:
        """Return by constant subject the ids of the properties that a query uses on it."""
        syntax = self._read(sparql)
        index = self._knowledge.schema
        found: dict[str, list[str]] = {}
        if syntax is None or index is None:
            return found
        for pattern in syntax.patterns:
            first = next(iter(steps(pattern.predicate)), None)
            known = index.role_of(first.iri.value) if first is not None and isinstance(pattern.subject, Iri) else None
            if known is not None and known[1] in _FORWARD and isinstance(pattern.subject, Iri):
                found.setdefault(pattern.subject.value, []).append(known[0].id)
        return found

    def _read(self, sparql: str) -> Syntax | None:
        try:
            return read(sparql, prefixes=self._knowledge.prefixes)
        except ClientError:
            return None
