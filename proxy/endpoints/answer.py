"""The answer of one child process to one query: chunks, under a deadline, whole only if the child says so."""

from __future__ import annotations

import asyncio
from typing import Self

from proxy.endpoints.child import Child, Gone
from proxy.endpoints.frames import FATAL, BadFrame, Kind, decode
from proxy.errors import Truncated, UpstreamTimeout


class Complaint(Exception):
    """The child says why there is no answer: a kind from a closed set, and Oxigraph's message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


class Answer:
    """Iterate over the chunks. Kills the child when the time is up, whether or not anyone is reading.

    Units: ``deadline`` is a time of the event loop's clock, ``total_s`` the limit that it came from.
    """

    def __init__(self, child: Child, deadline: float, total_s: float) -> None:
        self._child = child
        self._deadline = deadline
        self._total_s = total_s
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._first = b""
        self._size = 0
        self._ended = False
        # The child has said its last word on this query and can take the next.
        self.done = False

    async def begin(self, request: dict[str, object], first_byte_s: float | None) -> None:
        """Ask, and return once the first chunk is there. Raises Complaint, Gone, UpstreamTimeout, Truncated."""
        if first_byte_s is None or self._loop.time() + first_byte_s >= self._deadline:
            self._kill_at(self._deadline, f"{self._total_s:g} s")
        else:
            self._kill_at(self._loop.time() + first_byte_s, f"{first_byte_s:g} s to the first byte")
        self._child.send(request)
        self._first = await self._next()
        self._kill_at(self._deadline, f"{self._total_s:g} s")

    @property
    def arrived(self) -> bool:
        """Whether the child has said its last word, so that nothing has to be waited for."""
        return self._ended

    def stop(self) -> None:
        """Let the deadline go."""
        if self._timer is not None:
            self._timer.cancel()

    def __aiter__(self) -> Self:
        """Return itself: an answer is read once."""
        return self

    async def __anext__(self) -> bytes:
        """Return the next chunk. Raises Truncated, UpstreamTimeout."""
        chunk, self._first = self._first, b""
        if not chunk:
            try:
                chunk = await self._next()
            except (Complaint, Gone) as error:
                raise Truncated("The store stopped in the middle of the answer.", private=str(error)) from error
        if not chunk:
            raise StopAsyncIteration
        return chunk

    async def _next(self) -> bytes:
        """Return all data that has arrived, or nothing after the end."""
        if self._ended:
            return b""
        data: list[bytes] = []
        while not data and not self._ended:
            for kind, payload in await self._child.receive():
                if kind is Kind.DATA:
                    data.append(payload)
                else:
                    self._close(kind, payload, sum(map(len, data)))
        chunk = data[0] if len(data) == 1 else b"".join(data)
        self._size += len(chunk)
        return chunk

    def _close(self, kind: Kind, payload: bytes, unseen: int) -> None:
        """Take the child's last word."""
        self._ended = True
        self.stop()
        try:
            members = decode(payload)
        except BadFrame as error:
            raise Gone(str(error)) from error
        if kind is Kind.ERROR:
            complaint = Complaint(str(members.get("kind")), str(members.get("message")))
            self.done = complaint.kind not in FATAL
            raise complaint
        if kind is not Kind.END or members.get("bytes") != self._size + unseen:
            raise Truncated("The store's answer lost bytes on its way.", private=f"{kind.name} {members}")
        self.done = True

    def _kill_at(self, when: float, limit: str) -> None:
        self.stop()
        if not self._ended:
            self._timer = self._loop.call_at(when, self._expire, limit)

    def _expire(self, limit: str) -> None:
        self._child.kill(
            UpstreamTimeout(f"The query took longer than its limit of {limit}. Make it smaller, or ask for fewer rows.")
        )
