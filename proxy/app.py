"""The composition root: settings -> endpoints, plugins, routes and lifetimes. Only this file knows everything."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace

from aiohttp import web

from proxy.callers import Callers
from proxy.contract import CONTEXT, REQUEST_ID, STARTED, Context, Endpoint, Query, Reply, Run, compose
from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from proxy.endpoints.http import HttpEndpoint
from proxy.errors import NotAcceptable
from proxy.graphs import profiles
from proxy.headers import ACCEPT_POST, CommonHeaders
from proxy.health import HealthPages, metrics_route
from proxy.loader import Loaded
from proxy.observe import PrometheusMetrics, QueryMetrics
from proxy.results import Format, can_transcode, checked, transcoded
from proxy.settings import EndpointTable, Settings
from proxy.targets import refuse_targets
from proxy.web import SparqlPages, edge, expectation, guarded


def build(loaded: Loaded) -> web.Application:
    """Return the application of one worker."""
    settings = loaded.settings
    metrics = PrometheusMetrics()
    queries = QueryMetrics(metrics)
    callers = Callers(settings.server, settings.keys)
    prefixes = _prefixes(settings)
    endpoints = {name: _endpoint(name, table, settings, prefixes[name]) for name, table in settings.endpoints.items()}
    run = queries.measured(compose(loaded.plugins, _innermost(endpoints, settings)))
    context = Context(run=run, endpoints=endpoints, metrics=metrics, clock=time.monotonic)

    app = web.Application(middlewares=[edge(callers)], client_max_size=settings.server.max_body_bytes)
    app[CONTEXT] = context
    pages = SparqlPages(settings, prefixes, callers, queries, run).routes()
    routes = [
        *pages,
        *HealthPages(endpoints).routes(),
        *(route for plugin in loaded.plugins for route in plugin.routes()),
    ]
    if not settings.server.metrics_bind:
        routes.append(metrics_route(metrics))
    expect = expectation(settings.server.max_body_bytes)
    for route in routes:
        app.router.add_route(route.method, route.path, guarded(route, callers), expect_handler=expect)

    async def lifetimes(_: web.Application) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for endpoint in endpoints.values():
                await stack.enter_async_context(endpoint.lifespan())
            for plugin in loaded.plugins:
                await stack.enter_async_context(plugin.lifespan(context))
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


def _endpoint(name: str, table: EndpointTable, settings: Settings, prefixes: Mapping[str, str]) -> Endpoint:
    if table.store is None:
        return HttpEndpoint(name, table, prefixes, settings.server.contact)
    return EmbeddedEndpoint(
        name,
        EmbeddedSettings(
            store=table.store,
            readers=table.places,
            memory_bytes=table.reader_memory_bytes,
            total_s=table.total_s,
            queue=table.queue,
            queue_s=table.queue_s,
            prefixes=prefixes,
        ),
    )


def _prefixes(settings: Settings) -> Mapping[str, Mapping[str, str]]:
    """Return the prefixes that each endpoint implies."""
    graphs = profiles(settings.graphs)
    return {name: graphs[table.graph].prefixes for name, table in settings.endpoints.items()}


def _innermost(endpoints: Mapping[str, Endpoint], settings: Settings) -> Run:
    """Return the run below all plugins: ask the endpoint, check what comes, and turn it into what the client takes."""

    async def run(query: Query) -> Reply:
        refuse_targets(query, settings.endpoints[query.endpoint])
        reply = await endpoints[query.endpoint].run(query)
        try:
            return reply if reply.format is None else _delivered(query, reply, reply.format)
        except BaseException:
            await reply.aclose()
            raise

    return run


def _delivered(query: Query, reply: Reply, given: Format) -> Reply:
    """Check the answer, and turn it into the best format that the client takes and we can make.

    Raises NotAcceptable where there is none.
    """
    chunks = checked(reply.chunks, given, reply.state)
    for target in query.formats:
        if target is given:
            return replace(reply, chunks=chunks)
        if can_transcode(given, target, query.form):
            return replace(reply, format=target, version=None, chunks=transcoded(chunks, given, target, query.form))
    taken = ", ".join(fmt.media_type for fmt in query.formats)
    raise NotAcceptable(f"The endpoint answers in {given.media_type}, which cannot be turned into {taken}.")
