"""Read a TOML file into frozen dataclasses, and say every mistake at once."""

from __future__ import annotations

import dataclasses
import difflib
import ipaddress
import math
import re
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from proxy.errors import ConfigError
from proxy.settings import EndpointTable, Server, Settings, top_tables

T = TypeVar("T")

_BIND = re.compile(r"(\S*:)?[0-9]{1,5}")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_ALIAS = re.compile(r"(/[A-Za-z0-9_.~-]+)+/?")
_OURS = ("/health", "/metrics", "/admin", "/nl", "/validate", "/schema", "/search", "/openapi.json", "/sparql/")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_WIKIMEDIA = re.compile(r"//[^/]*\b(wikimedia|wikidata)\.org\b")
_WORDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false", Path: "a path"}


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a file. Raises ConfigError where it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; `saga serve` without --config runs the demo") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None


def read_settings(tables: Mapping[str, Any], folder: Path) -> Settings:
    """Check the core's tables. The tables of plugins are theirs to check, with `read_table`.

    Raises:
        ConfigError: with one sentence per mistake.
    """
    core = {field.name for field in dataclasses.fields(Settings)}
    checker = _Checker(folder)
    settings = checker.table(Settings, {name: value for name, value in tables.items() if name in core}, "")
    mistakes = [*checker.mistakes, *_contradictions(settings)]
    if mistakes:
        raise ConfigError(*mistakes)
    return settings


def read_table(kind: type[T], table: object, path: str, folder: Path) -> T:
    """Check one table against a dataclass. Raises ConfigError."""
    checker = _Checker(folder)
    made = checker.table(kind, table, path)
    if checker.mistakes:
        raise ConfigError(*checker.mistakes)
    return made


def unknown(name: str, path: str, known: Sequence[str]) -> str:
    """Say that a key is unknown, with the nearest known one."""
    near = difflib.get_close_matches(name, known, n=1)
    advice = f"did you mean `{near[0]}`?" if near else f"known are: {', '.join(sorted(known))}"
    return f"{path}: unknown key; {advice}"


class _Checker:
    """Turn plain TOML values into typed ones and gather what is wrong."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mistakes: list[str] = []

    def table(self, kind: type[T], table: object, path: str) -> T:
        """Return the table with what is right in it; the defaults stand in for the rest."""
        if not isinstance(table, Mapping):
            self.mistakes.append(f"{path}: must be a table")
            return kind()
        elsewhere = top_tables(kind)
        hints = {name: hint for name, hint in typing.get_type_hints(kind).items() if name not in elsewhere}
        values = {}
        for name, value in table.items():
            where = f"{path}.{name}" if path else name
            if name not in hints:
                self.mistakes.append(unknown(name, where, list(hints)))
                continue
            before = len(self.mistakes)
            made = self.value(hints[name], value, where)
            if len(self.mistakes) == before or dataclasses.is_dataclass(hints[name]) or isinstance(made, Mapping):
                values[name] = made
        return kind(**values)

    def value(self, hint: Any, value: object, path: str) -> object:
        origin: Any = typing.get_origin(hint)
        arguments = typing.get_args(hint)
        if origin in (types.UnionType, typing.Union):
            return self.union(arguments, value, path)
        if origin is typing.Literal:
            return self.literal(arguments, value, path)
        if _is_a(hint, tuple):
            return self.array(arguments[0], value, path)
        if _is_a(hint, Mapping):
            return self.mapping(arguments[1], value, path)
        if dataclasses.is_dataclass(hint):
            return self.table(typing.cast(type[Any], hint), value, path)
        return self.plain(hint, value, path)

    def union(self, options: tuple[Any, ...], value: object, path: str) -> object:
        """Take the option that the value fits: a list for a tuple, else the first one that is not None."""
        chosen = [option for option in options if option is not type(None)]
        if isinstance(value, list):
            chosen.sort(key=lambda option: not _is_a(option, tuple))
        return self.value(chosen[0], value, path)

    def literal(self, choices: tuple[Any, ...], value: object, path: str) -> object:
        if value not in choices:
            near = difflib.get_close_matches(str(value), choices, n=1)
            advice = f"; did you mean {near[0]!r}?" if near else ""
            self.mistakes.append(f"{path}: must be one of {', '.join(map(repr, choices))}, not {value!r}{advice}")
        return value

    def array(self, item: Any, value: object, path: str) -> object:
        if not isinstance(value, list):
            self.mistakes.append(f"{path}: must be a list, not {value!r}")
            return ()
        return tuple(self.value(item, each, f"{path}[{n}]") for n, each in enumerate(value))

    def mapping(self, item: Any, value: object, path: str) -> object:
        if not isinstance(value, Mapping):
            self.mistakes.append(f"{path}: must be a table, not {value!r}")
            return {}
        return types.MappingProxyType({name: self.value(item, each, f"{path}.{name}") for name, each in value.items()})

    def plain(self, kind: type, value: object, path: str) -> object:
        if kind is Path and isinstance(value, str):
            return (self.folder / Path(value).expanduser()).resolve()
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not kind:
            self.mistakes.append(f"{path}: must be {_WORDS[kind]}, not {value!r}")
        elif kind in (int, float) and not 0 <= typing.cast(float, value) < math.inf:
            self.mistakes.append(f"{path}: must be a finite number and not negative")
        return value


def _is_a(hint: Any, kind: type) -> bool:
    """Whether a type expression such as `tuple[str, ...]` stands for a kind of container."""
    origin = typing.get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, kind)


def _contradictions(settings: Settings) -> Iterator[str]:
    """Say what is well formed and still cannot work."""
    yield from _contradictions_of_server(settings.server)
    yield from _paths(settings.endpoints)
    if not settings.endpoints:
        yield "endpoints: give at least one `[endpoints.NAME]` table with a `url` or a `store`"
    for name, endpoint in settings.endpoints.items():
        yield from _contradictions_of(f"endpoints.{name}", endpoint)
        if _WIKIMEDIA.search(endpoint.url.lower()) and not settings.server.contact:
            yield "server.contact: Wikimedia asks every client for an address; name yours (User-Agent policy)"
    for name, key in settings.keys.items():
        if len(key.sha256) != 64 or set(key.sha256.lower()) - set("0123456789abcdef"):
            yield f"keys.{name}.sha256: must be 64 hexadecimal digits, as `printf %s KEY | sha256sum` prints"


def _contradictions_of_server(server: Server) -> Iterator[str]:
    if not 1 <= server.workers <= 64:
        yield "server.workers: must be between 1 and 64"
    if server.port > 65535:
        yield f"server.port: must be at most 65535, not {server.port}"
    if server.metrics_bind and not _BIND.fullmatch(server.metrics_bind):
        yield f"server.metrics_bind: must be `host:port`, not {server.metrics_bind!r}"
    if server.public_url and not server.public_url.startswith(("http://", "https://")):
        yield f"server.public_url: must start with http:// or https://, not {server.public_url!r}"
    if not server.contact.isprintable():
        yield "server.contact: must be one line; it goes into a header"
    for network in server.trusted_proxies:
        try:
            ipaddress.ip_network(network)
        except ValueError as error:
            yield f"server.trusted_proxies: {error}; write a network such as `10.0.0.0/8`"


def _paths(endpoints: Mapping[str, EndpointTable]) -> Iterator[str]:
    """Say which names and aliases cannot be paths, or are taken."""
    taken = {"/sparql", *(f"/sparql/{name}" for name in endpoints)}
    for name, endpoint in endpoints.items():
        if not _NAME.fullmatch(name):
            yield f"endpoints.{name}: a name is letters, digits, `-`, `_` and `.`; it becomes part of a path"
        for alias in endpoint.aliases:
            if not _ALIAS.fullmatch(alias) or alias.startswith(_OURS):
                yield f"endpoints.{name}.aliases: {alias!r} must be a path like `/bigdata/sparql`, and not one of ours"
            elif alias in taken:
                yield f"endpoints.{name}.aliases: {alias!r} is taken"
            taken.add(alias)


def _contradictions_of(path: str, endpoint: EndpointTable) -> Iterator[str]:
    if bool(endpoint.url) == bool(endpoint.store):
        yield f"{path}: give either `url` or `store`"
    if endpoint.urls and endpoint.url != endpoint.urls[0]:
        yield f"{path}: give either `url` or `urls`"
    addresses = (
        ("url", endpoint.url),
        ("update_url", endpoint.update_url),
        *(("urls", each) for each in endpoint.urls),
    )
    for key, address in addresses:
        if address and not address.startswith(("http://", "https://")):
            yield f"{path}.{key}: must start with http:// or https://, not {address!r}"
        elif address and not _is_address(address):
            yield f"{path}.{key}: {address!r} is no address of a server"
    for name, value in endpoint.headers.items():
        if not (_TOKEN.fullmatch(name) and value.isprintable()) or name.lower() in ("host", "content-length"):
            yield f"{path}.headers.{name}: cannot be sent as a header"
    if endpoint.store and endpoint.service:
        yield f"{path}.service: a store asks no other server, so no target can be allowed; leave it out"


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port or 0) < 65536 and " " not in url
    except ValueError:
        return False
