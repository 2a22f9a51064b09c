"""Pages for whoever watches: is the process up, can its parts be used, and the series of Prometheus."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from aiohttp import web

from proxy.contract import Endpoint, Health, Route
from proxy.series import PrometheusMetrics

_HEALTH_S = 2.0
# Says what is wrong with a part, nothing where it can be used.
Part = Callable[[], Awaitable[str]]


class HealthPages:
    """Tell an orchestrator whether the process lives and whether its parts can be used."""

    def __init__(self, endpoints: Mapping[str, Endpoint], parts: Mapping[str, Part]) -> None:
        self._endpoints = endpoints
        self._parts = parts

    def routes(self) -> Sequence[Route]:
        """Return the two pages."""
        pages = (("/health/live", self.live), ("/health/ready", self.ready))
        # Probes like to send HEAD.
        return [Route(method=m, path=path, handler=page, right=None) for path, page in pages for m in ("GET", "HEAD")]

    async def live(self, request: web.Request) -> web.Response:
        """Answer, which is all that is asked."""
        return web.json_response({"status": "ok"})

    async def ready(self, request: web.Request) -> web.Response:
        """Ask every endpoint and part at once; 503 where an endpoint cannot be used, since queries need no more."""
        endpoints, parts = await asyncio.gather(
            _asked({name: _health(each) for name, each in self._endpoints.items()}),
            _asked({name: _problem(each) for name, each in self._parts.items()}),
        )
        ok = all(each["ok"] for each in endpoints.values())
        body = {"status": "ok" if ok else "unavailable", "endpoints": endpoints, **parts}
        return web.json_response(body, status=200 if ok else 503)


async def _asked(questions: Mapping[str, Awaitable[Health]]) -> dict[str, dict[str, object]]:
    found = await asyncio.gather(*map(_timely, questions.values()))
    return {name: {"ok": each.ok, "detail": each.detail} for name, each in zip(questions, found, strict=True)}


async def _timely(question: Awaitable[Health]) -> Health:
    try:
        async with asyncio.timeout(_HEALTH_S):
            return await question
    except TimeoutError:
        return Health(ok=False, detail=f"no answer within {_HEALTH_S:g} s")


async def _health(endpoint: Endpoint) -> Health:
    return await endpoint.health()


async def _problem(part: Part) -> Health:
    problem = await part()
    return Health(ok=not problem, detail=problem)


def metrics_route(metrics: PrometheusMetrics) -> Route:
    """Return the page that Prometheus scrapes."""

    async def page(request: web.Request) -> web.Response:
        body = await asyncio.to_thread(metrics.exposition)
        return web.Response(body=body, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    return Route(method="GET", path="/metrics", handler=page, right=None)
