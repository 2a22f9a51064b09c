"""The endpoints behind the proxy: one in this process, with moods, and two stores; and the proxy's configuration."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from proxy.door import Door
from proxy.results.formats import Format
from proxy.serve import listen
from tests import stage
from tests.profiles import results
from tests.upstream import Answer, Sent, Upstream, _Connection

SMALL = results(Format.JSON, 10)
LARGE = results(Format.JSON, 1_500)
FLOOD_KEY, LOAD_KEY = "flood-of-the-soak", "load-of-the-soak"

_SLOW_S = 2.5
_ENDLESS = results(Format.JSON, 200_000)
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


class Moody(Upstream):
    """Answer by what the text asks for, while the mood is good."""

    def __init__(self) -> None:
        super().__init__(self._by_text)
        self.mood = ""

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        self._listen(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Drop everybody."""
        await self.die()

    @property
    def url(self) -> str:
        """The address to configure."""
        return f"http://127.0.0.1:{self._port}/sparql"

    def _by_text(self, sent: Sent) -> Answer:
        text = sent.text
        # It runs for long: what was answered is of no interest any more.
        if len(self.sent) > 5_000:
            self.sent[:] = [each for each in self.sent if not each.answered and not each.gone.is_set()]
        if "hangs" in text:
            return Answer(before_head_s=600)
        if "streams" in text:
            return Answer(body=_ENDLESS, framing="chunked", between_s=0.02)
        if "late" in text:
            return Answer(body=SMALL, before_head_s=0.2)
        if self.mood:
            return MOODS[self.mood]()
        return Answer(body=LARGE) if "large" in text else Answer(body=SMALL)

    @property
    def busy(self) -> int:
        """How many requests have neither been answered nor left."""
        return sum(not each.answered and not each.gone.is_set() for each in self.sent)

    def find(self, mark: str) -> Sent | None:
        """Return the request that has a mark in its text."""
        return next((each for each in reversed(self.sent) if mark in each.text), None)

    async def die(self) -> None:
        """Refuse connections, and drop those that are there."""
        await self._door.close()
        for connection in tuple(self._open):
            await connection.stop()

    async def revive(self) -> None:
        """Listen again, on the same port."""
        self._listen(self._port)

    def _listen(self, port: int) -> None:
        # A server of uvloop's takes one connection in each round of this loop, which is busy with the clients, too.
        listener = listen("127.0.0.1", port)
        self._port = listener.getsockname()[1]
        self._door = Door(listener, lambda: _Connection(self))
        self._door.open()


def configuration(folder: Path, calm: str, stormy: str, redis: str) -> str:
    """Return the proxy's configuration: all plugins on, one endpoint of each kind."""
    demo = stage.demo_store(folder / "demo")
    notes = stage.demo_store(folder / "notes")
    keys = "".join(
        f'[keys.{name}]\nsha256 = "{hashlib.sha256(key.encode()).hexdigest()}"\nrights = ["query", "update"]\n'
        for name, key in (("load", LOAD_KEY), ("flood", FLOOD_KEY))
    )
    remote = "".join(
        f'[endpoints.{name}]\nurl = "{url}"\nfirst_byte_s = {first_byte_s}\nconcurrency = {places}\nqueue = 1000\n'
        for name, url, first_byte_s, places in (
            # It answers from the loop of the clients: where that is busy, many are on their way.
            ("calm", calm, 30, 512),
            ("left", calm, 30, 64),
            ("killed", calm, 600, 64),
            ("flooded", calm, 30, 64),
            ("stormy", stormy, 2, 64),
        )
    )
    index = stage.ROOT / "config" / "demo" / "schema.index"
    return f"""
[server]
head_s = 5.0
[plugins]
enabled = ["plugins.admin", "plugins.limits", "plugins.schema.guard", "plugins.cache", "plugins.breaker"]
[limits]
requests_per_minute = 0
concurrent = 0
upstream_s_per_minute = 0
redis = "{redis}"
[limits.keys.flood]
requests_per_minute = 60
[cache]
redis = "{redis}"
max_bytes = 4194304
ttl_s = 5.0
[breaker]
cool_off_s = 1.0
liveness_s = 0.5
patience_s = 0.5
redis = "{redis}"
{keys}{remote}
[endpoints.demo]
store = "{demo}"
graph = "wikidata"
guard = "block"
schema = "{index}"
queue_s = 30.0
[endpoints.notes]
store = "{notes}"
updates = true
concurrency = 1
queue_s = 30.0
"""
