"""Pages for whoever watches: is the process up, can its parts be used, and the series of Prometheus."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from aiohttp import web

from proxy.contract import Endpoint, Route
from proxy.series import PrometheusMetrics

_HEALTH_S = 2.0


class HealthPages:
    """Tell an orchestrator whether the process lives and whether its parts can be used."""

    def __init__(self, endpoints: Mapping[str, Endpoint]) -> None:
        self._endpoints = endpoints

    def routes(self) -> Sequence[Route]:
        """Return the two pages."""
        pages = (("/health/live", self.live), ("/health/ready", self.ready))
        # Probes like to send HEAD.
        return [Route(method=m, path=path, handler=page, right=None) for path, page in pages for m in ("GET", "HEAD")]

    async def live(self, request: web.Request) -> web.Response:
        """Answer, which is all that is asked."""
        return web.json_response({"status": "ok"})

    async def ready(self, request: web.Request) -> web.Response:
        """Ask every endpoint at once; 503 where one cannot be used."""
        parts = await asyncio.gather(*(self._part(endpoint) for endpoint in self._endpoints.values()))
        ok = all(part["ok"] for part in parts)
        body = {"status": "ok" if ok else "unavailable", "endpoints": dict(zip(self._endpoints, parts, strict=True))}
        return web.json_response(body, status=200 if ok else 503)

    async def _part(self, endpoint: Endpoint) -> dict[str, object]:
        try:
            async with asyncio.timeout(_HEALTH_S):
                health = await endpoint.health()
        except TimeoutError:
            return {"ok": False, "detail": f"no answer within {_HEALTH_S:g} s"}
        return {"ok": health.ok, "detail": health.detail}


def metrics_route(metrics: PrometheusMetrics) -> Route:
    """Return the page that Prometheus scrapes."""

    async def page(request: web.Request) -> web.Response:
        body = await asyncio.to_thread(metrics.exposition)
        return web.Response(body=body, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    return Route(method="GET", path="/metrics", handler=page, right=None)
