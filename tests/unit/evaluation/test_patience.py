"""Retries: bounded, and in vain once only."""

from __future__ import annotations

from plugins.evaluation.patience import Patience


class Endpoint:
    """Gone for so many attempts, then there."""

    def __init__(self, gone: int) -> None:
        self.gone = gone
        self.attempts = 0

    async def __call__(self) -> bool:
        self.attempts += 1
        return self.attempts > self.gone


async def attempts(patience: Patience, gone: int) -> tuple[bool, int]:
    endpoint = Endpoint(gone)
    return await patience.until(endpoint, lambda there: not there), endpoint.attempts


async def test_what_comes_back_in_time_is_waited_for() -> None:
    patience = Patience(3, first_s=0.001)
    assert await attempts(patience, 0) == (True, 1)
    assert await attempts(patience, 3) == (True, 4)


async def test_after_retries_in_vain_others_are_tried_once_until_one_succeeds() -> None:
    patience = Patience(3, first_s=0.001)
    assert await attempts(patience, 9) == (False, 4)
    assert await attempts(patience, 9) == (False, 1)
    assert await attempts(patience, 0) == (True, 1)
    assert await attempts(patience, 9) == (False, 4)


async def test_no_retries_are_none() -> None:
    assert await attempts(Patience(0), 1) == (False, 1)
