"""The nouns that everything speaks: Query, Reply, Run, Endpoint, Context, Plugin, and how they compose."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import ClassVar, Literal, Protocol, Self, TypeVar

from aiohttp import web
from multidict import CIMultiDict
from prometheus_client import Counter, Gauge, Histogram

from proxy.results.formats import Format
from proxy.results.state import State
from proxy.settings import EndpointTable, Settings
from proxy.syntax import Form, Syntax

P = TypeVar("P", bound="Plugin")
Source = Literal["client", "nl", "guard"]
Right = Literal["query", "update", "nl", "admin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Name the graphs of a request: the protocol's dataset, which beats FROM in the text.

    Source: SPARQL 1.1 Protocol section 2.1.4; for an update (section 2.2.3) these are the using-graph parameters.
    """

    default: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether the request names any graph."""
        return bool(self.default or self.named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Say who asks: an address and, where a key was given, its name in the configuration.

    ``forwarded``: the address is that of a proxy that nobody trusts, which asks for somebody else.
    """

    address: str
    key: str | None = None
    rights: frozenset[Right] = frozenset({"query"})
    forwarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Hold one request: bytes became text, and the text was read once. Never changed; `replace` makes another.

    Shapes: ``formats`` are those that the client takes, best first, never empty for a query; ``hints`` are the request
    headers that plugins may read, by lower-case name, from a fixed list; ``version`` is the `version` parameter of a
    media type in Accept (SPARQL 1.2).
    Units: ``timeout_s`` in seconds; it may only lower the endpoint's own limit.
    """

    id: str
    endpoint: str
    syntax: Syntax
    formats: tuple[Format, ...]
    caller: Caller
    dataset: Dataset = field(default_factory=Dataset)
    timeout_s: float | None = None
    version: str | None = None
    source: Source = "client"
    hints: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text as the client wrote it; this is what is forwarded."""
        return self.syntax.text

    @property
    def form(self) -> Form:
        """SELECT, ASK, CONSTRUCT, DESCRIBE or UPDATE."""
        return self.syntax.form


async def _nothing() -> None:
    """Release nothing: the reply holds no resource."""


@dataclass(slots=True, kw_only=True)
class Reply:
    """Carry an answer: a format, a stream of bytes, and what becomes known of it.

    Use it as an async context manager, or call `aclose`: only that frees the endpoint, since a stream that was never
    started cannot free anything itself. Errors before the first byte are raised where the reply is made; an error
    from ``chunks`` means that the answer is broken. ``format`` is None for an update, whose body is empty.
    ``headers`` is a `CIMultiDict` where it may hold several of one name; copied with `{**headers}` it keeps the first.
    ``status`` is 200, or 304 where a client has the answer already; ``version`` is the `version` parameter of the media
    type (SPARQL 1.2), where the endpoint sent one; ``until`` is the moment of the loop's clock at which the answer must
    have gone out, so that a client that does not read holds no endpoint. What ``release`` calls must not hold the reply
    it is put into: a plugin further out may pass on a copy, and the two would wait for the garbage collector.
    Units: ``queue_s`` and ``upstream_s`` in seconds: how long the query waited for a place, and how long the endpoint
    then took to its first byte.
    """

    format: Format | None
    chunks: AsyncIterator[bytes]
    status: int = 200
    state: State = field(default_factory=State)
    headers: MutableMapping[str, str] = field(default_factory=CIMultiDict)
    release: Callable[[], Awaitable[None]] = _nothing
    version: str | None = None
    until: float | None = None
    queue_s: float = 0.0
    upstream_s: float = 0.0

    async def aclose(self) -> None:
        """Free whatever feeds the stream. Safe to call twice, and in the middle of the answer."""
        release, self.release = self.release, _nothing
        await release()

    async def __aenter__(self) -> Self:
        """Return the reply itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Free the endpoint, however the reader left."""
        await self.aclose()


Run = Callable[[Query], Awaitable[Reply]]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Say whether a part can be used; ``detail`` tells a person why not."""

    ok: bool
    detail: str = ""


class Endpoint(Protocol):
    """Answer queries: a remote server or a store of our own."""

    @property
    def name(self) -> str:
        """Its name in the configuration."""

    async def run(self, query: Query) -> Reply:
        """Return a reply whose first byte is there. Raises UpstreamError, BadQuery, NotAcceptable, Forbidden."""

    async def health(self) -> Health:
        """Ask the endpoint something cheap."""

    def lifespan(self) -> AbstractAsyncContextManager[None]:
        """Hold what the endpoint needs while the application runs: sessions, child processes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One HTTP route of a plugin. The core checks ``right`` before the handler runs; errors are the core's to show.

    ``local``: a program on this machine, which asks directly, passes without the right.
    """

    method: str
    path: str
    handler: Handler
    right: Right | None = "query"
    local: bool = False


Over = Literal["sum", "min", "max"]


class Metrics(Protocol):
    """Make series in the application's own registry. Label values come from closed sets, never from a client."""

    def counter(self, name: str, text: str, labels: Sequence[str]) -> Counter:
        """Return a counter; Prometheus adds `_total` to its name."""

    def gauge(self, name: str, text: str, labels: Sequence[str], over: Over = "sum") -> Gauge:
        """Return a gauge; ``over`` the living workers it is their sum, their least or their greatest value."""

    def histogram(self, name: str, text: str, labels: Sequence[str], buckets: Sequence[float]) -> Histogram:
        """Return a histogram; buckets are in the unit that the name ends in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a plugin may use of the application.

    Shapes: ``tables`` are the endpoints as configured, ``prefixes`` what each implies, by the endpoint's name;
    ``plugins`` are all that are on, in the order of the list; ``parts`` are what a plugin stands on beside endpoints,
    such as `model`: each says what is wrong with it, nothing where it can be used.
    Units: ``clock`` is monotonic, in seconds.
    """

    run: Run
    endpoints: Mapping[str, Endpoint]
    tables: Mapping[str, EndpointTable]
    prefixes: Mapping[str, Mapping[str, str]]
    metrics: Metrics
    clock: Callable[[], float]
    plugins: tuple[Plugin, ...] = ()
    parts: dict[str, Callable[[], Awaitable[str]]] = field(default_factory=dict)

    def plugin(self, kind: type[P]) -> P | None:
        """Return the plugin of a kind, so that one may stand on another that comes before it; None where it is off."""
        return next((each for each in self.plugins if isinstance(each, kind)), None)


CONTEXT = web.AppKey("context", Context)
CALLER = web.RequestKey("caller", Caller)
REQUEST_ID = web.RequestKey("request_id", str)
# Whether the head of the response has been sent: from then on an error can only break the connection.
STARTED = web.RequestKey("started", bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOptions:
    """Options of a plugin that has none."""


class Plugin:
    """Be one idea. Override what you need; each hook does nothing by default.

    ``Options`` is a frozen dataclass whose fields are the keys of the plugin's table in the configuration; the core
    checks them as it checks its own. The class's docstring says whether a failure stops the query or lets it pass.
    """

    Options: ClassVar[type] = NoOptions

    def __init__(self, options: object) -> None:
        self.options = options

    def mistakes(self, settings: Settings) -> Iterable[str]:
        """Say what is well formed and still cannot work, beginning with its key; ``settings`` are the core's."""
        return ()

    async def query(self, query: Query, run: Run) -> Reply:
        """Wrap a query: change it before, change the reply after, or answer without calling ``run``."""
        return await run(query)

    def routes(self) -> Sequence[Route]:
        """Return HTTP routes of its own."""
        return ()

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Own clients and tasks while the application runs."""
        yield


def compose(plugins: Sequence[Plugin], innermost: Run) -> Run:
    """Fold the plugins around the endpoint, the first one outermost. Done once, at start."""
    run = innermost
    for plugin in reversed(plugins):
        run = functools.partial(plugin.query, run=run)
    return run
