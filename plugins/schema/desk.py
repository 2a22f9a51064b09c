"""What the guard has for one endpoint: the index as its file is now, the look-ups, and the checks that run."""

from __future__ import annotations

import asyncio
import datetime
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from plugins.schema.facts import Facts
from plugins.schema.findings import Report
from plugins.schema.index import MAX_AGE_DAYS, Index, IndexDamaged
from plugins.schema.judge import Judgement
from plugins.schema.lull import Lull
from plugins.schema.suggestions import Adviser
from plugins.schema.trial import Done, Trial
from plugins.schema.verdicts import Verdicts, key_of
from proxy.contract import Dataset, Query
from proxy.syntax import Syntax

log = logging.getLogger("saga")

# A file that was rebuilt is seen after so long.
_LOOK_S = 2.0
# More queries than this are not checked at the same time: they pass unchecked.
MOST_TRIALS = 128


class Volume:
    """An opened index, with what was worked out from it."""

    def __init__(self, index: Index, verdicts: Verdicts, max_age_days: float) -> None:
        self.index = index
        self.adviser = Adviser(index)
        self.verdicts = verdicts
        self._max_age_days = max_age_days

    @property
    def note(self) -> str:
        """What to know of the index: that it is old by now, or nothing."""
        return self.index.aged(self._max_age_days, datetime.datetime.now(datetime.UTC))


class Shelf:
    """Hold an index, and take its file's place when that was replaced. A new file that is damaged changes nothing."""

    def __init__(
        self, path: Path, clock: Callable[[], float], remembered_s: float, max_age_days: float = MAX_AGE_DAYS
    ) -> None:
        """Open the index. Raises IndexDamaged."""
        self._path = path
        self._max_age_days = max_age_days
        self._clock = clock
        self._stamp = self._stamped()
        self._looked = clock()
        self._opening: asyncio.Future[None] | None = None
        self._remembered_s = remembered_s
        self._volume = self._opened(Index.open(path))

    @property
    def graph(self) -> str:
        """The name of the graph's profile."""
        return self._volume.index.graph

    def current(self) -> Volume:
        """Return the index. Where the file has changed, another one is opened meanwhile, in a thread."""
        if self._clock() - self._looked >= _LOOK_S and self._opening is None:
            self._looked = self._clock()
            stamp = self._stamped()
            if stamp not in (None, self._stamp):
                self._stamp = stamp
                self._opening = asyncio.ensure_future(self._reopen())
        return self._volume

    async def aclose(self) -> None:
        """End an opening that still runs."""
        if self._opening is not None:
            await asyncio.wait((self._opening,))

    async def _reopen(self) -> None:
        try:
            # Queries may still use the old one: it is closed when the last of them has let go of it.
            self._volume = self._opened(await asyncio.to_thread(Index.open, self._path))
            log.info("guard.index_swapped", extra={"fields": {"path": str(self._path)}})
        except IndexDamaged as error:
            log.error("guard.index_refused", extra={"fields": {"path": str(self._path), "detail": str(error)}})
        finally:
            self._opening = None

    def _opened(self, index: Index) -> Volume:
        volume = Volume(index, Verdicts(self._clock, self._remembered_s), self._max_age_days)
        if volume.note:
            log.warning("guard.index_old", extra={"fields": {"path": str(self._path), "detail": volume.note}})
        return volume

    def _stamped(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


class Desk:
    """The index, the look-ups, what was said before, and the running checks of one endpoint."""

    def __init__(self, shelf: Shelf, facts: Facts, *, by_paper: bool = False) -> None:
        self._shelf = shelf
        self._facts = facts
        self._by_paper = by_paper
        self._trials: set[Trial] = set()
        self._lull = Lull()

    @property
    def index(self) -> Index:
        """The index as its file is now."""
        return self._shelf.current().index

    def trial(self, query: Query) -> Trial | None:
        """Return the checks of a query, which have not begun; None where too many run."""
        self._lull.stir()
        if len(self._trials) >= MOST_TRIALS:
            return None
        volume, gate = self._shelf.current(), asyncio.Event()
        judgement = Judgement(
            query.syntax,
            volume.index,
            self._facts,
            query.dataset,
            asker=query.source,
            by_paper=self._by_paper,
            adviser=volume.adviser,
            gate=gate,
        )
        trial = Trial(judgement, gate, self._facts, volume.verdicts, key_of(query))
        self._trials.add(trial)
        return trial

    def leave(self, trial: Trial, done: Done) -> None:
        """Let checks run to their end behind the answer, which has begun, and give their report to somebody."""

        def ended(report: Report | None) -> None:
            self._trials.discard(trial)
            if report is not None:
                done(report)

        waits = trial.linger()
        trial.then(ended)
        if waits:
            self._lull.add(trial)

    async def end(self, trial: Trial) -> None:
        """End checks that nobody waits for any more."""
        self._trials.discard(trial)
        await trial.aclose()

    async def judge(self, syntax: Syntax, dataset: Dataset) -> Report:
        """Return everything that can be said of a query."""
        volume = self._shelf.current()
        judgement = Judgement(
            syntax, volume.index, self._facts, dataset, by_paper=self._by_paper, adviser=volume.adviser
        )
        return replace(await judgement.absence(await judgement.schema()), note=volume.note)

    def forget(self) -> None:
        """Forget what the graph said, and what was said of queries because of it."""
        self._facts.forget()
        self._shelf.current().verdicts.forget()

    async def aclose(self) -> None:
        """End all checks and look-ups."""
        await self._lull.aclose()
        for trial in list(self._trials):
            await self.end(trial)
        await self._shelf.aclose()
        await self._facts.aclose()
