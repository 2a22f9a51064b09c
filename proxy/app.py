"""The composition root: a core, its pages, and what stands on every response."""

from __future__ import annotations

from collections.abc import AsyncIterator

from aiohttp import web

from proxy.callers import Callers
from proxy.contract import CONTEXT, REQUEST_ID, STARTED
from proxy.core import Core
from proxy.headers import ACCEPT_POST, CommonHeaders
from proxy.health import HealthPages, metrics_route
from proxy.loader import Loaded
from proxy.series import PrometheusMetrics
from proxy.web import SparqlPages, edge, expectation, guarded


def build(loaded: Loaded) -> web.Application:
    """Return the application of one worker."""
    settings = loaded.settings
    core = Core(loaded)
    callers = Callers(settings.server, settings.keys)
    app = web.Application(middlewares=[edge], client_max_size=settings.server.max_body_bytes)
    app[CONTEXT] = core.context
    pages = SparqlPages(settings, core.prefixes, callers, core.queries, core.context.run).routes()
    routes = [
        *pages,
        *HealthPages(core.endpoints, core.context.parts).routes(),
        *(route for plugin in loaded.plugins for route in plugin.routes()),
    ]
    if not settings.server.metrics_bind:
        routes.append(metrics_route(core.metrics))
    expect = expectation(settings.server.max_body_bytes)
    for route in routes:
        app.router.add_route(route.method, route.path, guarded(route, callers), expect_handler=expect)

    async def lifetimes(_: web.Application) -> AsyncIterator[None]:
        async with core.lifespan():
            yield

    app.cleanup_ctx.append(lifetimes)
    common = CommonHeaders(settings.server.cors_origins)
    sparql = {route.path for route in pages}

    async def prepare(request: web.Request, response: web.StreamResponse) -> None:
        request[STARTED] = True
        common.lay(response.headers, request.headers, request.method, request[REQUEST_ID])
        if request.path in sparql:
            response.headers["Accept-Post"] = ACCEPT_POST

    app.on_response_prepare.append(prepare)
    return app


def metrics_app(app: web.Application) -> web.Application:
    """Return the small application that serves /metrics on an address of its own."""
    metrics = app[CONTEXT].metrics
    assert isinstance(metrics, PrometheusMetrics)
    page = web.Application()
    route = metrics_route(metrics)
    page.router.add_route(route.method, route.path, route.handler)
    return page
