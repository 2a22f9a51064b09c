"""The program of the child process that applies updates. One per worker; the folder's lock lets one write at a time.

It opens the store when an update comes and closes it shortly after the last one, so that other workers and `saga load`
get their turn. An update is answered once it is on the disk and in a published snapshot, which the next query of every
reader opens. Oxigraph applies an update in one transaction: a kill in the middle leaves all of it or nothing.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from pathlib import Path
from typing import Any

import pyoxigraph

from proxy.endpoints.confine import confine, limit_memory
from proxy.endpoints.folder import Folder, StoreMissing
from proxy.endpoints.frames import FATAL, Kind
from proxy.endpoints.pipe import Pipe, complaint
from proxy.heap import give_back

# How long the store stays open for the next update, and how often it is looked whether somebody else waits for it.
_IDLE_S = 0.5
_LOOK_S = 0.01
# What one worker may write in a row while others wait.
_BURST_S = 0.25


class Writer:
    """The store, while it is open for writing, and the lock that comes with it."""

    def __init__(self, pipe: Pipe, hello: dict[str, Any]) -> None:
        self._pipe = pipe
        self._folder = Folder(Path(hello["store"]))
        self._prefixes: dict[str, str] = hello["prefixes"]
        self._memory_bytes: int = hello["memory_bytes"]
        self._wait_s: float = hello["wait_s"]
        self._store: pyoxigraph.Store | None = None
        self._held = contextlib.ExitStack()
        self._since = 0.0

    def serve(self) -> None:
        """Apply updates until standard input ends."""
        while True:
            if self._store is not None and not self._asked():
                self.close()
            request = self._pipe.receive()
            if request is None:
                self.close()
                return
            if not self._try(request):
                return
            if time.monotonic() - self._since > _BURST_S and self._folder.gate.contended:
                self.close()

    def _asked(self) -> bool:
        """Wait for the next request; return False where the store had better be closed before it comes."""
        end = time.monotonic() + _IDLE_S
        while not self._pipe.waiting:
            ready, _, _ = select.select([self._pipe.source], [], [], _LOOK_S)
            if ready:
                return True
            if time.monotonic() > end or self._folder.gate.contended:
                return False
        return True

    def _try(self, request: dict[str, Any]) -> bool:
        """Apply one request; return whether the process may go on."""
        try:
            self._apply(self._open(), request)
        except BaseException as error:  # noqa: BLE001 - a panic of Oxigraph is not an Exception; the proxy must hear of it
            members = complaint(error)
            self._pipe.send_last(b"", Kind.ERROR, members)
            return members["kind"] not in FATAL
        self._pipe.send_last(b"", Kind.END, {"bytes": 0})
        return True

    def _apply(self, store: pyoxigraph.Store, request: dict[str, Any]) -> None:
        if "text" in request:
            store.update(request["text"], prefixes=self._prefixes)
        else:
            store.optimize()
        self._folder.publish(store)

    def _open(self) -> pyoxigraph.Store:
        if self._store is None:
            if not self._folder.exists:
                raise StoreMissing(str(self._folder.path))
            with contextlib.ExitStack() as held:
                held.enter_context(self._folder.lock(self._wait_s))
                self._store = self._folder.begin()
                self._held = held.pop_all()
            self._since = time.monotonic()
            limit_memory(self._memory_bytes)
        return self._store

    def close(self) -> None:
        """Close the store and let others write."""
        if self._store is not None:
            self._store = None
            self._folder.note()
            self._held.close()
            # Open, a small store takes 7 MiB more; most of it is free now.
            give_back()


def main() -> None:
    """Say hello, then apply."""
    pipe = Pipe.take_over()
    hello = pipe.receive()
    if hello is None:
        return
    confine(hello["parent"])
    writer = Writer(pipe, hello)
    pipe.send_last(b"", Kind.READY, {"pid": os.getpid()})
    writer.serve()


if __name__ == "__main__":
    main()
