"""Memory that a process has freed, and that the C library keeps between what is still in use."""

from __future__ import annotations

import ctypes
import os
import sys

# Less is not worth the look at every free block.
_SLACK_BYTES = 2**20


class Heap:
    """The heap of this process. Where it runs on something else than Linux with glibc, nothing is given back."""

    def __init__(self) -> None:
        libc = ctypes.CDLL(None) if sys.platform == "linux" else None
        self._trim = getattr(libc, "malloc_trim", None)
        self._kept = _held()

    def give_back(self) -> None:
        """Give what is free back to the system (``malloc_trim``), where the heap has grown since the last time.

        Without it the holes that large answers leave stay for good: glibc shrinks a heap from its end alone. It takes
        about 0.1 ms for each MB that is free.
        """
        if self._trim is not None and _held() > self._kept + _SLACK_BYTES:
            self._trim(0)
            self._kept = _held()


def _held() -> int:
    """Return the bytes in memory that no file stands behind, or 0 where that cannot be read (Linux: proc(5), statm)."""
    try:
        with open("/proc/self/statm", "rb") as file:
            _, resident, shared = file.read().split()[:3]
    except OSError:
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
