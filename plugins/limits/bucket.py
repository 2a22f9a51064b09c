"""A token bucket: so much per minute, all of it at once where it was saved."""

from __future__ import annotations

_MINUTE_S = 60.0
# Whoever waits as long as it was told must not find a millionth of a token missing.
_DIGITS = 6


class Bucket:
    """Hold at most one minute's tokens; they come back evenly. It may be overdrawn, and then fills from below zero.

    Units: moments of one monotonic clock, in seconds.
    """

    def __init__(self, per_minute: float, now: float) -> None:
        self._capacity = per_minute
        self._level = per_minute
        self._at = now

    def wait_s(self, tokens: float, now: float) -> float:
        """Return the seconds until so many tokens are there; 0 where they are."""
        missing = min(tokens, self._capacity) - self._filled(now)
        return max(0.0, round(missing * _MINUTE_S / self._capacity, _DIGITS))

    def take(self, tokens: float, now: float) -> None:
        """Take tokens, also such as are not there."""
        self._level = self._filled(now) - tokens
        self._at = now

    def _filled(self, now: float) -> float:
        return min(self._capacity, self._level + (now - self._at) * self._capacity / _MINUTE_S)
