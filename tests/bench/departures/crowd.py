"""A crowd of clients that leave: before the first byte, in the middle, at the end, politely or not."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field
from urllib.parse import quote

from proxy.results.formats import Format
from tests import wire
from tests.profiles import results
from tests.upstream import Answer, Sent, Upstream

# What the endpoint does, chosen by the query: the text says which, so that client and endpoint agree.
_SMALL = results(Format.JSON, 5)
_LARGE = results(Format.JSON, 6_000)
# Longer than any client of the crowd stays.
_PATIENCE_S = 30.0
DRIPPING = Answer(body=_LARGE, framing="chunked", between_s=0.01)
_BY_NAME = {
    "quick": Answer(body=_SMALL),
    "late": Answer(body=_SMALL, before_head_s=0.05),
    "silent": Answer(before_head_s=_PATIENCE_S),
    "headers": Answer(body=_SMALL, framing="chunked", before_body_s=_PATIENCE_S),
    "large": Answer(body=_LARGE, framing="chunked"),
    "dripping": DRIPPING,
    "stalled": Answer(body=_LARGE, framing="chunked", cut=300_000, end="stall"),
}
REMOTE = tuple(f"SELECT * {{ ?s ?p '{name}' }}" for name in _BY_NAME)

_CROSS = "?a ?p ?b . ?c ?q ?d . ?e ?r ?f"
LOCAL = (
    "SELECT ?a { ?a ?p ?b } LIMIT 10",
    "SELECT * { ?a ?p ?b } LIMIT 5000",
    f"SELECT * {{ {_CROSS} }}",
    f"SELECT (COUNT(*) AS ?n) {{ {_CROSS} }}",
)


def script(sent: Sent) -> Answer:
    """Answer as the query says."""
    return _BY_NAME[sent.text.split("'")[1]]


@dataclass(slots=True)
class Crowd:
    """Send clients to an address; remember when each left.

    Shapes: ``left`` by the number that stands at the end of a query as a comment.
    Units: moments of the monotonic clock, in seconds; ``stay_s`` is the longest that a client stays.
    """

    url: str
    texts: tuple[str, ...]
    chance: random.Random
    stay_s: float
    left: dict[int, float] = field(default_factory=dict)
    _next: int = 0

    async def visit(self, count: int, at_once: int) -> None:
        """Let so many clients come and leave, so many of them at a time."""
        last = self._next + count

        async def visitor() -> None:
            while self._next < last:
                self._next += 1
                await self._come_and_go(self._next)

        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(visitor())

    async def _come_and_go(self, number: int) -> None:
        chance = self.chance
        body = f"query={quote(chance.choice(self.texts))}%23{number}".encode()
        headers = {"Content-Type": wire.FORM, "Accept": "application/sparql-results+json"}
        if chance.random() < 0.3:
            headers["Accept-Encoding"] = "gzip"
        async with wire.connected(self.url) as (reader, writer):
            writer.write(wire.request(self.url, "POST", headers, body)[: self._sent_bytes(body)])
            await self._stay(reader)
            if chance.random() < 0.5:
                writer.close()
            self.left[number] = time.monotonic()

    def _sent_bytes(self, body: bytes) -> int | None:
        """Say how much of the request is sent: nearly always all, at times not even its end."""
        return None if self.chance.random() < 0.95 else -self.chance.randrange(1, len(body))

    async def _stay(self, reader: asyncio.StreamReader) -> None:
        """Stay for a while, or until some of the answer has come; often in the moment when it does."""
        chance = self.chance
        wanted = chance.choice((0, 0, 1, 100, 5_000, 70_000, 400_000, 10**9))
        moment = chance.random() ** 3 * self.stay_s
        try:
            async with asyncio.timeout(moment if wanted == 0 or chance.random() < 0.5 else self.stay_s):
                if wanted == 0:
                    await asyncio.Event().wait()
                while wanted > 0 and (data := await reader.read(min(wanted, 2**16))):
                    wanted -= len(data)
        except (TimeoutError, ConnectionError):
            pass


async def settled(upstream: Upstream, crowd: Crowd, seconds: float) -> tuple[float, int]:
    """Wait so long at most until the proxy has left the endpoint.

    Returns: how long after its client it left at most, and how many requests it still holds.
    """
    late, held = _lateness(upstream, crowd)
    until = time.monotonic() + seconds
    while held and time.monotonic() < until:
        await asyncio.sleep(0.05)
        late, held = _lateness(upstream, crowd)
    return late, held


def _lateness(upstream: Upstream, crowd: Crowd) -> tuple[float, int]:
    latest, held = 0.0, 0
    for sent in upstream.sent:
        if sent.answered:
            continue
        if sent.left is None:
            held += 1
        else:
            latest = max(latest, sent.left - crowd.left[int(sent.text.rpartition("#")[2])])
    return latest, held
