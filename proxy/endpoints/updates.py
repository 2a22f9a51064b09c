"""The proxy's side of the writer: one update at a time, each in a process that can be killed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from proxy.endpoints.answer import Complaint
from proxy.endpoints.child import Child
from proxy.endpoints.frames import FATAL, Kind
from proxy.endpoints.places import Places
from proxy.errors import ProxyError, UpstreamFailed, UpstreamTimeout

# What an update that nobody waits for any more may still take. Most end in a moment, and a new writer takes longer to
# start: were it killed for each client that has left, a queue that has once grown too long would never become shorter.
_GRACE_S = 0.25


class Updates:
    """Queue updates for a writer, which starts with `open`, or else with the first one."""

    def __init__(
        self, start: Callable[[], Awaitable[Child]], queue: int, queue_s: float, grace_s: float = _GRACE_S
    ) -> None:
        self._start = start
        self._grace_s = grace_s
        self._place = Places(1, queue, queue_s)
        self._child: Child | None = None
        self._opening: asyncio.Task[None] | None = None
        self._ahead = 0

    @property
    def quiet(self) -> bool:
        """Whether no other update is waiting or running."""
        return self._ahead == 0

    @property
    def pids(self) -> list[int]:
        """The process id of the writer, if it lives."""
        return [self._child.pid] if self._child is not None and self._child.alive else []

    def open(self) -> None:
        """Begin to start the writer, without waiting for it: the first update need not wait for all of a start."""
        self._opening = asyncio.ensure_future(self._prepare())

    async def apply(self, request: dict[str, object], total_s: float | None) -> float:
        """Apply one request and return the seconds it waited. All of it is in the store then, or nothing.

        An update that is killed at its deadline, or because its client left, may just have been applied: the error
        says so. Raises Complaint, Gone, UpstreamBusy, UpstreamTimeout.
        """
        self._ahead += 1
        try:
            queue_s = await self._place.take()
        except BaseException:
            self._ahead -= 1
            raise
        try:
            async with asyncio.timeout(total_s):
                await self._send(request)
        except TimeoutError as error:
            raise UpstreamTimeout(
                f"The update took longer than its limit of {total_s:g} s and was stopped: all of it is in the store, "
                "or nothing. Query for its effect before you send it again."
            ) from error
        finally:
            self._ahead -= 1
            self._place.give_back()
        return queue_s

    async def close(self) -> None:
        """End the writer and return when it is gone."""
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait((self._opening,))
        await self._end()

    async def _prepare(self) -> None:
        # Where it fails, the first update tries again and tells its client why.
        with contextlib.suppress(ProxyError):
            await self._place.take()
            try:
                await self._living()
            finally:
                self._place.give_back()

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill(UpstreamFailed("The proxy is stopping."))
            await child.wait()

    async def _living(self) -> Child:
        if self._child is None or not self._child.alive:
            await self._end()
            self._child = await self._start()
        return self._child

    async def _send(self, request: dict[str, object]) -> None:
        kind, members = await self._asked(await self._living(), request)
        if kind is Kind.ERROR:
            if members.get("kind") in FATAL:
                await self._end()
            raise Complaint(str(members.get("kind")), str(members.get("message")))

    async def _asked(self, child: Child, request: dict[str, object]) -> tuple[Kind, dict[str, object]]:
        child.send(request)
        answer = asyncio.ensure_future(child.first())
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            await asyncio.wait((answer,), timeout=self._grace_s)
            raise
        finally:
            if not answer.done() or answer.cancelled() or answer.exception() is not None:
                answer.cancel()
                await self._end()  # whatever it is doing, nobody waits for it any more
