"""The knowledge log: what came of the last actions, in a line each. Source: SAGA, appendix F.2."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from typing import Literal

from plugins.schema.annotation import tidy

Kind = Literal["ok", "fail", "info"]
MOST_LINES = 6
# So many queries with one property that all came to nothing, and the way itself is wrong.
_STUCK = 3


class KnowledgeLog:
    """Keep the last six outcomes, and count what never worked."""

    def __init__(self) -> None:
        self._lines: deque[tuple[Kind, str]] = deque(maxlen=MOST_LINES)
        self._failures: Counter[str] = Counter()
        self._worked: set[str] = set()

    @property
    def lines(self) -> tuple[tuple[Kind, str], ...]:
        """The outcomes, the latest last."""
        return tuple(self._lines)

    def add(self, kind: Kind, text: str) -> None:
        """Take note of an outcome. The same one again moves to the end."""
        line = (kind, tidy(text))
        if line in self._lines:
            self._lines.remove(line)
        self._lines.append(line)

    def worked(self, properties: Iterable[str]) -> None:
        """Take note that a query with these properties found something."""
        self._worked.update(properties)

    def failed(self, properties: Iterable[str]) -> tuple[str, ...]:
        """Take note that a query with these properties came to nothing; return those with which none ever did."""
        given = tuple(dict.fromkeys(properties))
        self._failures.update(given)
        return tuple(each for each in given if each not in self._worked and self._failures[each] >= _STUCK)
