"""The pause that an endpoint asked one worker for, told to the others: through Redis, or the folder of one proxy."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol

from plugins.breaker.options import BreakerOptions

# Set by the parent of many workers, and absent where there is one.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# A clock that was set back must not shut an endpoint for years.
_LONGEST_S = 86_400.0


class Pauses(Protocol):
    """Tell the others of a pause, and hear of theirs. Nothing here raises.

    Units: seconds from now.
    """

    async def left_s(self, endpoint: str) -> float:
        """Return how long an endpoint is to be left alone, as the others say."""

    async def tell(self, endpoint: str, seconds: float) -> None:
        """Tell the others; a longer pause stands."""


class NoPauses:
    """There is nobody to tell."""

    async def left_s(self, endpoint: str) -> float:
        """Hear nothing."""
        return 0.0

    async def tell(self, endpoint: str, seconds: float) -> None:
        """Tell nobody."""


class FolderPauses:
    """Say it by the time of an empty file, which costs the other workers a microsecond to read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def left_s(self, endpoint: str) -> float:
        """Return the rest of the pause that the file of an endpoint says."""
        try:
            until = self._path(endpoint).stat().st_mtime
        except OSError:
            return 0.0
        return min(_LONGEST_S, max(0.0, until - time.time()))

    async def tell(self, endpoint: str, seconds: float) -> None:
        """Set the time of the file, where it is not later already."""
        if seconds <= await self.left_s(endpoint):
            return
        path, until = self._path(endpoint), time.time() + seconds
        with suppress(OSError):
            # A disk that is full makes no file; then each worker has to be told by the endpoint itself.
            path.touch(mode=0o600)
            os.utime(path, (until, until))

    def _path(self, endpoint: str) -> Path:
        return self._folder / f"pause-{hashlib.blake2b(endpoint.encode(), digest_size=8).hexdigest()}"


@asynccontextmanager
async def pauses(options: BreakerOptions) -> AsyncIterator[Pauses]:
    """Yield what reaches most of the others."""
    folder = os.environ.get(_FOLDER)
    if options.redis:
        from plugins.breaker.shared import SharedPauses

        async with SharedPauses(options).lifespan() as shared:
            yield shared
    elif folder:
        yield FolderPauses(Path(folder))
    else:
        yield NoPauses()
