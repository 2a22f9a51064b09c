"""An index that an endpoint builds for itself, beside its work, where its folder has none."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Callable
from pathlib import Path

from plugins.schema.builders.progress import Progress
from plugins.search.asking import EndpointSource, Streamed
from plugins.search.building import build
from plugins.search.profile import Profile
from proxy.contract import Run
from proxy.errors import ConfigError, ProxyError, UsageError

log = logging.getLogger("saga")


class Automatic:
    """One build that begins now. A failure is logged: searches then go to the other sources."""

    def __init__(self, run: Run, endpoint: str, profile: Profile, folder: Path, done: Callable[[], None]) -> None:
        """Begin. ``run`` asks the endpoint itself: the plugins around it may not have started yet."""
        self._done = done
        self._endpoint = endpoint
        self._folder = folder
        self._task: asyncio.Future[None] = asyncio.ensure_future(self._built(run, profile))

    async def aclose(self) -> None:
        """End the build; the next start goes on with it."""
        self._task.cancel()
        await asyncio.wait((self._task,))

    async def _built(self, run: Run, profile: Profile) -> None:
        source = EndpointSource(self._endpoint, Streamed(run, self._endpoint), profile.reader(), measured=True)
        fields: dict[str, object] = {"endpoint": self._endpoint, "path": str(self._folder)}
        try:
            sealed = await build(source, profile, self._folder, Progress(io.StringIO()))
            self._done()
            log.info("search.index_built", extra={"fields": {**fields, **sealed.counts}})
        except (ProxyError, ConfigError, UsageError) as error:
            log.warning("search.index_not_built", extra={"fields": {**fields, "detail": str(error)}})
