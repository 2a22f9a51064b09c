"""The persistent type state: what every entity and variable that came up is known to be, and how that is known.

Source: SAGA, "Persistent type state" and "Type-Constrained Grounding".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

# How a type is known: the graph says so of an entity, a query demands it, values that were returned have it, the schema
# declares it for a property beside it, or the question asks for it. The first three are facts.
Source = Literal["entity", "pattern", "values", "schema", "question"]
_FACTS: frozenset[Source] = frozenset(("entity", "pattern", "values"))
MOST_SHOWN = 5
_MOST_TYPES = 8


@dataclass(frozen=True, slots=True)
class Known:
    """What something is: class IRIs, and how they are known."""

    types: tuple[str, ...]
    source: Source

    @property
    def sure(self) -> bool:
        """Whether it is a fact and no guess."""
        return self.source in _FACTS


class TypeState:
    """What is known so far, by IRI or by variable with its question mark. Nothing is ever forgotten.

    Shapes: ``evidence`` holds, by the id of a property without a declared range, what values of it were in this run.
    It guides, and is never written to the index.
    """

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self.evidence: dict[str, tuple[str, ...]] = {}

    def learn(self, key: str, types: Iterable[str], source: Source) -> bool:
        """Take note of types, and say whether they are news. A guess never takes the place of a fact."""
        found = tuple(dict.fromkeys(types))[:_MOST_TYPES]
        before = self._known.get(key)
        known = Known(found, source)
        if not found or (before is not None and before.sure and not known.sure):
            return False
        # The latest stands last: that is what is shown.
        self._known.pop(key, None)
        self._known[key] = known
        return before != known

    def of(self, key: str) -> Known:
        """Return what is known of an entity or a variable."""
        return self._known.get(key, Known((), "question"))

    def recent(self, most: int = MOST_SHOWN) -> list[tuple[str, Known]]:
        """Return what became known last, the latest last."""
        return list(self._known.items())[-most:]

    @property
    def facts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What became known last and is sure, with its types."""
        return tuple((key, known.types) for key, known in self.recent() if known.sure)

    @property
    def mapping(self) -> dict[str, tuple[str, ...]]:
        """All that is sure, by IRI or variable."""
        return {key: known.types for key, known in self._known.items() if known.sure}


class NoTypeState(TypeState):
    """A state that never learns anything, to measure what learning is worth."""

    def learn(self, key: str, types: Iterable[str], source: Source) -> bool:
        """Forget it at once."""
        return False
