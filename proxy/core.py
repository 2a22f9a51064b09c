"""The proxy without HTTP: endpoints, the chain of plugins around them, and their lifetimes."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from proxy.contract import Context, Endpoint, Query, Reply, Run, compose
from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from proxy.endpoints.failover import FailoverEndpoint
from proxy.endpoints.http import HttpEndpoint
from proxy.errors import NotAcceptable
from proxy.graphs import profiles
from proxy.loader import Loaded
from proxy.observe import QueryMetrics
from proxy.results import Format, can_transcode, checked, transcoded
from proxy.series import PrometheusMetrics
from proxy.settings import EndpointTable, Settings
from proxy.targets import refuse_targets
from proxy.turnstile import Turnstile


class Core:
    """Hold what one process needs to answer queries, whoever asks: the web's pages, or a command.

    Shapes: ``prefixes`` are those that each endpoint implies; ``context`` is what plugins see.
    """

    def __init__(self, loaded: Loaded) -> None:
        settings = loaded.settings
        self._plugins = loaded.plugins
        self.metrics = PrometheusMetrics()
        self.queries = QueryMetrics(self.metrics)
        self.prefixes = _prefixes(settings)
        self.endpoints = {
            name: _endpoint(name, table, settings, self.prefixes[name]) for name, table in settings.endpoints.items()
        }
        chain = compose(loaded.plugins, _innermost(self.endpoints, settings))
        self.context = Context(
            run=self.queries.measured(Turnstile(time.monotonic).before(chain)),
            endpoints=self.endpoints,
            tables=settings.endpoints,
            prefixes=self.prefixes,
            metrics=self.metrics,
            clock=time.monotonic,
            plugins=loaded.plugins,
        )

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[Context]:
        """Run endpoints, then plugins in the order of the list; end them the other way round."""
        async with AsyncExitStack() as stack:
            for endpoint in self.endpoints.values():
                await stack.enter_async_context(endpoint.lifespan())
            for plugin in self._plugins:
                await stack.enter_async_context(plugin.lifespan(self.context))
            yield self.context


def _endpoint(name: str, table: EndpointTable, settings: Settings, prefixes: Mapping[str, str]) -> Endpoint:
    if table.store is None:
        contact = settings.server.contact
        several = [HttpEndpoint(name, replace(table, url=url), prefixes, contact) for url in table.urls]
        return FailoverEndpoint(name, several) if several else HttpEndpoint(name, table, prefixes, contact)
    return EmbeddedEndpoint(
        name,
        EmbeddedSettings(
            store=table.store,
            readers=table.places,
            memory_bytes=table.reader_memory_bytes,
            total_s=table.total_s,
            queue=table.queue,
            queue_s=table.queue_s,
            updates=table.updates,
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
    chunks = checked(reply.chunks, given, reply.state, query.form)
    for target in query.formats:
        if target is given:
            reply.chunks = chunks
            return reply
        if can_transcode(given, target, query.form):
            return replace(reply, format=target, version=None, chunks=transcoded(chunks, given, target, query.form))
    taken = ", ".join(fmt.media_type for fmt in query.formats)
    raise NotAcceptable(f"The endpoint answers in {given.media_type}, which cannot be turned into {taken}.")
