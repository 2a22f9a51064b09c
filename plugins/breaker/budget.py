"""How many queries may be sent twice: a share of all, so that retries never multiply an outage."""

from __future__ import annotations

_MOST = 10.0


class Budget:
    """Earn a share of a retry with each query; a few can be saved up. The first one is lent."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._saved = 1.0 if share else 0.0

    def earn(self) -> None:
        """Count a query."""
        self._saved = min(_MOST, self._saved + self._share)

    def spend(self) -> bool:
        """Pay for one retry, where that can be paid."""
        # Ten times a tenth is a little less than one.
        if self._saved < 1.0 - 1e-9:
            return False
        self._saved -= 1.0
        return True
