"""The gate on a small graph: a store, a text index, and the tools through the proxy's own chain."""

from __future__ import annotations

import io
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyoxigraph import RdfFormat, Store

from plugins.nl.answer import Judgement
from plugins.nl.contract import Budget, Candidate, Mention, Question, Shape, Table
from plugins.nl.gate import Gate
from plugins.nl.gate.case import Case
from plugins.nl.tools import Knowledge, Tools
from plugins.schema.builders.progress import Progress
from plugins.search import Search
from plugins.search.building import build
from plugins.search.profile import profile
from plugins.search.sources import Files
from proxy.contract import Caller, Context
from proxy.core import Core
from proxy.loader import check

TESTS = Path(__file__).parent
TOY = TESTS / "nl_graph.ttl"
_CALLER = Caller(address="127.0.0.1")


@dataclass(frozen=True, kw_only=True)
class Gated:
    """What the gate made of a candidate."""

    before: str
    candidate: Candidate
    judgements: tuple[Judgement, ...]

    @property
    def sparql(self) -> str:
        """The query as it is now."""
        return self.candidate.sparql

    @property
    def table(self) -> Table:
        """Its answer."""
        assert self.candidate.table is not None
        return self.candidate.table

    @property
    def fixes(self) -> list[str]:
        """The checks that changed the query, in order."""
        return [each.check for each in self.judgements if each.verdict == "fix"]

    @property
    def asks(self) -> list[str]:
        """The checks that have a question."""
        return [each.check for each in self.judgements if each.verdict == "ask"]

    def why(self, name: str) -> str:
        """What one check said."""
        return next(each.why for each in self.judgements if each.check == name)

    @property
    def values(self) -> list[str]:
        """The first column of the answer: local names and texts, sorted."""
        return sorted(row[0].value.rpartition("/")[2] for row in self.table.rows if row[0] is not None)


class Bench:
    """A graph with everything that the gate needs."""

    def __init__(self, context: Context, knowledge: Knowledge) -> None:
        self._context = context
        self._knowledge = knowledge

    async def gated(
        self,
        question: str,
        shape: Shape,
        sparql: str,
        *,
        table: Table | None = None,
        seen: tuple[str, ...] | None = None,
        confidence: float = 1.0,
        **limits: Any,
    ) -> Gated:
        """Give a candidate to the gate as an inquiry does."""
        budget = Budget(clock=time.monotonic, started=time.monotonic(), **{"queries": 200, **limits})
        asked = Question(text=question, endpoint="toy", language="en")
        tools = Tools(self._context, self._knowledge, _CALLER, asked, shape, budget)
        # By default all that the query names came up before, as with a strategy that looked.
        given = Candidate(sparql=sparql, table=table, confidence=confidence)
        tools.seen.update(Case(given, asked, shape, tools).names.values() if seen is None else seen)
        candidate, judgements = await Gate().run(given, asked, shape, tools)
        return Gated(before=sparql, candidate=candidate, judgements=judgements)

    async def kept(self, question: str, shape: Shape, sparql: str) -> Gated:
        """Give a right candidate to the gate: it must come back as it was, and with nothing to ask."""
        gated = await self.gated(question, shape, sparql)
        assert (gated.fixes, gated.asks, gated.sparql) == ([], [], sparql), gated.judgements
        return gated


def mentions(question: str, *texts: str) -> tuple[Mention, ...]:
    """Return mentions of a question, the longest first."""
    found = [Mention(text=each, start=question.index(each), end=question.index(each) + len(each)) for each in texts]
    return tuple(sorted(found, key=lambda each: -len(each.text)))


async def prepared(folder: Path, turtle: Path = TOY, graph: str = "wikidata") -> dict[str, Any]:
    """Make store and text index of a graph, and return the configuration of an endpoint on them."""
    store = Store(str(folder / "store"))
    store.bulk_load(path=str(turtle), format=RdfFormat.TURTLE)
    store.flush()
    del store
    files = Files([turtle])
    names = profile(graph).extended(prefixes=files.prefixes())
    await build(files, names, folder / "search", Progress(io.StringIO()))
    return {
        "endpoints": {"toy": {"store": str(folder / "store"), "graph": graph, "concurrency": 2}},
        "plugins": {"enabled": ["plugins.search"]},
        "search": {"endpoints": {"toy": {"index": str(folder / "search")}}},
    }


@asynccontextmanager
async def bench(tables: dict[str, Any], folder: Path) -> AsyncIterator[Bench]:
    """Run the chain in this process."""
    core = Core(check(tables, folder))
    async with core.lifespan() as context:
        search = context.plugin(Search)
        assert search is not None
        yield Bench(
            context,
            Knowledge(
                endpoint="toy",
                graph=tables["endpoints"]["toy"]["graph"],
                prefixes=context.prefixes["toy"],
                searcher=search.searcher("toy"),
            ),
        )
