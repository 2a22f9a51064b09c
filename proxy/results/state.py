"""What is known of an answer, while it streams and at its end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Completeness(StrEnum):
    """Whether an answer is whole. OPEN until its last byte was read."""

    OPEN = "open"
    COMPLETE = "complete"
    PARTIAL = "partial"
    BROKEN = "broken"


@dataclass(slots=True)
class State:
    """Grow with the answer that it describes.

    Shapes: ``rows`` are solutions or triples, exact only once the state is not OPEN; ``boolean`` is the answer of an
    ASK. ``partial`` is why an answer that ends cleanly is not whole: ``anytime``, ``row_cap`` or ``limit``.
    ``sent`` is whether its head has gone out to a client, which then can only be cut off. ``arrived`` is whether all of
    it had come from the endpoint when its first byte was there, so that nobody waits for the next.
    Units: ``size`` in bytes, as the endpoint gave them.
    """

    completeness: Completeness = Completeness.OPEN
    partial: str | None = None
    rows: int = 0
    boolean: bool | None = None
    size: int = 0
    sent: bool = False
    arrived: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing was found: no row, no triple, or false."""
        return self.rows == 0 and not self.boolean
