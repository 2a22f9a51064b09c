"""A strategy that remembers aloud and costs money. Workers import it, so that it stands apart from the tests."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from plugins.nl.contract import Event, Work, thought

SPENDS = f"{__name__}:Spends"


class Spends:
    """Say what was asked before, the oldest first, for half of the money."""

    name = "spends"

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Spend it."""
        work.budget.spend("money", 0.5)
        yield thought(" ".join(turn.question for turn in work.question.history))
