"""From a file to checked settings and plugins, with every mistake at once."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from proxy.config import read_settings, read_table, read_toml, unknown
from proxy.contract import Plugin
from proxy.errors import ConfigError
from proxy.graphs import profiles
from proxy.settings import Settings, top_tables

# What is on where a configuration has no `[plugins]` table.
DEFAULT_PLUGINS: tuple[str, ...] = (
    "plugins.limits",
    "plugins.schema.guard",
    "plugins.cache",
    "plugins.breaker",
    "plugins.search",
    "plugins.nl",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Hold a checked configuration. ``plugins`` are in the order of the list, outermost first."""

    settings: Settings
    plugins: tuple[Plugin, ...]


def load(path: Path) -> Loaded:
    """Read a configuration file. Raises ConfigError with every mistake, each naming the file's key."""
    return check(read_toml(path), path.parent.resolve())


def check(tables: Mapping[str, Any], folder: Path) -> Loaded:
    """Check the tables of a configuration; paths in it start at ``folder``. Raises ConfigError."""
    mistakes: list[str] = []
    settings = Settings()
    try:
        settings = read_settings(tables, folder)
    except ConfigError as error:
        mistakes += error.mistakes
    mistakes += _graph_mistakes(settings)
    listed = tables.get("plugins", {})
    enabled = listed.get("enabled", DEFAULT_PLUGINS) if isinstance(listed, Mapping) else ()
    plugins = []
    names = []
    for dotted in enabled if isinstance(enabled, (list, tuple)) else ():
        names.append(str(dotted).rpartition(".")[2])
        try:
            kind = _kind(str(dotted))
            names += top_tables(kind.Options)
            plugins.append(_plugin(kind, tables, folder))
        except ConfigError as error:
            mistakes += error.mistakes
    if settings.endpoints:
        # Where the core could not be read, nobody knows its names.
        for plugin in plugins:
            mistakes += _name_mistakes(plugin, settings)
            mistakes += plugin.mistakes(settings)
    mistakes += _order_mistakes([str(each) for each in enabled] if isinstance(enabled, (list, tuple)) else [])
    known = [field.name for field in fields(Settings)] + names
    mistakes += [unknown(name, name, known) for name in tables if name not in known]
    if mistakes:
        raise ConfigError(*mistakes)
    return Loaded(settings=settings, plugins=tuple(plugins))


def _order_mistakes(enabled: list[str]) -> list[str]:
    """Keep the guard outside of the cache, so that it judges answers that are remembered, too."""
    guard, cache = "plugins.schema.guard", "plugins.cache"
    if guard in enabled and cache in enabled and enabled.index(guard) > enabled.index(cache):
        return [f"plugins.enabled: {guard!r} must stand before {cache!r}"]
    return []


def _name_mistakes(plugin: Plugin, settings: Settings) -> list[str]:
    """Hold the names in a plugin's own tables per key or endpoint, such as `[limits.keys.NAME]`, against the core's."""
    table = type(plugin).__module__.rpartition(".")[2]
    found = []
    for kind in ("keys", "endpoints"):
        known, used = getattr(settings, kind), getattr(plugin.options, kind, None)
        if isinstance(used, Mapping):
            found += [
                unknown(name, f"{table}.{kind}.{name}", list(known)).replace("key", kind[:-1], 1)
                if known
                else f"{table}.{kind}.{name}: there is no table [{kind}.{name}]"
                for name in used
                if name not in known
            ]
    return found


def _graph_mistakes(settings: Settings) -> list[str]:
    known = profiles(settings.graphs)
    return [
        unknown(endpoint.graph, f"endpoints.{name}.graph = {endpoint.graph!r}", list(known)).replace("key", "graph", 1)
        for name, endpoint in settings.endpoints.items()
        if endpoint.graph not in known
    ]


def _kind(dotted: str) -> type[Plugin]:
    """Import a plugin. Raises ConfigError."""
    try:
        module = importlib.import_module(dotted)
    except ImportError as error:
        raise ConfigError(f"plugins.enabled: cannot import {dotted!r}: {error}") from None
    classes = [
        each
        for each in vars(module).values()
        if inspect.isclass(each) and issubclass(each, Plugin) and each.__module__ == module.__name__
    ]
    if len(classes) != 1:
        raise ConfigError(f"plugins.enabled: {dotted!r} must define one subclass of Plugin, not {len(classes)}")
    return classes[0]


def _plugin(kind: type[Plugin], tables: Mapping[str, Any], folder: Path) -> Plugin:
    """Give a plugin its checked options. Raises ConfigError."""
    name = kind.__module__.rpartition(".")[2]
    mistakes: list[str] = []
    made: dict[str, Any] = {}
    for key, shape in {name: kind.Options, **top_tables(kind.Options)}.items():
        try:
            made[key] = read_table(shape, tables.get(key, {}), key, folder)
        except ConfigError as error:
            mistakes += error.mistakes
    if mistakes:
        raise ConfigError(*mistakes)
    options = made.pop(name)
    return kind(replace(options, **made) if made else options)
