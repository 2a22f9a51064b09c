"""The endpoint of a soak, with moods. Run as a program, so that nobody else's work makes its answers late.

`python -m tests.bench.soak.moody PORT ADMIN_PORT`: `/sparql` at the first port, also by refusing connections; at the
second, what the soak asks it: `GET /` is what it has seen, `GET /sent/MARK` what became of a query that runs until its
client leaves, and `PUT /mood/NAME` (or no name) is how it feels from now on.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Self

import uvloop
from aiohttp import web

from proxy.door import Door
from proxy.results.formats import Format
from proxy.serve import listen
from tests.profiles import results
from tests.upstream import Answer, Sent, Upstream, _Connection

SMALL = results(Format.JSON, 10)
LARGE = results(Format.JSON, 1_500)

_SLOW_S = 2.5
_LOOK_S = 0.05
_MOST_KEPT = 5_000
# What an endpoint does in its moods; in a good one it answers.
MOODS: Mapping[str, Callable[[], Answer]] = {
    "slow": lambda: Answer(body=SMALL, before_head_s=_SLOW_S),
    "garbage": lambda: Answer(body=b"<html>\x00 not what was asked for"),
    "cut": lambda: Answer(body=LARGE, cut=9_000, end="reset"),
    "stack trace": lambda: Answer(body=LARGE[:-40] + b"\njava.lang.OutOfMemoryError: heap", framing="close"),
    "429": lambda: Answer(status=429, type="text/plain", body=b"slow down", headers=[("Retry-After", "1")]),
    "503": lambda: Answer(status=503, type="text/plain", body=b"overloaded"),
    "half closed": lambda: Answer(raw=b"", end="close"),
    "dead": lambda: Answer(raw=b"", end="close"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What an endpoint has seen until now.

    Shapes: ``busy`` counts the requests that have neither been answered nor left. Units: ``late_s`` is by how much its
    own loop was late at most, in seconds: that much of a wait is not the proxy's.
    """

    requests: int
    connections: int
    busy: int
    late_s: float


class Moody(Upstream):
    """Answer by what the text asks for, while the mood is good."""

    def __init__(self, port: int) -> None:
        super().__init__(self._by_text)
        self._port = port
        self._endless = results(Format.JSON, 200_000)
        self._mood = ""
        self._requests = 0
        self._late_s = 0.0
        # Those that run until their client leaves.
        self._running: list[Sent] = []

    async def __aenter__(self) -> Self:
        """Listen."""
        self._listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Drop everybody."""
        await self._die()

    @property
    def seen(self) -> Seen:
        """What it has seen until now."""
        busy = sum(not each.answered and not each.gone.is_set() for each in self.sent)
        return Seen(requests=self._requests, connections=self.connections, busy=busy, late_s=self._late_s)

    def find(self, mark: str) -> Sent | None:
        """Return the newest request that has a mark in its text, of those that run until their client leaves."""
        return next((each for each in reversed(self._running) if mark in each.text), None)

    async def feel(self, mood: str) -> None:
        """Change the mood: one of MOODS, or none."""
        was, self._mood = self._mood, mood
        if mood == "dead":
            await self._die()
        elif was == "dead":
            self._listen()

    async def watch(self) -> None:
        """Look how late this loop is, for as long as the task runs."""
        while True:
            due = time.monotonic() + _LOOK_S
            await asyncio.sleep(_LOOK_S)
            self._late_s = max(self._late_s, time.monotonic() - due)

    def _by_text(self, sent: Sent) -> Answer:
        text = sent.text
        self._requests += 1
        # It runs for long: what was answered is of no interest any more.
        if len(self.sent) > _MOST_KEPT:
            self.sent[:] = [each for each in self.sent if not each.answered and not each.gone.is_set()]
        if "hangs" in text or "streams" in text:
            self._running.append(sent)
            return Answer(before_head_s=600) if "hangs" in text else self._streamed()
        if "late" in text:
            return Answer(body=SMALL, before_head_s=0.2)
        if self._mood:
            return MOODS[self._mood]()
        return Answer(body=LARGE) if "large" in text else Answer(body=SMALL)

    def _streamed(self) -> Answer:
        return Answer(body=self._endless, framing="chunked", between_s=0.02)

    async def _die(self) -> None:
        """Refuse connections, and drop those that are there."""
        await self._door.close()
        for connection in tuple(self._open):
            await connection.stop()

    def _listen(self) -> None:
        self._door = Door(listen("127.0.0.1", self._port), lambda: _Connection(self))
        self._door.open()


_MOODY = web.AppKey("moody", Moody)


def application(port: int) -> web.Application:
    """Return the server of what the soak asks; the endpoint runs for as long as it does."""

    async def endpoint(app: web.Application) -> AsyncIterator[None]:
        async with Moody(port) as app[_MOODY]:
            watch = asyncio.ensure_future(app[_MOODY].watch())
            yield
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch

    app = web.Application()
    app.cleanup_ctx.append(endpoint)
    app.add_routes([web.get("/", _seen), web.get("/sent/{mark}", _sent), web.put("/mood/{name:.*}", _mood)])
    return app


async def _seen(request: web.Request) -> web.Response:
    return web.json_response(asdict(request.app[_MOODY].seen))


async def _sent(request: web.Request) -> web.Response:
    if (sent := request.app[_MOODY].find(request.match_info["mark"])) is None:
        raise web.HTTPNotFound
    return web.json_response({"left": sent.left})


async def _mood(request: web.Request) -> web.Response:
    await request.app[_MOODY].feel(request.match_info["name"])
    return web.Response(status=204)


def main(arguments: list[str]) -> None:
    """Serve until killed."""
    port, admin = map(int, arguments)
    loop = uvloop.new_event_loop()
    web.run_app(application(port), host="127.0.0.1", port=admin, access_log=None, print=None, loop=loop)


if __name__ == "__main__":
    main(sys.argv[1:])
