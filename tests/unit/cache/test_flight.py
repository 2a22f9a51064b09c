from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from plugins.cache.entry import Entry, Packer, Packing
from plugins.cache.flight import Flight, Room
from plugins.cache.flights import Flights
from plugins.cache.progress import Stage
from proxy.contract import Query, Reply
from proxy.errors import Truncated
from proxy.results import Format
from tests.unit.cache.questions import query
from tests.unit.cache.test_entry import entry

ROOM_BYTES = 1_000


class Source:
    """Stand for the chain below: it sends pieces when it is told to, and notes who frees it."""

    def __init__(self, pieces: int, size: int = 100, error: Exception | None = None) -> None:
        self.pieces = pieces
        self.size = size
        self.error = error
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.sent = 0
        self.freed = 0

    async def run(self, _: Query) -> Reply:
        return Reply(format=Format.JSON, chunks=self._chunks(), release=self._release)

    async def _chunks(self) -> AsyncIterator[bytes]:
        for _ in range(self.pieces):
            await self.go_on.wait()
            self.sent += 1
            yield b"x" * self.size
        if self.error is not None:
            raise self.error

    async def _release(self) -> None:
        self.freed += 1


def started(flights: Flights, source: Source, name: bytes = b"a") -> Flight:
    def keep(_: Reply, packing: Packing) -> Entry:
        return entry(b"x" * packing.size)

    async def journey(flight: Flight) -> None:
        await flight.fly(query(), source.run, keep)

    return flights.lead(name, journey)


def flights() -> Flights:
    return Flights(Packer(), ROOM_BYTES, ROOM_BYTES)


async def body(reply: Reply) -> bytes:
    return b"".join([chunk async for chunk in reply.chunks])


async def test_a_leader_gets_all_and_the_endpoint_is_freed_once() -> None:
    source = Source(5)
    async with flights() as sky:
        flight = started(sky, source)
        await flight.progress.until(Stage.OPENED)
        async with flight.reply({"X": "y"}) as reply:
            assert await body(reply) == b"x" * 500
            assert reply.headers == {"X": "y", "ETag": entry(b"x" * 500).etag}
        await asyncio.sleep(0)
        assert (source.freed, len(sky), sky.get(b"a")) == (1, 0, None)


async def test_a_leader_that_does_not_read_holds_at_most_the_room_and_the_rest_stays_at_the_endpoint() -> None:
    source = Source(100)
    async with flights() as sky:
        flight = started(sky, source)
        await flight.progress.until(Stage.LANDED)
        assert (flight.entry, flight.error) == (None, None)
        assert source.sent == 11
        assert source.freed == 0
        async with flight.reply({}) as reply:
            assert await body(reply) == b"x" * 10_000
        assert source.freed == 1


async def test_answers_on_their_way_share_the_room_and_give_it_back() -> None:
    first, second, third = Source(8), Source(8), Source(8)
    async with flights() as sky:
        one = started(sky, first, b"1")
        await one.progress.until(Stage.LANDED)
        assert one.entry is not None
        other = started(sky, second, b"2")
        await other.progress.until(Stage.LANDED)
        assert (other.entry, second.sent) == (None, 3)
        await one.leave_lead()
        async with other.reply({}) as reply:
            assert await body(reply) == b"x" * 800
        last = started(sky, third, b"3")
        await last.progress.until(Stage.LANDED)
        assert last.entry is not None
        await last.leave_lead()


async def test_the_last_one_who_leaves_frees_the_endpoint_before_it_is_gone() -> None:
    source = Source(5)
    source.go_on.clear()
    async with flights() as sky:
        flight = started(sky, source)
        follower = asyncio.ensure_future(flight.wait(10))
        await flight.progress.until(Stage.OPENED)
        await flight.leave_lead()
        assert (source.freed, sky.get(b"a")) == (0, flight)
        follower.cancel()
        with pytest.raises(asyncio.CancelledError):
            await follower
        assert (source.freed, sky.get(b"a"), len(sky)) == (1, None, 0)


async def test_what_came_before_an_error_reaches_the_leader_and_then_the_error() -> None:
    source = Source(3, error=Truncated("cut"))
    async with flights() as sky:
        flight = started(sky, source)
        await flight.progress.until(Stage.LANDED)
        chunks = flight.reply({}).chunks
        assert [await anext(chunks) for _ in range(3)] == [b"x" * 100] * 3
        with pytest.raises(Truncated):
            await anext(chunks)
        assert isinstance(flight.error, Truncated)
        await flight.leave_lead()
        assert source.freed == 1


async def test_everybody_gets_an_error_of_their_own_with_its_cause() -> None:
    """Its cause is how the breaker tells that nobody is there."""
    problem = Truncated("cut", private="secret", headers={"Retry-After": "1"})
    problem.__cause__ = ConnectionRefusedError()
    async with flights() as sky:
        flight = started(sky, Source(0, error=problem))
        await flight.progress.until(Stage.LANDED)
        seen: list[Truncated] = []
        for _ in range(2):
            with pytest.raises(Truncated) as caught:
                flight.fail()
            seen.append(caught.value)
        await flight.leave_lead()
    assert len({id(each) for each in (problem, flight.error, *seen)}) == 4
    for each in seen:
        assert (each.detail, each.private, each.headers) == ("cut", "secret", {"Retry-After": "1"})
        assert isinstance(each.__cause__, ConnectionRefusedError)
    assert flight.error is not None
    assert flight.error.__traceback__ is None


async def test_a_fault_reaches_who_waits_and_stops_nothing_else() -> None:
    source = Source(1, error=ZeroDivisionError())
    async with flights() as sky:
        flight = started(sky, source)
        await flight.progress.until(Stage.LANDED)
        assert isinstance(flight.error, ZeroDivisionError)
        await flight.leave_lead()
        other = started(sky, Source(1))
        await other.progress.until(Stage.LANDED)
        assert other.entry is not None
        await other.leave_lead()


async def test_the_end_of_the_application_ends_all() -> None:
    source = Source(5)
    source.go_on.clear()
    async with flights() as sky:
        flight = started(sky, source)
        await flight.progress.until(Stage.OPENED)
    assert source.freed == 1
    assert flight.progress.stage is Stage.LANDED


def test_room_is_bounded_and_comes_back() -> None:
    room = Room(10)
    assert room.take(10)
    assert not room.take(1)
    room.give_back(11)
    assert room.take(10)
