"""An index as its place on the disk is now."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from proxy.errors import ConfigError

log = logging.getLogger("saga")

T = TypeVar("T")

# What was built, or built again, is seen after so long.
_LOOK_S = 1.0


class Shelf(Generic[T]):
    """Hold an index and take the next one when it is there. A new one that is damaged changes nothing.

    ``problem`` says why there is no index to search in.
    """

    def __init__(self, watched: Path, opened: Callable[[], T], clock: Callable[[], float]) -> None:
        """Watch a file that changes with the index; ``opened`` opens it, in a thread, and may raise ConfigError."""
        self._watched = watched
        self._opened = opened
        self._clock = clock
        self._stamp: tuple[int, int, int] | None = None
        self._looked = clock()
        self._opening: asyncio.Future[None] | None = None
        self._index: T | None = None
        self.problem = ""

    @property
    def empty(self) -> bool:
        """Whether there is nothing yet."""
        return self._stamped() is None

    async def open(self) -> None:
        """Open the index; it may come later. Raises ConfigError for one that cannot be used."""
        self._stamp = self._stamped()
        if self._stamp is None:
            self.problem = f"{self._watched} is not there yet; searches go on without it"
            log.warning("search.index_missing", extra={"fields": {"path": str(self._watched)}})
            return
        await self._take()

    def current(self) -> T | None:
        """Return the index. Where another one took its place, that is opened meanwhile, in a thread."""
        if self._clock() - self._looked >= _LOOK_S:
            self.look()
        return self._index

    def look(self) -> None:
        """Look now whether there is another index."""
        self._looked = self._clock()
        stamp = self._stamped()
        if self._opening is None and stamp not in (None, self._stamp):
            self._stamp = stamp
            self._opening = asyncio.ensure_future(self._retake())

    async def first(self) -> T | None:
        """Return the index; where there was none and one is being opened, wait for it."""
        if self.current() is None and self._opening is not None:
            await asyncio.wait((self._opening,))
        return self._index

    async def aclose(self) -> None:
        """End an opening that still runs."""
        if self._opening is not None:
            await asyncio.wait((self._opening,))

    async def _retake(self) -> None:
        try:
            await self._take()
            log.info("search.index_swapped", extra={"fields": {"path": str(self._watched)}})
        except ConfigError as error:
            log.error("search.index_refused", extra={"fields": {"path": str(self._watched), "detail": str(error)}})
        finally:
            self._opening = None

    async def _take(self) -> None:
        try:
            # Searches may still use the old one: it is closed when the last of them has let go of it.
            self._index = await asyncio.to_thread(self._opened)
            self.problem = ""
        except ConfigError as error:
            if self._index is None:
                self.problem = str(error)
            raise

    def _stamped(self) -> tuple[int, int, int] | None:
        try:
            found = self._watched.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
