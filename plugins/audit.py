"""One JSON line per query, with its full text: opt-in, since query text is personal data.

A failure to write is logged and the query passes: an audit that is full must not stop the service.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from proxy.contract import Context, Plugin, Query, Reply, Run
from proxy.errors import ProxyError
from proxy.settings import key

log = logging.getLogger("saga.audit")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """The `[audit]` table."""

    file: Path = key("file that lines are appended to; created readable by its owner only", Path("audit.jsonl"))


class Audit(Plugin):
    """Append a line when a query ends: when, who, where, the text, how it ended."""

    Options = AuditOptions

    def __init__(self, options: AuditOptions) -> None:
        super().__init__(options)
        self._path = options.file
        self._file = -1

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Keep the file open while the application runs."""
        self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield
        finally:
            os.close(self._file)

    async def query(self, query: Query, run: Run) -> Reply:
        """Note the query when its answer has been read or left, or at once where it failed."""
        started = time.time()
        try:
            reply = await run(query)
        except ProxyError as error:
            await self._note(query, started, error.code, None)
            raise

        async def release() -> None:
            try:
                await reply.aclose()
            finally:
                await self._note(query, started, reply.state.completeness, reply)

        return replace(reply, release=release)

    async def _note(self, query: Query, started: float, ended: str, reply: Reply | None) -> None:
        line = {
            "time": started,
            "seconds": round(time.time() - started, 4),
            "request_id": query.id,
            "endpoint": query.endpoint,
            "address": query.caller.address,
            "key": query.caller.key,
            "form": query.form.value,
            "text": query.text,
            "ended": ended,
            "rows": reply.state.rows if reply else None,
        }
        # One write per line: lines of several workers never mix.
        data = (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "replace")
        try:
            await asyncio.to_thread(os.write, self._file, data)
        except OSError as error:
            log.error("the audit file cannot be written: %s", error)
