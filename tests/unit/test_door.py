"""How connections come in: with a loop that is busy, from a crowd, and where the system has no room."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import uvloop

from proxy.door import Door

_CROWD = 200


class _Guest(asyncio.Protocol):
    """Note that it has come in."""

    def __init__(self, inside: list[_Guest]) -> None:
        self._inside = inside

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self._inside.append(self)


@contextlib.contextmanager
def crowd(count: int) -> Iterator[tuple[socket.socket, list[socket.socket]]]:
    """Yield a listening socket, and clients whose connections wait in it."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        yield (
            listener,
            [stack.enter_context(socket.create_connection(listener.getsockname())) for _ in range(count)],
        )


@contextlib.asynccontextmanager
async def door(listener: socket.socket) -> AsyncIterator[tuple[Door, list[_Guest]]]:
    inside: list[_Guest] = []
    opened = Door(listener, lambda: _Guest(inside))
    opened.open()
    try:
        yield opened, inside
    finally:
        await opened.close()
        for guest in inside:
            guest.transport.close()


async def rounds_until(holds: Callable[[], bool], most: int = 1000) -> int:
    """Let the loop go round until something holds, and return how often it went."""
    for number in range(most):
        if holds():
            return number
        # A loop with something to do never waits for the network.
        await asyncio.sleep(0)
    raise AssertionError(f"it did not come in {most} rounds")


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


@contextlib.contextmanager
def no_descriptor_left() -> Iterator[None]:
    """Let this process open nothing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def runner(request: pytest.FixtureRequest) -> Iterator[asyncio.Runner]:
    with asyncio.Runner(loop_factory=request.param) as each:
        yield each


def test_a_crowd_comes_in_within_a_few_rounds_of_a_loop_that_is_busy(runner: asyncio.Runner) -> None:
    async def scene() -> None:
        with crowd(_CROWD) as (listener, _):
            async with door(listener) as (_, inside):
                assert await rounds_until(lambda: len(inside) == _CROWD) < _CROWD / 4

    runner.run(scene())


def test_no_more_than_some_dozens_are_taken_at_once_so_that_workers_share(runner: asyncio.Runner) -> None:
    async def scene() -> None:
        with crowd(_CROWD) as (listener, _), listener.dup() as shared:
            async with door(listener) as (_, one), door(shared) as (_, other):
                await rounds_until(lambda: len(one) + len(other) == _CROWD)
                assert min(len(one), len(other)) > _CROWD / 5

    runner.run(scene())


def test_at_the_close_who_was_taken_is_in_and_who_was_not_is_left_to_another(runner: asyncio.Runner) -> None:
    async def scene() -> None:
        with crowd(_CROWD) as (listener, clients), listener.dup() as shared:
            async with door(listener) as (first, one):
                await rounds_until(lambda: bool(one))
                await first.close()
                taken = len(one)
                async with door(shared) as (_, other):
                    await rounds_until(lambda: len(one) + len(other) == _CROWD)
                    assert len(one) == taken < _CROWD
                    met = {guest.transport.get_extra_info("peername") for guest in (*one, *other)}
                    assert met == {client.getsockname() for client in clients}

    runner.run(scene())


def test_without_room_for_a_connection_it_rests_and_says_so_and_then_goes_on(
    runner: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        with crowd(5) as (listener, _):
            async with door(listener) as (_, inside):
                with no_descriptor_left():
                    await until(lambda: "connections.refused" in caplog.messages)
                    for _ in range(200):
                        await asyncio.sleep(0)
                    assert caplog.messages.count("connections.refused") < 100
                await until(lambda: len(inside) == 5)

    runner.run(scene())
