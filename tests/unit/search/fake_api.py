"""A server of the shape of Wikidata's wbsearchentities, that does what a test tells it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.unit.search.graphs import WD


@dataclass(slots=True, kw_only=True)
class FakeApi:
    """Answer searches: from ``known`` by label, or as ``status``, ``body``, ``headers`` and ``wait_s`` say."""

    known: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    hold: asyncio.Event | None = None
    asked: list[dict[str, str]] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    url: str = ""
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def template(self) -> str:
        """The address as a configuration has it."""
        return (
            self.url + "/w/api.php?action=wbsearchentities&format=json&search={text}&language={language}"
            "&uselang={language}&type={kind}&limit={limit}"
        )

    async def arrival(self, count: int) -> None:
        """Wait until so many have asked."""
        async with asyncio.timeout(30), self._changed:
            await self._changed.wait_for(lambda: len(self.asked) >= count)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one search."""
        fields = dict(request.rel_url.query)
        self.asked.append(fields)
        self.agents.append(request.headers.get("User-Agent", ""))
        async with self._changed:
            self._changed.notify_all()
        if self.hold is not None:
            await self.hold.wait()
        if self.body is not None or self.status != 200:
            return web.Response(status=self.status, body=self.body or b"", headers=self.headers)
        found = [
            each for each in self.known.get(fields["type"], ()) if fields["search"].lower() in each["label"].lower()
        ]
        document = {"searchinfo": {"search": fields["search"]}, "search": found[: int(fields["limit"])], "success": 1}
        return web.Response(body=json.dumps(document).encode(), content_type="application/json")


def result(name: str, label: str, description: str = "") -> dict[str, Any]:
    """Return one result as the API has it."""
    return {
        "id": name,
        "title": name,
        "concepturi": f"{WD}{name}",
        "repository": "wikidata",
        "url": f"//www.wikidata.org/wiki/{name}",
        "display": {"label": {"value": label, "language": "en"}},
        "label": label,
        "description": description,
        "match": {"type": "label", "language": "en", "text": label},
    }


@asynccontextmanager
async def fake_api(**told: Any) -> AsyncIterator[FakeApi]:
    """Serve one on loopback."""
    fake = FakeApi(**told)
    app = web.Application()
    app.router.add_get("/w/api.php", fake.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        address = runner.addresses[0]
        fake.url = f"http://127.0.0.1:{address[1]}"
        yield fake
    finally:
        if fake.hold is not None:
            fake.hold.set()
        await runner.cleanup()
