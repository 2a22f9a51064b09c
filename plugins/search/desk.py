"""What an endpoint is searched with: its index, a remote search, its own labels; the first that finds anything."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import aiohttp

from plugins.schema.annotation import side_text, tidy
from plugins.schema.index import Index as Schema
from plugins.search.automatic import Automatic
from plugins.search.folder import LIST
from plugins.search.hit import LIMIT, MOST_HITS, Hit, Kind, Source
from plugins.search.index import Index
from plugins.search.labels import Labels
from plugins.search.options import SearchEndpoint, SearchOptions, index_of
from plugins.search.profile import profile
from plugins.search.remote import Remote
from plugins.search.shelf import Shelf
from proxy.contract import Context
from proxy.errors import ConfigError, ProxyError

log = logging.getLogger("saga")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Consulted:
    """One source that was asked: whether it found anything, nothing, or why it could not answer."""

    source: Source
    state: Literal["found", "nothing", "failed"]
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Hits, the best first, and which sources were asked for them."""

    hits: list[Hit]
    consulted: tuple[Consulted, ...]


class Desk:
    """Search one endpoint's graph. This is a `Searcher`."""

    def __init__(
        self,
        endpoint: str,
        shelf: Shelf[Index] | None = None,
        remote: Remote | None = None,
        labels: Labels | None = None,
        schema: Shelf[Schema] | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._shelf = shelf
        self._others: Sequence[tuple[Source, Remote | Labels | None]] = (("remote", remote), ("labels", labels))
        self._schema = schema

    @property
    def problem(self) -> str:
        """Why the index cannot be used; empty where it can, or where none is configured."""
        return self._shelf.problem if self._shelf else ""

    async def find(self, text: str, kind: Kind | None = None, language: str = "", limit: int = LIMIT) -> list[Hit]:
        """Return hits, the best first, from the first source that has any."""
        return (await self.search(text, kind, language, limit)).hits

    async def search(self, text: str, kind: Kind | None, language: str, limit: int) -> Found:
        """Return hits, and what was asked for them. A source that fails is passed over."""
        limit = max(1, min(limit, MOST_HITS))
        text = text.strip()
        consulted: list[Consulted] = []
        if not text:
            return Found(hits=[], consulted=())
        hits = await self._indexed(text, kind, language, limit, consulted)
        for name, source in self._others:
            if hits:
                break
            if source is not None:
                hits = await self._asked(name, source, consulted, text, kind, language, limit)
        return Found(hits=self._annotated(hits), consulted=tuple(consulted))

    def mentions(
        self, texts: Iterable[str], kind: Kind | None = None, language: str = "", limit: int = LIMIT
    ) -> Mapping[str, list[Hit]]:
        """Return what is called exactly so, for those of many texts that are names; from the index alone."""
        index = self._shelf.current() if self._shelf else None
        found = index.mentions(texts, kind, language, limit) if index else {}
        return {text: self._annotated(hits) for text, hits in found.items()}

    async def _indexed(
        self, text: str, kind: Kind | None, language: str, limit: int, consulted: list[Consulted]
    ) -> list[Hit]:
        if self._shelf is None:
            return []
        index = await self._shelf.first()
        if index is None:
            consulted.append(Consulted(source="index", state="failed", detail=self._shelf.problem))
            return []
        # In a thread: a search of a large index may take milliseconds, which the event loop does not have.
        hits = await asyncio.to_thread(index.find, text, kind, language, limit)
        consulted.append(Consulted(source="index", state="found" if hits else "nothing"))
        return hits

    async def _asked(
        self,
        name: Source,
        source: Remote | Labels,
        consulted: list[Consulted],
        text: str,
        kind: Kind | None,
        language: str,
        limit: int,
    ) -> list[Hit]:
        try:
            hits = await source.find(text, kind, language, limit)
        except ProxyError as error:
            consulted.append(Consulted(source=name, state="failed", detail=error.detail))
            fields = {"endpoint": self._endpoint, "source": name, "code": error.code, "private": error.private}
            log.warning("search.failed", extra={"fields": fields})
            return []
        consulted.append(Consulted(source=name, state="found" if hits else "nothing"))
        return hits

    def _annotated(self, hits: list[Hit]) -> list[Hit]:
        """Say of properties what they are for, as far as the schema index knows."""
        schema = self._schema.current() if self._schema else None
        return hits if schema is None else [annotated(hit, schema) for hit in hits]


def annotated(hit: Hit, schema: Schema) -> Hit:
    """Return the hit of a property with its domain and range, and with texts where it has none."""
    record = schema.property(hit.iri) if hit.kind == "property" else None
    if record is None:
        return hit
    return replace(
        hit,
        label=hit.label or record.label,
        description=hit.description or record.description,
        domain=side_text(schema, record.domain) if record.domain else "",
        range=side_text(schema, record.range) if record.range else record.kind,
    )


@asynccontextmanager
async def desks(context: Context, options: SearchOptions) -> AsyncIterator[Mapping[str, Desk]]:
    """Open what every endpoint is searched with, by the endpoint's name. Raises ConfigError."""
    async with AsyncExitStack() as stack:
        agent = f"Saga ({options.contact})" if options.contact else "Saga"
        session = await stack.enter_async_context(aiohttp.ClientSession(headers={"User-Agent": agent}))
        found = {}
        for name in context.tables:
            table = options.endpoints.get(name, SearchEndpoint())
            found[name] = await _desk(name, table, context, options, session, stack)
        yield found


async def _desk(
    name: str,
    table: SearchEndpoint,
    context: Context,
    options: SearchOptions,
    session: aiohttp.ClientSession,
    stack: AsyncExitStack,
) -> Desk:
    endpoint = context.tables[name]
    own = profile(endpoint.graph).extended(languages=table.languages, prefixes=context.prefixes.get(name, {}))
    folder = table.index or index_of(endpoint)
    shelf: Shelf[Index] | None = None
    if folder is not None:
        shelf = Shelf(folder / LIST, functools.partial(Index.open, folder, endpoint.graph), context.clock)
        await _opened(shelf, name, stack, optional=options.optional)
        if table.build and shelf.empty:
            automatic = Automatic(context.endpoints[name].run, name, own, folder, shelf.look)
            stack.push_async_callback(automatic.aclose)
    schema: Shelf[Schema] | None = None
    if endpoint.schema is not None:
        schema = Shelf(endpoint.schema, functools.partial(Schema.open, endpoint.schema), context.clock)
        # A schema that is damaged is the guard's to refuse: searches only lose their annotations.
        await _opened(schema, name, stack, optional=True)
    remote = None
    if table.remote:
        remote = Remote(session, table.remote, options.remote_s, options.remote_concurrency, context.clock)
    labels = Labels(context, name, own, options.labels_s) if table.labels else None
    return Desk(name, shelf, remote, labels, schema)


async def _opened(shelf: Shelf[T], endpoint: str, stack: AsyncExitStack, *, optional: bool) -> None:
    stack.push_async_callback(shelf.aclose)
    try:
        await shelf.open()
    except ConfigError as error:
        if not optional:
            raise
        log.error("search.index_refused", extra={"fields": {"endpoint": endpoint, "detail": str(error)}})


def line(hit: Hit) -> str:
    """Return a hit in one line: label, id, description, what a property is for, how it was found."""
    parts = [f"{tidy(hit.label)} ({tidy(hit.id)})" if hit.label else tidy(hit.id)]
    if hit.description:
        parts.append(f": {tidy(hit.description)}")
    if hit.kind == "property" and (hit.domain or hit.range):
        parts.append(f" [domain: {hit.domain or 'any'} | range: {hit.range or 'any'}]")
    if hit.text and hit.text != hit.label:
        parts.append(f" (found as {tidy(hit.text)})")
    return "".join(parts)
