"""The checks of one query that runs: beside it, never in its way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from plugins.schema.facts import Facts
from plugins.schema.findings import Report
from plugins.schema.judge import Judgement
from plugins.schema.verdicts import Key, Verdict, Verdicts

log = logging.getLogger("saga")

# The query goes out first: checks that began at once would hold up its own request. Look-ups take more time than the
# checks themselves, and most answers are there before anybody needs them.
# Units: seconds.
_HEAD_START_S = 0.001
_LOOKUPS_AFTER_S = 0.02
# What the checks of one query may take beyond their look-ups.
_MARGIN_S = 0.25

Done = Callable[[Report], None]


class Trial:
    """The checks of one query, as a task that never raises into the query's path.

    They begin when told, and need not even do that where the text was judged before and its facts are still good.
    """

    def __init__(self, judgement: Judgement, gate: asyncio.Event, facts: Facts, verdicts: Verdicts, key: Key) -> None:
        """Take a judgement whose look-ups wait for the gate, and the place where its outcome is kept."""
        self._judgement = judgement
        self._gate = gate
        self._facts = facts
        self._age = facts.age
        self._verdicts = verdicts
        self._key = key
        self._verdict = verdicts.get(key)
        self._task: asyncio.Future[None] | None = None
        self._timers: list[asyncio.TimerHandle] = []

    @property
    def report(self) -> Report | None:
        """What was found by now, None before the first stage has ended."""
        return None if self._verdict is None else self._verdict.report

    @property
    def ended(self) -> bool:
        """Whether the stage that was begun has ended."""
        return self._task is None or self._task.done()

    def begin_soon(self) -> None:
        """Begin once the query itself is on its way, and with look-ups once its answer takes long."""
        if self._verdict is None:
            later = asyncio.get_running_loop().call_later
            self._timers = [later(_HEAD_START_S, self._begin), later(_LOOKUPS_AFTER_S, self._gate.set)]

    def hurry(self) -> None:
        """Begin, where that is still to be done, and let look-ups start: somebody waits."""
        self._begin()
        self._gate.set()

    def linger(self) -> bool:
        """Begin, but without look-ups. Returns whether some are needed, so that nothing goes on before `hurry`."""
        for timer in self._timers:
            timer.cancel()
        self._begin()
        return not (self.ended or self._gate.is_set())

    async def end(self) -> None:
        """Wait for the end of the stage."""
        if not self.ended and self._task is not None:
            await asyncio.wait((self._task,))

    async def schema(self) -> Report | None:
        """Wait for what the schema says, within the budget; None where it is late."""
        self.hurry()
        await self._wait(self._patience_s)
        return self.report

    async def full(self) -> Report | None:
        """Wait for what the schema says and for what the graph lacks, both within one budget."""
        clock = asyncio.get_running_loop().time
        until = clock() + self._patience_s
        report = await self.schema()
        if self._verdict is not None and not self._verdict.whole:
            self._run(self._absence(self._verdict))
            await self._wait(until - clock())
            report = self.report
        return report

    def then(self, done: Callable[[Report | None], None]) -> None:
        """Run to the end of the stage, beside whatever else happens, and tell somebody what came of it."""
        if self._task is None:
            done(self.report)
        else:
            self._task.add_done_callback(lambda _: done(self.report))

    def cancel(self) -> None:
        """End the checks where they are."""
        for timer in self._timers:
            timer.cancel()
        if self._task is not None:
            self._task.cancel()

    async def aclose(self) -> None:
        """End the checks, and wait for that."""
        self.cancel()
        await self.end()

    def _begin(self) -> None:
        if self._verdict is None and self._task is None:
            self._run(self._schema())

    @property
    def _patience_s(self) -> float:
        return self._facts.budget.types_s + self._facts.budget.ask_s + _MARGIN_S

    def _run(self, stage: Coroutine[Any, Any, None]) -> None:
        self._task = asyncio.ensure_future(stage)
        self._task.add_done_callback(self._ended)

    async def _wait(self, seconds: float) -> None:
        if self._task is not None and not self._task.done():
            await asyncio.wait((self._task,), timeout=max(0.0, seconds))

    async def _schema(self) -> None:
        report = await self._judgement.schema()
        self._say(Verdict(report, whole=False, since=self._judgement.since))

    async def _absence(self, before: Verdict) -> None:
        report = await self._judgement.absence(before.report)
        moments = (before.since, self._judgement.since)
        known = [each for each in moments if each is not None]
        self._say(Verdict(report, whole=True, since=min(known) if len(known) == len(moments) else None))

    def _say(self, verdict: Verdict) -> None:
        self._verdict = verdict
        if self._age == self._facts.age:
            self._verdicts.keep(self._key, verdict)

    def _ended(self, task: asyncio.Future[None]) -> None:
        if not task.cancelled() and (fault := task.exception()) is not None:
            log.error("guard.fault", exc_info=fault, extra={"fields": {"endpoint": self._facts.endpoint}})
