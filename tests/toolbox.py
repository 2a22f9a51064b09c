"""The tools of questions on the real demo: its store, its schema, and a text index made for the run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from plugins.nl.contract import ALL_ON, Budget, Question, Switches, Turn, Work
from plugins.nl.shape import read as read_shape
from plugins.nl.tools import Knowledge, Tools
from plugins.schema.builders.progress import Progress
from plugins.schema.guard import Guard
from plugins.search import Search
from plugins.search.building import build
from plugins.search.profile import profile
from plugins.search.sources import Files
from proxy.contract import Caller, Context
from proxy.core import Core
from proxy.loader import check
from tests import stage

CALLER = Caller(address="127.0.0.1")
WD = "http://www.wikidata.org/entity/"


def demo_index(folder: Path) -> Path:
    """Build a text index of the demo graph."""
    asyncio.run(build(Files([stage.DEMO_GRAPH]), profile("wikidata"), folder, Progress()))
    return folder


def tables(store: Path, index: Path) -> dict[str, Any]:
    """Return the configuration of the demo, without /nl."""
    schema = str(stage.ROOT / "config" / "demo" / "schema.index")
    return {
        "endpoints": {"demo": {"store": str(store), "graph": "wikidata", "schema": schema, "guard": "block"}},
        "plugins": {"enabled": ["plugins.schema.guard", "plugins.search"]},
        "search": {"endpoints": {"demo": {"index": str(index)}}},
    }


class Toolbox:
    """Make the work of one question after another."""

    def __init__(self, context: Context) -> None:
        search, guard = context.plugin(Search), context.plugin(Guard)
        assert search is not None
        assert guard is not None
        self.context = context
        self.knowledge = Knowledge(
            endpoint="demo",
            graph="wikidata",
            prefixes=context.prefixes["demo"],
            searcher=search.searcher("demo"),
            index=lambda: guard.index("demo"),
        )

    def work(
        self, text: str, language: str = "en", switches: Switches = ALL_ON, history: tuple[Turn, ...] = ()
    ) -> Work:
        """Return what a strategy is given for a question."""
        question = Question(text=text, endpoint="demo", language=language, history=history)
        shape = read_shape(question)
        budget = Budget(clock=time.monotonic, started=time.monotonic())
        tools = Tools(self.context, self.knowledge, CALLER, question, shape, budget, switches)
        return Work(question=question, shape=shape, tools=tools, budget=budget, switches=switches)


@asynccontextmanager
async def toolbox(store: Path, index: Path) -> AsyncIterator[Toolbox]:
    """Open the demo."""
    async with Core(check(tables(store, index), stage.ROOT)).lifespan() as context:
        yield Toolbox(context)
