"""One query on its way to the endpoint, and everybody who waits for its answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from copy import copy
from dataclasses import replace
from typing import NoReturn

from multidict import CIMultiDict

from plugins.cache.entry import Entry, Packing
from plugins.cache.progress import Progress, Stage
from proxy.contract import Query, Reply, Run
from proxy.errors import ProxyError, UpstreamBusy

Keep = Callable[[Reply, Packing], Entry | None]


class Room:
    """Bound the bytes of all answers on their way."""

    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes

    def take(self, size: int) -> bool:
        """Take so many bytes. Returns whether that is still within the bound; they are taken either way."""
        self._left -= size
        return self._left >= 0

    def give_back(self, size: int) -> None:
        """Return bytes that were taken."""
        self._left += size


class Flight:
    """Read one answer at the endpoint's pace, for the client that came first and for all that came after it.

    The first one is the leader: it gets the chunks as they come. The others wait for the whole answer, which is small;
    one that is too large to keep is left to the leader, at the leader's pace, and the others go themselves. The
    flight belongs to no client: who leaves hurts nobody else, and when the last one has left it ends.

    It is ``OPENED`` once there is a reply, has ``BEGUN`` once its first bytes are there, and ``LANDED`` at its end,
    also where none will come. Then ``entry`` is the whole answer, or ``error`` says what went wrong, or neither: the
    answer is too large. ``found`` is whether the entry was there already, so that nothing was asked; ``stale`` one
    that was there and is too old.
    """

    def __init__(self, packing: Packing, room: Room, max_bytes: int) -> None:
        self.progress = Progress()
        self.entry: Entry | None = None
        self.stale: Entry | None = None
        self.error: BaseException | None = None
        self.found = False
        self.task: asyncio.Task[None] | None = None
        self.ended: Callable[[], None] = _nothing
        self._packing: Packing | None = packing
        self._room = room
        self._max_bytes = max_bytes
        self._held = 0
        self._reply: Reply | None = None
        self._headers: CIMultiDict[str] = CIMultiDict()
        # What the leader has not taken yet, and where it waits for more.
        self._queue: list[bytes] = []
        self._more: asyncio.Future[None] | None = None
        self._leader = False
        self._left_to_leader = False
        self._riders = 0

    def board(self) -> None:
        """Count one more who waits."""
        self._riders += 1

    def lead(self) -> None:
        """Count the one who gets the chunks as they come."""
        self._leader = True
        self.board()

    async def leave(self) -> None:
        """Count one less; the last one ends the flight and waits until the endpoint is free."""
        self._riders -= 1
        if self._riders or self.task is None or self.task.done() or self._has_landed:
            return
        self.task.cancel()
        self.ended()
        await asyncio.wait((self.task,))

    async def wait(self, seconds: float) -> None:
        """Wait for the end, or for so long."""
        self.board()
        try:
            async with asyncio.timeout(seconds):
                await self.progress.until(Stage.LANDED)
        except TimeoutError:
            pass
        finally:
            await self.leave()

    def land(self, entry: Entry) -> None:
        """End with an entry that was there already."""
        self.entry, self.found = entry, True
        self._end()

    async def go(self, journey: Callable[[Flight], Awaitable[None]]) -> None:
        """Make the journey, and tell everybody how it ended.

        Raises: what is no error of ours; it is kept, too, for the ones who wait.
        """
        try:
            await journey(self)
        except ProxyError as error:
            # Without the frames that it came through, which hold this flight.
            self.error = _again(error)
        except asyncio.CancelledError:
            self.error = UpstreamBusy("The proxy stops; ask again in a moment.", headers={"Retry-After": "1"})
            raise
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._end()
            # The task ends here; the error of a cancelled one holds this frame, and so this flight.
            self.task = None

    def fail(self) -> NoReturn:
        """Raise what went wrong. Whoever waits gets an error of their own, since it will hold their frames."""
        assert self.error is not None
        raise _again(self.error) if isinstance(self.error, ProxyError) else self.error

    async def fly(self, query: Query, run: Run, keep: Keep) -> None:
        """Ask the endpoint and read its answer; ``keep`` makes the entry of a whole one. Raises what they raise."""
        reply = self._reply = await run(query)
        try:
            self._headers = CIMultiDict(reply.headers)
            self.progress.reach(Stage.OPENED)
            await self._read(reply, keep)
        finally:
            if not self._left_to_leader:
                await reply.aclose()

    async def _read(self, reply: Reply, keep: Keep) -> None:
        async for chunk in reply.chunks:
            self._take(chunk)
            if self._packing is None:
                self._left_to_leader = self._leader
                return
        if self._packing is not None and reply.format is not None:
            self.entry = keep(reply, self._packing)
            if self.entry is not None and not self.entry.partial:
                # An answer that is still gathered goes out with its name.
                self._headers["ETag"] = self.entry.etag
        self._end()

    def _take(self, chunk: bytes) -> None:
        fits = self._room.take(len(chunk))
        self._held += len(chunk)
        if self._leader:
            self._queue.append(chunk)
            self._call_leader()
        self.progress.reach(Stage.BEGUN)
        assert self._packing is not None
        if fits and self._packing.size + len(chunk) <= self._max_bytes:
            self._packing.add(chunk)
        else:
            self._packing = None

    def _end(self) -> None:
        self._packing = None
        self.progress.reach(Stage.LANDED)
        self._call_leader()
        ended, self.ended = self.ended, _nothing
        ended()
        self._settle()

    def _settle(self) -> None:
        """Give the room back, once nobody holds the chunks any more."""
        if self._has_landed and not self._leader:
            self._room.give_back(self._held)
            self._held = 0

    def reply(self, headers: dict[str, str]) -> Reply:
        """Return the leader's reply; whoever closes it leaves the flight. Call it once it is ``OPENED``."""
        assert self._reply is not None
        self._headers.update(headers)
        return replace(self._reply, chunks=self._chunks(), headers=self._headers, release=self.leave_lead)

    async def _chunks(self) -> AsyncIterator[bytes]:
        while True:
            while self._queue:
                queue, self._queue = self._queue, []
                for chunk in queue:
                    yield chunk
            if self._left_to_leader and self._reply is not None:
                async for chunk in self._reply.chunks:
                    yield chunk
                return
            if self._has_landed:
                if self.error is not None:
                    self.fail()
                return
            self._more = asyncio.get_running_loop().create_future()
            await self._more

    def _call_leader(self) -> None:
        if self._more is not None and not self._more.done():
            self._more.set_result(None)

    @property
    def _has_landed(self) -> bool:
        return self.progress.stage is Stage.LANDED

    async def leave_lead(self) -> None:
        """Let the leader go, wherever it is in the answer."""
        self._leader = False
        self._queue.clear()
        try:
            await self.leave()
        finally:
            self._settle()
            if self._left_to_leader and self._reply is not None:
                await self._reply.aclose()


def _again(error: ProxyError) -> ProxyError:
    """Return the same error, as if it had not been raised yet; its cause tells the breaker what is wrong."""
    made = copy(error)
    made.__cause__ = error.__cause__
    return made


def _nothing() -> None:
    """Tell nobody: the flight is in no list."""
