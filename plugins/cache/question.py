"""One query as the cache sees it."""

from __future__ import annotations

from dataclasses import dataclass

from plugins.cache.directives import Wish
from plugins.cache.options import Life
from proxy.contract import Query
from proxy.results import Format


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Hold a query, its names, and what its client takes: ``narrow`` is by its first format, ``whole`` by all."""

    query: Query
    narrow: bytes
    whole: bytes
    wish: Wish
    life: Life

    @property
    def names(self) -> tuple[bytes, ...]:
        """The names under which an answer may be kept, the likely one first."""
        return (self.narrow,) if self.narrow == self.whole else (self.narrow, self.whole)

    def name(self, given: Format) -> bytes:
        """Return the name under which an answer in a format is kept."""
        return self.narrow if given is self.query.formats[0] else self.whole
