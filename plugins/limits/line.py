"""The line in front of one endpoint: clients take turns, however many queries each of them sends."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque

from proxy.errors import UpstreamBusy

# True is a turn; False was sent away to make room.
_Place = asyncio.Future[bool]


class Line:
    """Let so many queries through at once and so many wait; who waits is served client by client, in a round.

    Where the line is full, whoever has most queries in it makes room for a client with fewer.
    Units: ``longest_s`` in seconds.
    """

    def __init__(self, turns: int, length: int, longest_s: float) -> None:
        self._free = turns
        self._length = length
        self._longest_s = longest_s
        self._waiting: OrderedDict[str, deque[_Place]] = OrderedDict()
        self.waiting = 0

    async def take(self, client: str) -> None:
        """Wait for a turn, to be followed by `give_back`. Raises UpstreamBusy where the line is full or too slow."""
        if self._free:
            # Whoever waits gets a turn the moment it is given back, so here nobody does.
            self._free -= 1
            return
        if self.waiting >= self._length:
            self._make_room(client)
        place: _Place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(place)
        self.waiting += 1
        try:
            async with asyncio.timeout(self._longest_s):
                served = await place
        except TimeoutError:
            self._depart(client, place)
            raise self._busy(f"Your turn did not come within {self._longest_s:g} s.") from None
        except BaseException:
            self._depart(client, place)
            raise
        if not served:
            raise self._busy("The line is full, and others have fewer queries in it.")

    def give_back(self) -> None:
        """Pass the turn on to the client whose round it is, or keep it for the next one who comes."""
        while self._waiting:
            client, places = next(iter(self._waiting.items()))
            place = places.popleft()
            self.waiting -= 1
            if places:
                self._waiting.move_to_end(client)
            else:
                del self._waiting[client]
            if not place.done():
                place.set_result(True)
                return
        self._free += 1

    def _make_room(self, client: str) -> None:
        """Send away the newest query of the client with most. Raises UpstreamBusy where that is the one who comes."""
        own = len(self._waiting.get(client, ()))
        most = max(self._waiting, key=lambda each: len(self._waiting[each]), default=client)
        if own + 1 >= len(self._waiting.get(most, ())):
            raise self._busy(f"{self.waiting} queries wait for this endpoint already.")
        place = self._waiting[most].pop()
        self.waiting -= 1
        if not place.done():
            place.set_result(False)

    def _depart(self, client: str, place: _Place) -> None:
        """Leave the line; a turn that was given in this very moment goes to the next one."""
        places = self._waiting.get(client)
        if places is not None and place in places:
            places.remove(place)
            self.waiting -= 1
            if not places:
                del self._waiting[client]
        elif place.done() and not place.cancelled() and place.result():
            self.give_back()

    def _busy(self, detail: str) -> UpstreamBusy:
        wait_s = max(1, math.ceil(self._longest_s))
        return UpstreamBusy(f"{detail} Try again in {wait_s} s.", headers={"Retry-After": str(wait_s)})
