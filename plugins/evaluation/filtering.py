"""What `lookup` shows: what each mode takes away, and whether it leaves the property that a gold query needs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plugins.evaluation.answering import unread
from plugins.evaluation.oracle import CALLER
from plugins.evaluation.records import Record
from plugins.nl.contract import Budget, Filter, Question
from plugins.nl.office import Office
from plugins.nl.options import NlOptions
from plugins.nl.shape import read as read_shape
from plugins.nl.tools import Knowledge, Neighbourhood, Tools
from plugins.schema.builders.progress import Progress
from proxy.contract import Context
from proxy.errors import ClientError, ProxyError
from proxy.syntax import Iri, Syntax, read, steps

MODES: tuple[Filter, ...] = ("strict", "closure", "demote", "off")
LINES = (10, 20, 40)
_FORWARD = ("direct", "claim")


@dataclass(slots=True)
class Places:
    """What one mode leaves of the look-ups of a data set.

    Shapes: ``places`` are those of gold properties, None for one that the mode took away; ``lines`` and ``edges`` count
    the properties and the values of each look-up, ``raw`` the values without the mode.
    """

    places: list[int | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    edges: int = 0
    raw: int = 0

    @property
    def reduction(self) -> float:
        """The share of edges that the mode takes away. Source: SAGA, Table 9."""
        return 1 - self.edges / self.raw if self.raw else 0.0

    @property
    def left(self) -> float:
        """The share of gold properties that the mode leaves, anywhere."""
        return sum(place is not None for place in self.places) / max(1, len(self.places))

    def recall(self, first: int) -> float:
        """Return the share of gold properties among so many lines."""
        return sum(place is not None and place <= first for place in self.places) / max(1, len(self.places))

    def shown(self, first: int) -> float:
        """Return how many lines that are, on average."""
        return sum(min(first, each) for each in self.lines) / max(1, len(self.lines))

    def document(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {
            "look_ups": len(self.lines),
            "gold_properties": len(self.places),
            "raw_edges": self.raw,
            "edge_reduction": self.reduction,
            "gold_property_recall": self.left,
            "lines": sum(self.lines) / max(1, len(self.lines)),
            "recall_at": {str(first): self.recall(first) for first in LINES},
            "lines_at": {str(first): self.shown(first) for first in LINES},
        }


class Filtering:
    """Look up the constants of gold queries in all modes. ``found`` is by data set and mode."""

    def __init__(self, context: Context, endpoint: str, options: NlOptions, concurrency: int = 1) -> None:
        """Look at what there is to stand on. Raises ConfigError."""
        self._context = context
        self._concurrency = concurrency
        self._knowledge: Knowledge = Office(unread(context), options).knowledge[endpoint]
        self.found: dict[str, Mapping[Filter, Places]] = {}

    async def read(self, records: Sequence[Record], language: str, progress: Progress) -> None:
        """Look up every constant subject of every record; what the graph does not have counts nowhere."""
        progress.part("questions", len(records))
        for record in records:
            self.found.setdefault(record.dataset, {mode: Places() for mode in MODES})
        left = iter(records)
        async with asyncio.TaskGroup() as group:
            for _ in range(self._concurrency):
                group.create_task(self._work(left, language, progress))
        progress.end()

    async def _work(self, left: Iterator[Record], language: str, progress: Progress) -> None:
        for record in left:
            text = record.text(language)
            if text:
                for iri, wanted in self._starts(record.sparql).items():
                    await self._look(record.dataset, iri, wanted, text, language)
            progress.step()

    async def _look(self, dataset: str, iri: str, wanted: Sequence[str], text: str, language: str) -> None:
        tools = self._tools(text, language)
        found = self.found[dataset]
        present: list[str] = []
        raw = 0
        for mode in reversed(MODES):
            try:
                around = await tools.lookup(iri, "out", mode)
            except ProxyError:
                return
            order = [edge.property.id for edge in (*around.ordered.shown, *around.ordered.folded)]
            if mode == "off":
                present = [name for name in wanted if name in order]
                raw = _edges(around)
            if present:
                own = found[mode]
                own.lines.append(len(order))
                own.edges += _edges(around)
                own.raw += raw
                own.places += [order.index(name) + 1 if name in order else None for name in present]

    def _tools(self, text: str, language: str) -> Tools:
        question = Question(text=text, endpoint=self._knowledge.endpoint, language=language)
        clock = self._context.clock
        budget = Budget(clock=clock, started=clock(), queries=1_000)
        return Tools(self._context, self._knowledge, CALLER, question, read_shape(question), budget)

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


def _edges(around: Neighbourhood) -> int:
    return sum(each.count for each in around.out.values())
