"""One endpoint behind its circuit: who passes, who waits, and asking whether it lives."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

from plugins.breaker.budget import Budget
from plugins.breaker.circuit import Circuit, Mode, Pass
from plugins.breaker.verdict import Kind, Verdict
from proxy.contract import Endpoint
from proxy.errors import UpstreamBusy


class Guarded:
    """Hold the state of one endpoint. ``changed`` is called with whether it is up and whether the circuit is open.

    Units: times in seconds.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        circuit: Circuit,
        budget: Budget,
        liveness_s: float,
        changed: Callable[[str, bool, bool], None],
    ) -> None:
        self._endpoint = endpoint
        self._circuit = circuit
        self._liveness_s = liveness_s
        self._changed = changed
        self._doubts = asyncio.Event()
        self._up = True
        self._told: tuple[bool, bool] | None = None
        self.budget = budget
        self._tell()

    @property
    def closed(self) -> bool:
        """Whether queries pass."""
        return self._circuit.mode is Mode.CLOSED

    async def watch(self) -> None:
        """Ask `ASK {}` while the circuit is open, and where there is doubt. Runs until it is cancelled."""
        while True:
            await self._doubts.wait()
            self._doubts.clear()
            await self._confirm()
            while not self.closed:
                await asyncio.sleep(self._liveness_s)
                await self._look()

    async def _confirm(self) -> None:
        """Open the circuit where failures that may be the queries' own come from an endpoint that is not there."""
        if not self.closed:
            return
        if await self._lives():
            self._circuit.forgive()
        else:
            self._circuit.open()
        self._tell()

    async def _look(self) -> None:
        """Ask, and believe what it says: whether one query may try before the cool-off has ended, or all may pass."""
        if self.closed:
            return
        if await self._lives():
            self._circuit.revive()
        else:
            self._circuit.go_silent()
        self._tell()

    async def _lives(self) -> bool:
        self._up = (await self._endpoint.health()).ok
        self._tell()
        return self._up

    def rest(self, seconds: float) -> None:
        """Leave the endpoint alone for so long, as others were asked to; a longer pause stands."""
        self._circuit.rest(seconds)

    async def enter(self, patience_s: float) -> Pass:
        """Let a query pass, after the rest of a short pause. Raises UpstreamBusy."""
        while (rest_s := self._circuit.rest_s) > 0:
            patience_s -= rest_s
            if patience_s < 0:
                raise _shut("The endpoint asked for a pause, which holds for everyone here.", rest_s)
            await asyncio.sleep(rest_s)
        given = self._circuit.enter()
        if given is None:
            raise _shut("The endpoint does not answer.", self._circuit.remaining_s)
        return given

    def worked(self, given: Pass) -> None:
        """Note that the endpoint began to answer."""
        self._circuit.worked(given)
        self._up = True
        self._tell()

    def failed(self, given: Pass, why: Verdict) -> None:
        """Note an error, whatever it says."""
        match why.kind:
            case Kind.DOWN:
                self._circuit.failed(given)
            case Kind.DOUBT if self._circuit.doubted(given):
                self._doubts.set()
            case Kind.REST | Kind.NEUTRAL:
                self._circuit.learned_nothing(given)
                self._circuit.rest(why.rest_s)
        if not self.closed:
            self._up = self._up and why.kind is not Kind.DOWN
            self._doubts.set()
        self._tell()

    def _tell(self) -> None:
        now = (self._up, not self.closed)
        if now != self._told:
            self._told = now
            self._changed(self._endpoint.name, *now)


def _shut(detail: str, wait_s: float) -> UpstreamBusy:
    seconds = max(1, math.ceil(wait_s))
    # Where this is cached on the way, an endpoint that came back would stay away.
    headers = {"Retry-After": str(seconds), "Cache-Control": "no-store"}
    return UpstreamBusy(f"{detail} Try again in {seconds} s.", headers=headers)
