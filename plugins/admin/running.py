"""A query that runs: what an operator sees of it, and how it is ended."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from proxy.contract import Query, Reply, Run
from proxy.errors import UpstreamTimeout

T = TypeVar("T")

# What a reader that waits takes to end by itself; after that its client does not read, and its task is ended.
_PATIENCE_S = 0.3


class Running:
    """Run one query so that it can be ended from outside, wherever it stands.

    Units: ``seconds`` of the clock that is given.
    """

    def __init__(self, query: Query, clock: Callable[[], float]) -> None:
        self._query = query
        self._clock = clock
        self._started = clock()
        self._reply: Reply | None = None
        self._waiting: asyncio.Task[object] | None = None
        self._killed = False
        self._cancelled = False
        self._ended = False
        # The task of a client's request ends with its query; what asks in its own name goes on.
        self._task = asyncio.current_task() if query.source == "client" else None

    @property
    def id(self) -> str:
        """The id of the request."""
        return self._query.id

    def shown(self) -> dict[str, object]:
        """Return what an operator sees. Never the text, which is the client's."""
        query = self._query
        return {
            "id": query.id,
            "endpoint": query.endpoint,
            "form": query.form.value,
            "source": query.source,
            "client": query.caller.key or query.caller.address,
            "seconds": round(self._clock() - self._started, 3),
            "rows": self._reply.state.rows if self._reply else 0,
            "bytes": self._reply.state.size if self._reply else 0,
        }

    async def start(self, run: Run) -> Reply:
        """Run the query up to its first byte. Raises UpstreamTimeout where it was killed."""
        reply = self._reply = await self._killable(functools.partial(run, self._query))
        return replace(reply, chunks=self._chunks(reply.chunks))

    async def _chunks(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        following = functools.partial(anext, chunks, None)
        while (chunk := await self._killable(following)) is not None:
            yield chunk

    async def _killable(self, step: Callable[[], Awaitable[T]]) -> T:
        """Wait for one step of the query, or for its end by an operator, which is an error and no cancellation.

        Like `asyncio.timeout`, and cheaper: every chunk of every answer comes through here.
        """
        if self._killed:
            raise _killed()
        task = self._waiting = asyncio.current_task()
        assert task is not None
        asked_before = task.cancelling()
        try:
            return await step()
        except asyncio.CancelledError:
            # Where somebody else asked the task to end too, it ends.
            if not self._cancelled or task.cancelling() > asked_before + 1:
                raise
            raise _killed() from None
        finally:
            self._waiting = None
            if self._cancelled:
                task.uncancel()

    def kill(self) -> None:
        """End the query, whatever it waits for; its client is told where nothing has been sent to it yet."""
        if self._killed or self._ended:
            return
        self._killed = True
        if self._waiting is not None:
            self._cancelled = self._waiting.cancel()
        if self._task is not None:
            asyncio.get_running_loop().call_later(_PATIENCE_S, self._break)

    def end(self) -> None:
        """Note that nothing runs any more."""
        self._ended = True

    def _break(self) -> None:
        """End the task whose client does not read what is there; that frees the endpoint and closes its connection."""
        if not self._ended and self._task is not None and self._waiting is None:
            self._task.cancel()


def _killed() -> UpstreamTimeout:
    return UpstreamTimeout("The operator of this proxy ended the query. Do not repeat it as it is; ask them why.")
