"""What was said of a text before: kept within a bound of bytes, for as long as the facts below it count as true."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from cachetools import LRUCache

from plugins.schema.findings import Report
from proxy.contract import Dataset, Query

# Units: bytes, roughly.
KEPT_BYTES = 8 * 1024 * 1024
_ENTRY_BYTES = 1_000
_FINDING_BYTES = 3_000


class Key(NamedTuple):
    """What a verdict depends on, beside the index, the endpoint and its facts; of the text a hash."""

    text: bytes
    dataset: Dataset
    source: str


class Verdict(NamedTuple):
    """A report, and whether it also holds what the graph lacks.

    Units: ``since`` is the moment of the oldest answer below it, in seconds of the clock; None where one is missing.
    """

    report: Report
    whole: bool
    since: float | None


class Verdicts:
    """Keep what was said. An answer of the endpoint that is older than ``remembered_s`` supports no verdict."""

    def __init__(self, clock: Callable[[], float], remembered_s: float, kept_bytes: int = KEPT_BYTES) -> None:
        self._clock = clock
        self._remembered_s = remembered_s
        self._kept: LRUCache[Key, Verdict] = LRUCache(kept_bytes, getsizeof=_weight)

    def get(self, key: Key) -> Verdict | None:
        """Return what was said of a text, None where that is too old."""
        found = self._kept.get(key)
        if found is None or found.since is None or self._clock() - found.since >= self._remembered_s:
            return None
        return found

    def keep(self, key: Key, verdict: Verdict) -> None:
        """Keep a verdict, if no answer is missing below it."""
        if verdict.since is not None and _weight(verdict) <= self._kept.maxsize:
            self._kept[key] = verdict

    def forget(self) -> None:
        """Forget all of them."""
        self._kept.clear()


def _weight(verdict: Verdict) -> int:
    return _ENTRY_BYTES + _FINDING_BYTES * len(verdict.report.findings)


def key_of(query: Query) -> Key:
    """Return the key of a query's verdict. What its endpoint implies is the same for all of its queries."""
    text = hashlib.blake2b(query.text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return Key(text, query.dataset, query.source)
