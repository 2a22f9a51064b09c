"""How many queries reach the endpoint when many clients ask the same one at once and nobody has its answer yet."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from tests import stage
from tests.bench.cache.servers import CACHE
from tests.bench.hop.hops import saga
from tests.cached import ask
from tests.upstream import Answer, Upstream

# Long enough for all clients to come while the first one waits.
_ANSWER_S = 1.0


class Cold(NamedTuple):
    """What many equal queries caused: answers with 200, and queries at the endpoint."""

    answered: int
    asked: int


async def cold(clients: int, body: bytes) -> Cold:
    """Ask one query from so many clients at once, through a proxy that was just started."""
    with tempfile.TemporaryDirectory(prefix="saga-cold-") as name:
        async with Upstream(Answer(body=body, before_head_s=_ANSWER_S)) as upstream:
            # Starting it asks the endpoint nothing, so the loop may wait.
            with saga(Path(name), CACHE, urlsplit(upstream.url).netloc, stage.ROOT) as served:
                url = f"http://{served.address}/sparql"
                replies = await asyncio.gather(*(ask(url) for _ in range(clients)))
                return Cold(answered=sum(each.status == 200 for each in replies), asked=len(upstream.sent))
