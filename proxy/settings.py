"""The tables of the configuration that the core reads: each key with its unit, its default and one sentence.

Plugins declare their own tables beside their code, with the same `key`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_type_hints

NONE: Mapping[str, Any] = MappingProxyType({})
MIB = 1024 * 1024
GIB = 1024 * MIB

Engine = Literal["oxigraph", "qlever", "blazegraph", "virtuoso", "fuseki", "generic"]
Right = Literal["query", "update", "nl", "admin"]


def key(text: str, default: Any) -> Any:
    """Return a dataclass field that carries its own documentation; `saga config keys` prints it."""
    if isinstance(default, Mapping):
        return field(default_factory=lambda: default, metadata={"text": text})
    return field(default=default, metadata={"text": text})


def table(text: str, default: Any) -> Any:
    """Return a field of a plugin's options that is a table of its own, at the top of the file: `[llm]`."""
    return field(default=default, metadata={"text": text, "top": True})


def top_tables(kind: type) -> dict[str, type]:
    """Return the tables of their own that options have, by name."""
    if not is_dataclass(kind):
        return {}
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind) if each.metadata.get("top")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The `[server]` table."""

    host: str = key("address to listen on", "127.0.0.1")
    port: int = key("port to listen on; 0 takes a free one", 8080)
    workers: int = key("number of processes that serve", 1)
    public_url: str = key("address under which clients reach the proxy, for links and the service description", "")
    max_line_bytes: int = key("longest request line, in bytes; above it 414", MIB)
    max_body_bytes: int = key("largest request body, in bytes; above it 413", 16 * MIB)
    head_s: float = key("seconds in which a new connection must send its first request", 30.0)
    body_s: float = key("seconds in which a request body must come; above it 408", 60.0)
    max_query_bytes: int = key("longest query text, in bytes; above it 413", 4 * MIB)
    cors_origins: tuple[str, ...] = key("origins that browsers may call from; `*` is everyone", ("*",))
    contact: str = key("address or page of the operator; goes into our User-Agent", "")
    trusted_proxies: tuple[str, ...] = key("networks whose X-Forwarded-For is believed, such as `10.0.0.0/8`", ())
    metrics_bind: str = key("`host:port` of its own for /metrics; empty serves it beside /sparql", "")
    anonymous: tuple[Right, ...] = key("rights of callers without a key", ("query",))
    strict_accept: bool = key("answer 406 where a CONSTRUCT is asked for in a format of results only", False)
    drain_s: float = key("seconds that running queries get after a stop signal", 0.5)
    log_level: Literal["debug", "info", "warning", "error"] = key("least level that is logged", "info")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointTable:
    """An `[endpoints.NAME]` table. The first one is the default endpoint."""

    url: str = key("address of a remote SPARQL endpoint", "")
    urls: tuple[str, ...] = key("addresses of one endpoint, best first; the next where one cannot be reached", ())
    update_url: str = key("address that takes updates, where it is another one than `url`", "")
    store: Path | None = key("folder of an embedded store; give this or `url`", None)
    load: tuple[Path, ...] = key("RDF files that fill the store where its folder does not exist yet", ())
    engine: Engine = key("software behind `url`; decides dialect, time limits and error codes", "generic")
    graph: str = key("profile of the graph: a `[graphs.NAME]` table or wikidata, freebase, rdf", "rdf")
    connect_s: float = key("seconds to reach the endpoint", 5.0)
    first_byte_s: float = key("seconds until the answer starts", 60.0)
    idle_s: float = key("seconds without a byte in the middle of an answer", 30.0)
    total_s: float = key("seconds for the whole answer", 300.0)
    max_result_bytes: int = key("largest answer of a remote endpoint, in bytes after decompression", 16 * GIB)
    concurrency: int = key("queries that run at the same time; for a store, reader processes per worker", 0)
    queue: int = key("queries that wait for a free place; above it 503", 100)
    queue_s: float = key("seconds that a query waits for a free place; above it 503", 10.0)
    reader_memory_bytes: int = key("memory of one reader of a store, in bytes", 4 * GIB)
    service: Literal["upstream"] | tuple[str, ...] | None = key(
        "SERVICE targets of a remote endpoint: `upstream` leaves them to it, a list allows only these",
        None,
    )
    private_graphs: bool = key("whether FROM may name files and private addresses, at a remote endpoint", False)
    updates: bool = key("whether SPARQL updates are accepted, from callers with the `update` right", False)
    user: str = key("user name sent to the endpoint", "")
    password_env: str = key("environment variable that holds the password", "")
    headers: Mapping[str, str] = key("headers sent to the endpoint with every query", NONE)
    guard: Literal["off", "warn", "block"] | None = key("mode of the guard; absent is that of `[guard]`", None)
    guard_override: bool | None = key("whether the header Saga-Guard may lower the mode", None)
    schema: Path | None = key("schema index, as `saga schema build` writes it", None)
    search: Path | None = key("folder of the text index, as `saga search build` writes it", None)
    aliases: tuple[str, ...] = key("further paths, such as `/bigdata/namespace/wdq/sparql`", ())

    def __post_init__(self) -> None:
        """Let `url` be the first of `urls`: what holds for a remote endpoint is asked of `url`."""
        if self.urls and not self.url:
            object.__setattr__(self, "url", self.urls[0])

    @property
    def places(self) -> int:
        """How many queries run at once: as configured, or two readers of a store and 64 on a server."""
        return self.concurrency or (2 if self.store else 64)

    @property
    def service_targets(self) -> Literal["upstream"] | tuple[str, ...]:
        """The SERVICE targets that hold: as configured, or what is safe for this kind of endpoint."""
        if self.service is not None:
            return self.service
        return () if self.store else "upstream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """A `[graphs.NAME]` table: what holds for a graph wherever it is served."""

    prefixes: Mapping[str, str] = key("prefixes that queries may use without a PREFIX line", NONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A `[keys.NAME]` table: one API key."""

    sha256: str = key("SHA-256 of the key, in hexadecimal; the key itself is never written down", "")
    rights: tuple[Right, ...] = key("what the key may do", ("query",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """The `[plugins]` table."""

    enabled: tuple[str, ...] = key("dotted paths of plugins, outermost first", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A whole configuration, checked. ``options`` holds one object per enabled plugin, in the order of the list."""

    server: Server = Server()
    endpoints: Mapping[str, EndpointTable] = key("the endpoints, the default one first", NONE)
    graphs: Mapping[str, Graph] = key("profiles of graphs", NONE)
    keys: Mapping[str, Key] = key("API keys", NONE)
    plugins: Plugins = Plugins()
