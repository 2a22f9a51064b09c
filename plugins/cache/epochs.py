"""The epoch of each endpoint: part of every name, so that a new one forgets all answers before it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping


class Epochs:
    """Count epochs so that the greater one wins wherever two meet.

    An epoch is a moment, not a count: a Redis that lost its memory, or a worker that starts, can never come back to an
    epoch whose answers are still around.

    Units: nanoseconds since 1970, but always above the last one, also where the system's clock was set back.
    """

    def __init__(self, endpoints: Iterable[str], moment: Callable[[], int] = time.time_ns) -> None:
        self._moment = moment
        self._current = dict.fromkeys(endpoints, 0)

    @property
    def endpoints(self) -> tuple[str, ...]:
        """The endpoints, in the order of the configuration."""
        return tuple(self._current)

    def current(self, endpoint: str) -> int:
        """Return the epoch of an endpoint."""
        return self._current[endpoint]

    def bump(self, endpoint: str) -> int:
        """Begin a new epoch, and return it."""
        epoch = self._current[endpoint] = max(self._current[endpoint] + 1, self._moment())
        return epoch

    def merge(self, theirs: Mapping[str, int | None]) -> dict[str, int]:
        """Take what others know, and return what they do not know yet.

        Where nobody has an epoch a new one begins: answers may have been left there by somebody who had one.
        """
        news = {}
        for endpoint, epoch in theirs.items():
            mine = self._current[endpoint]
            if epoch is None:
                news[endpoint] = mine or self.bump(endpoint)
            elif epoch > mine:
                self._current[endpoint] = epoch
            elif epoch < mine:
                news[endpoint] = mine
        return news
