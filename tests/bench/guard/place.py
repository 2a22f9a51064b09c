"""One graph as the guard meets it: a real store behind the proxy's own chain, its index, and the look-ups."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from plugins.schema.builders.progress import Progress
from plugins.schema.facts import Budget, Facts
from plugins.schema.findings import Report
from plugins.schema.index import Index
from plugins.schema.judge import Judgement
from plugins.schema.suggestions import Adviser
from plugins.schema.vocabulary import vocabulary
from proxy.contract import Caller, Context, Query, Reply
from proxy.core import Core
from proxy.errors import BadQuery, Blocked, ProxyError
from proxy.loader import check
from proxy.results.formats import Format, formats_for
from proxy.syntax import Syntax, read
from tests import stage
from tests.bench import stores
from tests.bench.guard.indexes import index

# What a query of a benchmark may take; a run of all of them must end.
SECONDS = 2.0
# Figures must not depend on how busy the machine is: look-ups are waited for, which a proxy does not.
_PATIENT = Budget(types_s=10.0, ask_s=10.0, remembered_s=3600.0, kept_bytes=256 * 1024 * 1024)
_AT_ONCE = 4
# An answer of more rows is not read again to see whether it says 0.
_MANY = 1_000

Outcome = Literal["rows", "empty", "blocked", "late", "refused"]
T = TypeVar("T")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Judge and run queries on one graph."""

    graph: str
    context: Context
    index: Index
    facts: Facts
    adviser: Adviser
    _ids: Any = field(default_factory=itertools.count)

    def read(self, text: str) -> Syntax | None:
        """Read a text as the proxy does; None for what it refuses."""
        try:
            return read(text, prefixes=self.context.prefixes[self.graph])
        except BadQuery:
            return None

    async def judged(self, text: str, *, absence: bool = False, by_paper: bool = False) -> Report:
        """Return what the guard says, for a strategy; with what the graph lacks where that is wanted."""
        syntax = self.read(text)
        if syntax is None:
            return Report(checked=False)
        judgement = Judgement(syntax, self.index, self.facts, asker="nl", by_paper=by_paper, adviser=self.adviser)
        report = await judgement.schema()
        return await judgement.absence(report) if absence else report

    async def outcome(self, text: str, guard: str = "off") -> Outcome:
        """Run a query through the chain, and return what came of it. A count of 0 is as empty as no row."""
        try:
            syntax = read(text, prefixes=self.context.prefixes[self.graph])
            body, reply = await self._answer(syntax, guard)
        except Blocked:
            return "blocked"
        except ProxyError as error:
            return "late" if error.status == 504 else "refused"
        if reply.format is not Format.JSON or reply.state.rows > _MANY:
            return "empty" if reply.state.empty else "rows"
        answer = json.loads(body)
        if "boolean" in answer:
            return "rows" if answer["boolean"] else "empty"
        rows = answer["results"]["bindings"]
        if syntax.aggregates and not syntax.grouped:
            rows = [row for row in rows if any(float_or(cell["value"]) != 0 for cell in row.values())]
        return "rows" if rows else "empty"

    async def rows(self, text: str) -> list[dict[str, Any]]:
        """Return the solutions of a query of our own. Raises ProxyError."""
        body, _ = await self._answer(read(text, prefixes=self.context.prefixes[self.graph]), "off")
        found: list[dict[str, Any]] = json.loads(body)["results"]["bindings"]
        return found

    async def _answer(self, syntax: Syntax, guard: str) -> tuple[bytes, Reply]:
        """Run a query and return the whole answer. Raises ProxyError."""
        query = Query(
            id=f"bench-{next(self._ids)}",
            endpoint=self.graph,
            syntax=syntax,
            formats=(Format.JSON,) if Format.JSON in formats_for(syntax.form) else formats_for(syntax.form),
            caller=Caller(address="bench"),
            timeout_s=SECONDS,
            hints={"saga-guard": guard},
        )
        body = bytearray()
        async with await self.context.run(query) as reply:
            async for chunk in reply.chunks:
                body += chunk
        return bytes(body), reply


def float_or(text: str) -> float:
    """Return a number, or 1 for what is none."""
    try:
        return float(text)
    except ValueError:
        return 1.0


@asynccontextmanager
async def place(graph: str) -> AsyncIterator[Place]:
    """Open a graph, as `saga serve` would."""
    table = {
        "store": str(stores.store(graph)),
        "engine": "oxigraph",
        "graph": graph,
        "schema": str(index(graph)),
        "guard": "warn",
        "guard_override": True,
        "concurrency": 2,
    }
    guard = {"types_s": _PATIENT.types_s, "ask_s": _PATIENT.ask_s, "remembered_s": _PATIENT.remembered_s}
    tables = {"endpoints": {graph: table}, "plugins": {"enabled": ["plugins.schema.guard"]}, "guard": guard}
    async with Core(check(tables, stage.ROOT)).lifespan() as context:
        found = Index.open(index(graph))
        facts = Facts(context.run, graph, vocabulary(found.graph), _PATIENT, context.clock)
        try:
            yield Place(graph=graph, context=context, index=found, facts=facts, adviser=Adviser(found))
        finally:
            await facts.aclose()


async def each(
    name: str, items: Sequence[Item], work: Callable[[Item], Awaitable[T]], at_once: int = _AT_ONCE
) -> list[T]:
    """Do something with every item, a few at the same time; progress is shown. Results are in the order of items."""
    progress = Progress()
    progress.part(name, len(items))
    results: dict[int, T] = {}
    left = iter(enumerate(items))

    async def worker(mine: Iterable[tuple[int, Item]]) -> None:
        for number, item in mine:
            results[number] = await work(item)
            progress.step()

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(worker(left))
    progress.end()
    return [results[number] for number in range(len(items))]
