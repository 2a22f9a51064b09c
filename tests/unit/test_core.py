"""A core begins a crowd's queries a few at a time, and what belongs to something that has begun at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from proxy.contract import NoOptions, Plugin, Query, Reply, Run, Source
from proxy.core import Core
from proxy.loader import check
from tests.embedded import query

_CROWD, _IN_A_ROUND = 100, 32


class Counting(Plugin):
    """Count the queries that have begun, and answer none."""

    def __init__(self) -> None:
        super().__init__(NoOptions())
        self.begun = 0

    async def query(self, query: Query, run: Run) -> Reply:
        """Wait for ever."""
        self.begun += 1
        await asyncio.Event().wait()
        return await run(query)


@pytest.mark.parametrize(("source", "begun"), [("client", _IN_A_ROUND), ("nl", _CROWD), ("guard", _CROWD)])
async def test_in_one_round_of_the_loop_so_many_of_a_crowd_begin(source: Source, begun: int, tmp_path: Path) -> None:
    counting = Counting()
    loaded = check({"endpoints": {"test": {"url": "http://127.0.0.1:9/sparql"}}, "plugins": {"enabled": []}}, tmp_path)
    core = Core(replace(loaded, plugins=(counting,)))
    asked = query("ASK {}", source=source)
    tasks = [asyncio.ensure_future(core.context.run(asked)) for _ in range(_CROWD)]
    await asyncio.sleep(0)
    seen = counting.begun
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert seen == begun
