"""A remote SPARQL endpoint, asked over HTTP."""

from __future__ import annotations

import asyncio
import codecs
import functools
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from proxy.contract import Caller, Health, Query, Reply
from proxy.endpoints.connect import Connections, connections
from proxy.endpoints.engines import ENGINES
from proxy.endpoints.exchange import Exchange
from proxy.endpoints.places import Places
from proxy.errors import ProxyError, UpstreamFailed
from proxy.protocol import version
from proxy.results import checked, sniff
from proxy.results.formats import Format, format_of
from proxy.results.modern import modern_literals
from proxy.results.state import State
from proxy.settings import EndpointTable
from proxy.syntax import Form, read

# What an endpoint says of its answer and clients may want to see; all other headers stay here.
_PASSED_HEADERS = ("x-sparql-maxrows", "x-sparql-anytime", "x-sql-state", "x-sql-message")
_HEADER_CHARACTERS = 1_000
_ASK = read("ASK {}")
_PAGE = re.compile(rb"\s*+<(?:!doctype\s++html|html)\b", re.IGNORECASE)


class HttpEndpoint:
    """Forward the client's own text by POST, and stream the answer back."""

    def __init__(self, name: str, table: EndpointTable, prefixes: Mapping[str, str], contact: str = "") -> None:
        self.name = name
        self._table = table
        self._prefixes = prefixes
        self._contact = contact
        self._engine = ENGINES[table.engine]
        self._places = Places(table.places, table.queue, table.queue_s)
        self._connections: Connections

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hold the connections to the endpoint."""
        async with connections(self.name, self._table, self._contact) as self._connections:
            yield

    async def run(self, query: Query) -> Reply:
        """Send the query and return once the first bytes of the answer are there.

        Raises:
            BadQuery: the endpoint calls the text malformed.
            UpstreamBusy: no free place, or the endpoint says that it is overloaded.
            UpstreamTimeout: the endpoint is slower than the limits.
            UpstreamFailed: the endpoint cannot be reached, or answers with something else than a result.
        """
        queue_s = await self._places.take()
        try:
            reply = await self._answered(query)
        except BaseException:
            self._places.give_back()
            raise
        if reply.format is None:
            self._places.give_back()
        else:
            reply.release = functools.partial(self._leave, reply.release)
        reply.queue_s = queue_s
        return reply

    async def _leave(self, release: Callable[[], Awaitable[None]]) -> None:
        self._places.give_back()
        await release()

    async def _answered(self, query: Query) -> Reply:
        """Ask, whether or not there is a place. Raises what `run` raises."""
        exchange = Exchange(query, self._table, self._engine, self._connections)
        first = await exchange.open(self._engine.text(query, self._prefixes))
        try:
            if query.form is Form.UPDATE:
                await exchange.drain()
                await exchange.close()
                return Reply(format=None, chunks=_nothing(), upstream_s=exchange.upstream_s)
            fmt = _format(query, exchange.headers, first)
        except BaseException:
            await exchange.close()
            raise
        return Reply(
            format=fmt,
            until=exchange.deadline,
            chunks=self._engine.mended(query, _modern(fmt, exchange)),
            release=exchange.close,
            state=State(partial=self._engine.partial(exchange.status, exchange.headers), arrived=exchange.arrived),
            headers={name: _tame(exchange.headers[name]) for name in _PASSED_HEADERS if name in exchange.headers},
            version=version(exchange.headers.get("content-type", "")),
            upstream_s=exchange.upstream_s,
        )

    async def health(self) -> Health:
        """Send `ASK {}`, which costs an endpoint nothing, and read its answer: a page that says anything is none."""
        ask = Query(id="health", endpoint=self.name, syntax=_ASK, formats=(Format.JSON,), caller=Caller(address=""))
        try:
            async with asyncio.timeout(self._table.connect_s), await self._answered(ask) as reply:
                assert reply.format is not None
                # Rows pass, too: some answer so, and are alive.
                async for _ in checked(reply.chunks, reply.format, reply.state):
                    pass
        except ProxyError as error:
            return Health(ok=False, detail=f"no answer to ASK {{}}: {error.detail}")
        except TimeoutError:
            return Health(ok=False, detail=f"no answer to ASK {{}} within {self._table.connect_s:g} s")
        return Health(ok=True, detail="answers ASK {}")


async def _nothing() -> AsyncIterator[bytes]:
    """Yield no chunk: an update has no body."""
    for chunk in tuple[bytes]():
        yield chunk


def _format(query: Query, headers: Mapping[str, str], first: bytes) -> Format:
    """Trust what the endpoint declares, else look at the body; never stamp a type on it.

    Raises:
        UpstreamFailed: it is nothing that this form of query is answered in.
    """
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    found = format_of(media_type, query.form)
    if found is None or media_type in ("text/plain", "application/json"):
        # A plain type is what servers say when they say nothing.
        found = sniff(first) or found
    if found is None or format_of(found.media_type, query.form) is None or _is_a_page(found, first):
        kind = media_type or "something without a Content-Type"
        raise UpstreamFailed(f"The endpoint answered a {query.form.upper()} with {kind}.", private=repr(first[:200]))
    return found


def _is_a_page(fmt: Format, first: bytes) -> bool:
    """Whether this is a web page under another name: what stands before an endpoint that is gone likes to send one."""
    return fmt not in (Format.TURTLE, Format.NTRIPLES) and _PAGE.match(first.removeprefix(codecs.BOM_UTF8)) is not None


def _modern(fmt: Format, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    return modern_literals(chunks) if fmt is Format.JSON else chunks


def _tame(value: str) -> str:
    """Return a header's value as it may be sent on: printable ASCII, and not long."""
    return "".join(each if " " <= each <= "~" else " " for each in value[:_HEADER_CHARACTERS])
