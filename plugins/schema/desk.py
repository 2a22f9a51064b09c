"""What the guard has for one endpoint: the index as its file is now, the look-ups, and the checks that run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from plugins.schema.facts import Budget, Facts
from plugins.schema.findings import Report
from plugins.schema.index import Index, IndexDamaged
from plugins.schema.judge import Judgement
from plugins.schema.lookups import dataset_of
from plugins.schema.vocabulary import vocabulary
from proxy.contract import Dataset, Query, Run
from proxy.syntax import Syntax

log = logging.getLogger("saga")

# A file that was rebuilt is seen after so long.
_LOOK_S = 2.0
# More queries than this are not checked at the same time: they pass unchecked.
MOST_TRIALS = 128
# What the checks of one query may take beyond their look-ups.
_MARGIN_S = 0.25

Done = Callable[[Report], None]


class Shelf:
    """Hold an index, and take its file's place when that was replaced. A new file that is damaged changes nothing."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        """Open the index. Raises IndexDamaged."""
        self._path = path
        self._clock = clock
        self._stamp = self._stamped()
        self._looked = clock()
        self._opening: asyncio.Future[None] | None = None
        self.index = Index.open(path)

    def current(self) -> Index:
        """Return the index. Where the file has changed, another one is opened meanwhile, in a thread."""
        if self._clock() - self._looked >= _LOOK_S and self._opening is None:
            self._looked = self._clock()
            stamp = self._stamped()
            if stamp not in (None, self._stamp):
                self._stamp = stamp
                self._opening = asyncio.ensure_future(self._reopen())
        return self.index

    async def aclose(self) -> None:
        """End an opening that still runs."""
        if self._opening is not None:
            await asyncio.wait((self._opening,))

    async def _reopen(self) -> None:
        try:
            # Queries may still use the old one: it is closed when the last of them has let go of it.
            self.index = await asyncio.to_thread(Index.open, self._path)
            log.info("guard.index_swapped", extra={"fields": {"path": str(self._path)}})
        except IndexDamaged as error:
            log.error("guard.index_refused", extra={"fields": {"path": str(self._path), "detail": str(error)}})
        finally:
            self._opening = None

    def _stamped(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


class Trial:
    """The checks of one query, as a task that never raises into the query's path."""

    def __init__(self, judgement: Judgement, budget: Budget, endpoint: str) -> None:
        self._judgement = judgement
        self._patience_s = budget.types_s + budget.ask_s + _MARGIN_S
        self._endpoint = endpoint
        self._faulty = False
        self.task: asyncio.Future[Report] = asyncio.ensure_future(judgement.schema())

    @property
    def ready(self) -> Report | None:
        """The report where it is there."""
        if not self.task.done() or self.task.cancelled():
            return None
        fault = self.task.exception()
        if fault is not None and not self._faulty:
            self._faulty = True
            log.error("guard.fault", exc_info=fault, extra={"fields": {"endpoint": self._endpoint}})
        return None if fault is not None else self.task.result()

    async def report(self, seconds: float | None = None) -> Report | None:
        """Wait for the report within the budget, or so many seconds; None where it is late."""
        await asyncio.wait((self.task,), timeout=self._patience_s if seconds is None else seconds)
        return self.ready

    async def full(self) -> Report | None:
        """Wait for the report, with what the graph lacks in it; both stages within one budget."""
        clock = asyncio.get_running_loop().time
        until = clock() + self._patience_s
        report = await self.report()
        if report is None:
            return None
        self.task = asyncio.ensure_future(self._judgement.absence(report))
        return await self.report(max(0.0, until - clock())) or report

    async def aclose(self) -> None:
        """End the checks."""
        self.task.cancel()
        await asyncio.wait((self.task,))


class Desk:
    """The index, the look-ups and the running checks of one endpoint."""

    def __init__(self, endpoint: str, shelf: Shelf, run: Run, budget: Budget, clock: Callable[[], float]) -> None:
        self._endpoint = endpoint
        self._shelf = shelf
        self._budget = budget
        self._trials: set[Trial] = set()
        self.facts = Facts(run, endpoint, vocabulary(shelf.index.graph), budget, clock)

    @property
    def index(self) -> Index:
        """The index as its file is now."""
        return self._shelf.current()

    def trial(self, query: Query, *, by_paper: bool) -> Trial | None:
        """Start the checks of a query; None where too many run."""
        if len(self._trials) >= MOST_TRIALS:
            return None
        judgement = Judgement(
            query.syntax, self.index, self.facts, dataset_of(query), asker=query.source, by_paper=by_paper
        )
        trial = Trial(judgement, self._budget, self._endpoint)
        self._trials.add(trial)
        return trial

    def leave(self, trial: Trial, done: Done) -> None:
        """Let checks run to their end beside the answer, which has begun, and give their report to somebody."""

        def ended(_: asyncio.Future[Report]) -> None:
            self._trials.discard(trial)
            report = trial.ready
            if report is not None:
                done(report)

        trial.task.add_done_callback(ended)

    async def end(self, trial: Trial) -> None:
        """End checks that nobody waits for any more."""
        self._trials.discard(trial)
        await trial.aclose()

    async def judge(self, syntax: Syntax, dataset: Dataset) -> Report:
        """Return everything that can be said of a query."""
        judgement = Judgement(syntax, self.index, self.facts, dataset)
        return await judgement.absence(await judgement.schema())

    async def aclose(self) -> None:
        """End all checks and look-ups."""
        for trial in list(self._trials):
            await self.end(trial)
        await self._shelf.aclose()
        await self.facts.aclose()
