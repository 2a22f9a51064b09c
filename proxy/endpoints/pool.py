"""A pool of readers: so many living children, each busy with one query at a time, refilled behind the scenes."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine

from proxy.endpoints.child import Child, Gone
from proxy.endpoints.frames import Kind
from proxy.errors import ProxyError, UpstreamBusy, UpstreamFailed, UpstreamTimeout

# After a failed start, a pool that still has other readers waits this long before the next.
_PAUSE_S = 1.0

# A snapshot opens in some 15 ms; a reader that needs this long is replaced.
_REFRESH_S = 5.0


class Pool:
    """Lend readers. Whoever takes one gives it back or throws it away.

    Units: ``queue_s`` in seconds; ``queue`` is how many may wait at once.
    """

    def __init__(self, start: Callable[[], Awaitable[Child]], size: int, queue: int, queue_s: float) -> None:
        self._start = start
        self._size = size
        self._queue = queue
        self._queue_s = queue_s
        self._idle: list[Child] = []
        self._living: set[Child] = set()
        self._starting = 0
        self._waiting: deque[asyncio.Future[Child]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._open = False
        self.failure: ProxyError | None = None

    @property
    def pids(self) -> list[int]:
        """The process ids of the living readers."""
        return sorted(child.pid for child in self._living)

    @property
    def ready(self) -> bool:
        """Whether a reader lives that has opened the store."""
        return bool(self._living)

    def open(self) -> None:
        """Begin to start readers, without waiting for them."""
        self._open = True
        self._fill()

    async def close(self) -> None:
        """End all readers and return when they are gone."""
        self._open = False
        for waiter in self._waiting:
            waiter.cancel()
        for child in self._living:
            child.kill(UpstreamFailed("The proxy is stopping."))
        for task in self._tasks.copy():
            if task.get_name() == "start":
                task.cancel()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def take(self, deadline: float) -> Child:
        """Return an idle reader. Raises UpstreamBusy, UpstreamTimeout, and why readers cannot start.

        Units: ``deadline`` is a time of the event loop's clock.
        """
        while self._idle:
            child = self._idle.pop()  # the last one used: its caches are warm
            if child.alive:
                return child
        if len(self._waiting) >= self._queue:
            raise self._busy(f"{self._queue} queries wait for this store already.")
        self._fill()
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Child] = loop.create_future()
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout_at(min(deadline, loop.time() + self._queue_s)):
                return await waiter
        except BaseException as error:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.give_back(waiter.result())  # it came in the moment that we gave up
            if isinstance(error, TimeoutError):
                if loop.time() >= deadline:
                    raise UpstreamTimeout("The time of the query was up before a reader was free.") from None
                raise self._busy(f"No reader of this store became free within {self._queue_s:g} s.") from None
            raise
        finally:
            with contextlib.suppress(ValueError):
                self._waiting.remove(waiter)

    def give_back(self, child: Child) -> None:
        """Lend a reader to the next, after it answered to the end."""
        if not child.alive or not self._open:
            self.throw_away(child)
            return
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(child)
                return
        self._idle.append(child)

    def throw_away(self, child: Child) -> None:
        """End a reader; another takes its place."""
        child.kill()

    async def refresh(self) -> None:
        """Let the idle readers open the newest snapshot now, so that the next queries need not."""
        idle, self._idle = self._idle, []
        await asyncio.gather(*(self._refresh(child) for child in idle))

    async def _refresh(self, child: Child) -> None:
        try:
            async with asyncio.timeout(_REFRESH_S):
                child.send({})
                kind, _ = await child.first()
        except (Gone, ProxyError, TimeoutError):
            self.throw_away(child)
            return
        except BaseException:
            self.throw_away(child)
            raise
        if kind is Kind.END:
            self.give_back(child)
        else:
            self.throw_away(child)

    def _fill(self) -> None:
        if self._open:
            for _ in range(self._size - len(self._living) - self._starting):
                self._starting += 1
                self._hold(self._add(), "start")

    async def _add(self) -> None:
        try:
            child = await self._start()
        except ProxyError as error:
            self._starting -= 1
            await self._failed(error)
            return
        except BaseException:
            self._starting -= 1
            self._refuse(UpstreamFailed("No reader of this store can be started."))
            raise
        self._starting -= 1
        self.failure = None
        self._living.add(child)
        self._hold(self._watch(child), "watch")
        self.give_back(child)

    async def _failed(self, error: ProxyError) -> None:
        self.failure = error
        if self._living:
            await asyncio.sleep(_PAUSE_S)
            self._fill()
            return
        self._refuse(error)

    def _refuse(self, error: ProxyError) -> None:
        """Tell those that wait, where nobody is left who could serve them. The next query tries again."""
        if self._living or self._starting:
            return
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_exception(error)

    async def _watch(self, child: Child) -> None:
        await child.wait()
        self._living.discard(child)
        with contextlib.suppress(ValueError):
            self._idle.remove(child)
        self._fill()

    def _hold(self, work: Coroutine[None, None, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _busy(self, detail: str) -> UpstreamBusy:
        wait_s = max(1, math.ceil(self._queue_s))
        return UpstreamBusy(f"{detail} Try again in {wait_s} s.", headers={"Retry-After": str(wait_s)})
