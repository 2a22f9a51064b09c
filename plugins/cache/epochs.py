"""The epoch of each endpoint: part of every name, so that a new one forgets all answers before it."""

from __future__ import annotations

import hashlib
import mmap
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

# Set by the parent of many workers, and absent where there is one.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_NUMBER_BYTES = 8


class Epochs:
    """Count epochs so that the greater one wins wherever two meet.

    An epoch is a moment, not a count: a Redis that lost its memory, or a worker that starts, can never come back to an
    epoch whose answers are still around. The workers of one proxy have the same numbers in their memory, so that what
    one of them begins holds for all at once.

    Units: nanoseconds since 1970, but always above the last one, also where the system's clock was set back.
    """

    def __init__(self, endpoints: Iterable[str], moment: Callable[[], int] = time.time_ns) -> None:
        self._moment = moment
        self._current = {endpoint: _number(endpoint) for endpoint in endpoints}

    @property
    def endpoints(self) -> tuple[str, ...]:
        """The endpoints, in the order of the configuration."""
        return tuple(self._current)

    def current(self, endpoint: str) -> int:
        """Return the epoch of an endpoint."""
        return self._current[endpoint][0]

    def bump(self, endpoint: str) -> int:
        """Begin a new epoch, and return it."""
        number = self._current[endpoint]
        epoch = number[0] = max(number[0] + 1, self._moment())
        return epoch

    def merge(self, theirs: Mapping[str, int | None]) -> dict[str, int]:
        """Take what others know, and return what they do not know yet.

        Where nobody has an epoch a new one begins: answers may have been left there by somebody who had one.
        """
        news = {}
        for endpoint, epoch in theirs.items():
            mine = self.current(endpoint)
            if epoch is None:
                news[endpoint] = mine or self.bump(endpoint)
            elif epoch > mine:
                self._current[endpoint][0] = epoch
            elif epoch < mine:
                news[endpoint] = mine
        return news


def _number(endpoint: str) -> memoryview[int]:
    """Return the one number of a new memory, or of that which the workers of this proxy share."""
    folder = os.environ.get(_FOLDER)
    memory: bytearray | mmap.mmap = bytearray(_NUMBER_BYTES)
    if folder:
        # A disk that is full has no room for it: then each worker has epochs of its own.
        with suppress(OSError):
            memory = _mapped(Path(folder, f"epoch-{hashlib.blake2b(endpoint.encode(), digest_size=8).hexdigest()}"))
    return memoryview(memory).cast("q")


def _mapped(path: Path) -> mmap.mmap:
    # Written to its length, since a page that the disk has no room for would end the process; and only at the end,
    # where it harms no number that another worker has set meanwhile.
    with path.open("ab+") as file:
        if file.tell() < _NUMBER_BYTES:
            file.write(bytes(_NUMBER_BYTES))
            file.flush()
        return mmap.mmap(file.fileno(), _NUMBER_BYTES)
