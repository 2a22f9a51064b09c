"""Judging alone, in this process: processor time per query with types and closures cached, and the longest stall."""

from __future__ import annotations

import asyncio
import cProfile
import io
import pstats
import time
from collections.abc import AsyncIterator, Sequence

from plugins.schema.facts import Budget, Facts
from plugins.schema.index import Index
from plugins.schema.judge import Judgement
from plugins.schema.suggestions import Adviser
from plugins.schema.vocabulary import vocabulary
from proxy.contract import Query, Reply
from proxy.graphs import BUILT_IN
from proxy.results.formats import Format
from proxy.syntax import Prefixes, Syntax, read
from tests.bench.guard_cost.endpoint import answer

_PATIENT = Budget(types_s=60.0, ask_s=60.0, remembered_s=3600.0)
_PREFIXES = Prefixes(BUILT_IN["wikidata"].prefixes)


async def _run(query: Query) -> Reply:
    return Reply(format=Format.JSON, chunks=_once(answer(query.text)))


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


class Judging:
    """Judge texts by an index, with an endpoint in memory."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._adviser = Adviser(index)
        self.profile = cProfile.Profile()

    async def times(self, texts: Sequence[str]) -> list[float]:
        """Return the seconds of processor time that each text takes once its facts are known."""
        clock = asyncio.get_running_loop().time
        facts = Facts(_run, "bench", vocabulary("wikidata"), _PATIENT, clock)
        found = []
        try:
            for text in texts:
                syntax = read(text, prefixes=_PREFIXES)
                await self._judged(syntax, facts)
                started = time.thread_time()
                await self._judged(syntax, facts)
                found.append(time.thread_time() - started)
            self.profile.enable()
            for text in texts:
                await self._judged(read(text, prefixes=_PREFIXES), facts)
            self.profile.disable()
        finally:
            await facts.aclose()
        return found

    def hot(self, count: int) -> str:
        """Return the functions that took most."""
        out = io.StringIO()
        pstats.Stats(self.profile, stream=out).strip_dirs().sort_stats("tottime").print_stats(count)
        lines = [line for line in out.getvalue().splitlines() if line.strip()]
        return "\n".join(lines[next(n for n, line in enumerate(lines) if "ncalls" in line) :])

    async def _judged(self, syntax: Syntax, facts: Facts) -> None:
        await Judgement(syntax, self._index, facts, adviser=self._adviser).schema()
