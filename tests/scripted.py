"""Strategies for tests: each does one thing, so that pages, gate and commands can be seen without a clever one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, ClassVar

from plugins.nl.contract import Candidate, Event, Work, action, found, observation, thought

_NAMES = ("Runs", "Rushes", "Silent", "Thinks", "Endless", "Faulty", "Follows", "Guesses")
STRATEGIES: Mapping[str, str] = {name.lower(): f"tests.scripted:{name}" for name in _NAMES}


class _Named:
    name = "scripted"

    def __init_subclass__(cls) -> None:
        cls.name = cls.__name__.lower()


class Runs(_Named):
    """Run the query that stands in the question: an action, what came of it, a candidate."""

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Run it."""
        yield action("execute", _query(work))
        async for event in _executed(work, _query(work)):
            yield event


class Rushes(_Named):
    """Run the query before the first step."""

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Run it."""
        async for event in _executed(work, _query(work)):
            yield event


class Silent(_Named):
    """Find nothing."""

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Say so."""
        yield thought("I know nothing of this.")


class Thinks(_Named):
    """Say nothing until it is let go on, or for ever; ``open`` are those that think now."""

    open: ClassVar[set[asyncio.Event]] = set()

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Wait."""
        yield action("think", "")
        going_on = asyncio.Event()
        self.open.add(going_on)
        try:
            await going_on.wait()
        finally:
            self.open.discard(going_on)
        yield observation("thought enough", 1)


class Endless(_Named):
    """Act for ever, with a candidate from the second action on where the question says so."""

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Go on and on."""
        while True:
            yield action("look", "around")
            yield observation("nothing", 0, edges={"seen": 3, "shown": 1, "folded": 1, "demoted": 0, "removed": 1})
            if "candidate" in work.question.text:
                async for event in _executed(work, "SELECT ?x { VALUES ?x { 1 } }"):
                    yield event
            await asyncio.sleep(0)


class Faulty(_Named):
    """Fail with an error of its own, behind a first action."""

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Fail."""
        yield action("stumble", "")
        raise ZeroDivisionError("a fault of a strategy")


class Follows(_Named):
    """Answer with what the last turn of the conversation named; with nothing where there was none."""

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Look back."""
        for turn in work.question.history[-1:]:
            yield thought(f"before: {turn.question} {turn.sparql} {dict(turn.labels)}")
            async for event in _executed(work, f"SELECT ?x {{ VALUES ?x {{ {_values(turn.labels)} }} }}"):
                yield event


class Guesses(_Named):
    """Offer the query that stands in the question, without having run it."""

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Guess."""
        yield action("guess", _query(work))
        yield found(Candidate(sparql=_query(work), confidence=0.5, why="a guess"))


def _query(work: Work) -> str:
    """Return what stands behind the first colon of the question, or all of it."""
    return work.question.text.partition(": ")[2] or work.question.text


def _values(labels: Mapping[str, str]) -> str:
    return " ".join(f"<{iri}>" for iri in labels)


async def _executed(work: Work, sparql: str) -> AsyncGenerator[Event, None]:
    done = await work.tools.execute(sparql)
    text = work.tools.wording.table(done.table) if done.table else done.problem
    yield observation(text, 1)
    if done.table is not None:
        yield found(Candidate(sparql=sparql, table=done.table, confidence=0.9, why="as the question says"))


def tables(endpoint: Mapping[str, Any], strategy: str = "runs", **nl: Any) -> dict[str, Any]:
    """Return a configuration of one endpoint that answers questions with a strategy of these."""
    return {
        "endpoints": {"demo": {"graph": "wikidata", **endpoint}},
        "plugins": {"enabled": ["plugins.search", "plugins.nl"]},
        "nl": {"strategy": strategy, "strategies": dict(STRATEGIES), **nl},
    }
