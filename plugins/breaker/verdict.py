"""What an error says about the endpoint: nothing, a failure, a doubt, or that it asks for rest.

Endpoints translate the errors of the HTTP client and keep them as the cause, which is where the difference shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

import aiohttp

from proxy.errors import Overloaded, Truncated, UpstreamFailed, UpstreamTimeout

Reason = Literal["connect", "busy", "reset"]


class Kind(Enum):
    """What an error says about the endpoint."""

    NEUTRAL = "nothing: the query, the client or a limit of ours ended it"
    DOWN = "nobody is there"
    DOUBT = "it answered with something unusable, or not in time; its next query may be answered"
    REST = "it asks for a pause"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Hold what an error says. Shapes: ``reason`` is why it is worth another try, None where it is not.

    Units: ``rest_s`` in seconds.
    """

    kind: Kind
    reason: Reason | None = None
    rest_s: float = 0.0


NEUTRAL = Verdict(kind=Kind.NEUTRAL)
_DOUBT = Verdict(kind=Kind.DOUBT)


def verdict(error: BaseException) -> Verdict:
    """Return what an error from below says of the endpoint."""
    if isinstance(error, Overloaded):
        return _overloaded(error)
    if isinstance(error, UpstreamTimeout):
        return _timeout(error)
    if isinstance(error, UpstreamFailed):
        return _failed(error)
    # An answer that broke before its first byte.
    return Verdict(kind=Kind.DOUBT, reason="reset") if isinstance(error, Truncated) else NEUTRAL


def _overloaded(error: Overloaded) -> Verdict:
    """Rest for as long as the endpoint asks. A 503 that asks for nothing may be about the one query."""
    if error.wait_s is None:
        return _DOUBT
    return Verdict(kind=Kind.REST, reason="busy", rest_s=float(error.wait_s))


def _timeout(error: UpstreamTimeout) -> Verdict:
    """Tell who could not be reached from who was silent, and both from an engine that kept its own time limit."""
    if isinstance(error.__cause__, aiohttp.ConnectionTimeoutError):
        return Verdict(kind=Kind.DOWN, reason="connect")
    return _DOUBT if isinstance(error.__cause__, TimeoutError) else NEUTRAL


def _failed(error: UpstreamFailed) -> Verdict:
    cause = error.__cause__
    if isinstance(cause, aiohttp.ClientConnectorError):
        return Verdict(kind=Kind.DOWN, reason="connect")
    if isinstance(cause, aiohttp.ServerDisconnectedError | ConnectionError | aiohttp.ClientOSError):
        return Verdict(kind=Kind.DOUBT, reason="reset")
    return _DOUBT
