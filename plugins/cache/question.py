"""One query as the cache sees it."""

from __future__ import annotations

from dataclasses import dataclass

from plugins.cache.directives import Wish
from plugins.cache.key import Names
from plugins.cache.options import Life
from proxy.contract import Query
from proxy.results import Format


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Hold a query, the names of its answers, and what its client takes."""

    query: Query
    names: Names
    wish: Wish
    life: Life

    def name(self, given: Format) -> bytes:
        """Return the name under which an answer in a format is kept."""
        return self.names.narrow if given is self.query.formats[0] else self.names.whole
