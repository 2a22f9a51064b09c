"""A fault: who misbehaves, what a client then sees, and what the metrics say of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from proxy.results.formats import Format
from tests import stage, wire
from tests.upstream import Answer, Script, Upstream

# Whatever is remembered, the endpoint is asked.
ACCEPT = {"Accept": Format.JSON.media_type, "Cache-Control": "no-cache"}
# What was read of a text is remembered within a bound; with more texts, memory would grow for long.
_TEXTS = 256
NOTHING: Mapping[str, Any] = {}
# A whole chain, so that what leaks in any of its links is seen; none of them gets in the way of a fault.
CHAIN = ("limits", "admin", "cache", "breaker", "limits.turns")
_QUIET: Mapping[str, Any] = {
    # None of them can be reached, and nobody is exempt: each query passes through all that counts.
    "limits": {"requests_per_minute": 0, "concurrent": 0, "upstream_s_per_minute": 0, "exempt": []},
    "cache": {"max_bytes": 2_000_000, "max_entry_bytes": 50_000},
    "breaker": {"failures": 10**9, "retry_share": 0.0, "patience_s": 0.0},
}


class Sight(NamedTuple):
    """What a client sees. ``code`` is of the problem document, ``retry`` the Retry-After, None where there is none."""

    status: int
    code: str = ""
    end: wire.End = "whole"
    retry: str | None = None


Visit = Callable[[str, int], Awaitable[Sight | None]]
"""Be one client of an address, the so many-th; return what it saw, None where it left or was left without a word."""


def _no_more() -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Peer:
    """What stands behind the proxy.

    Shapes: ``table`` are keys of the endpoint, ``options`` are tables of plugins. ``forget`` drops what it noted of
    past requests; ``descriptors`` counts those that stay open by design, beside the connections to the endpoint.
    """

    url: str
    forget: Callable[[], None]
    table: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    descriptors: Callable[[], int] = _no_more


Behind = Callable[[], AbstractAsyncContextManager[Peer]]


def scripted(*script: Answer | Script) -> Behind:
    """Return a peer that does what it is told."""

    @asynccontextmanager
    async def peer() -> AsyncIterator[Peer]:
        async with Upstream(*script) as upstream:
            yield Peer(upstream.url, upstream.sent.clear)

    return peer


async def ask(url: str, number: int) -> Sight:
    """Send a query that nobody else sends at the same time."""
    return seen(await wire.get(url, {"query": text(number)}, ACCEPT))


def text(number: int) -> str:
    """Return the query of the so many-th client."""
    return f"SELECT * {{ ?s ?p 'client {number % _TEXTS}' }}"


def seen(got: wire.Received) -> Sight:
    """Return what a client saw."""
    if got.type != "application/problem+json":
        return Sight(got.status, "", got.end)
    return Sight(got.status, got.json["code"], got.end, got.header("retry-after"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One way to misbehave.

    Shapes: ``sees`` is everything that a client may see of it; ``outcomes`` those of `saga_queries_total` that it may
    count as, none where it never becomes a query, and ``most`` as how many at most. ``opens`` is whether three in a row
    open the circuit, ``retries`` the reason for which a query is sent again. ``table`` and ``server`` are keys of the
    configuration.
    """

    name: str
    peer: Behind
    sees: frozenset[Sight | None]
    outcomes: frozenset[str]
    most: int = 1
    opens: bool = False
    retries: str | None = None
    visit: Visit = ask
    table: Mapping[str, Any] = field(default_factory=dict)
    server: Mapping[str, Any] = field(default_factory=dict)

    @asynccontextmanager
    async def scene(self, **options: Mapping[str, Any]) -> AsyncIterator[tuple[str, Peer]]:
        """Put a proxy before the peer, and yield the address of its SPARQL page, and the peer."""
        async with self.peer() as peer:
            reached = {"url": peer.url} if peer.url else {}
            tables = {
                **{name: {**table, **peer.options.get(name, {})} for name, table in _QUIET.items()},
                "server": dict(self.server),
                "endpoints": {"up": {**reached, **peer.table, **self.table}},
                "plugins": {"enabled": [f"plugins.{name}" for name in CHAIN]},
                **options,
            }
            async with stage.proxy(tables) as base:
                yield f"{base}/sparql", peer
