"""Where connections come in: taken from a listening socket, the more at a time the more are waiting there.

Source: libuv 1.45 and later, and so uvloop, take one connection in each round of the loop. Where many queries make the
rounds long, new connections then wait for seconds before a loop that answers those that it has in milliseconds.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable

from proxy.logs import event

# The most that are taken in one round, so that workers on the same socket share a crowd.
_MOST = 64
# How long a system without room for a connection is left in peace.
_PAUSE_S = 0.5

Factory = Callable[[], asyncio.BaseProtocol]


class Door:
    """Let connections in, from `open` to `close`, which closes the socket too."""

    def __init__(self, listener: socket.socket, factory: Factory) -> None:
        self._listener = listener
        self._factory = factory
        self._loop = asyncio.get_running_loop()
        self._at_once = 1
        self._pause: asyncio.TimerHandle | None = None
        self._entering: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Take connections from now on."""
        self._listener.setblocking(False)
        self._pause = None
        self._loop.add_reader(self._listener, self._take)

    async def close(self) -> None:
        """Take no more, and return when all that were taken are in; those in the socket are left to other processes."""
        if self._listener.fileno() < 0:
            return
        self._loop.remove_reader(self._listener)
        if self._pause is not None:
            self._pause.cancel()
        self._listener.close()
        if self._entering:
            await asyncio.wait(self._entering)

    def _take(self) -> None:
        for _ in range(self._at_once):
            try:
                connection, _ = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                self._at_once = max(1, self._at_once // 2)
                return
            except OSError as error:
                self._rest(error)
                return
            task = self._loop.create_task(self._enter(connection))
            self._entering.add(task)
            task.add_done_callback(self._entering.discard)
        self._at_once = min(_MOST, 2 * self._at_once)

    async def _enter(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        try:
            await self._loop.connect_accepted_socket(self._factory, connection)
        except OSError:
            # It has left before it was let in.
            connection.close()

    def _rest(self, error: OSError) -> None:
        """Wait for room: a socket that is still readable would be tried again at once, for ever."""
        event("connections.refused", logging.WARNING, reason=error.strerror, pause_s=_PAUSE_S)
        self._loop.remove_reader(self._listener)
        self._pause = self._loop.call_later(_PAUSE_S, self.open)
