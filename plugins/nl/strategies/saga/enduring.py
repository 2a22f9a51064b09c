"""A tool that fails is an observation, unless the endpoint is gone."""

from __future__ import annotations

from collections.abc import Awaitable

from plugins.nl.model.contract import ModelUnavailable
from plugins.nl.strategies.saga.attempt import Attempt
from plugins.nl.strategies.saga.history import Observation
from proxy.errors import ClientError, ProxyError, TooMany, UpstreamError

_GONE = (502, 503)
_ALIVE_S = 5.0


async def enduring(attempt: Attempt, doing: Awaitable[Observation]) -> Observation:
    """Return what comes of an action; one that takes too long, or is refused, has failed and no more.

    Raises OutOfBudget, ModelUnavailable, TooMany; ProxyError where the endpoint is gone.
    """
    try:
        return await doing
    except (ModelUnavailable, TooMany):
        raise
    except (ClientError, UpstreamError) as error:
        if error.status in _GONE and not await _alive(attempt):
            raise
        attempt.log.add("fail", error.detail)
        return Observation(text=f"[ERROR] {error.detail}", kind="fail", lasting=False)


async def _alive(attempt: Attempt) -> bool:
    try:
        await attempt.tools.asker.table("ASK {}", seconds=_ALIVE_S)
    except ProxyError:
        return False
    return True
