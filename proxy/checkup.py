"""`saga config`: check a configuration file, or list every key with its default."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator
from pathlib import Path

from proxy.loader import load
from proxy.settings import EndpointTable, Graph, Key, Plugins, Server

_TABLES = {
    "server": Server,
    "endpoints.NAME": EndpointTable,
    "graphs.NAME": Graph,
    "keys.NAME": Key,
    "plugins": Plugins,
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.epilog = "example: saga config check config/demo.toml"
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    checking = actions.add_parser("check", help="say every mistake in a file at once")
    checking.add_argument("file", type=Path)
    actions.add_parser("keys", help="list every key, its default and what it means")


def run(args: argparse.Namespace) -> int:
    """Check a file, or print the keys. Raises ConfigError."""
    if args.action == "keys":
        print("\n".join(keys()))
        return 0
    loaded = load(args.file)
    endpoints, plugins = loaded.settings.endpoints, loaded.plugins
    print(f"{args.file}: ok ({len(endpoints)} endpoint(s): {', '.join(endpoints)}; {len(plugins)} plugin(s))")
    return 0


def keys() -> Iterator[str]:
    """Yield a line per key of the core's tables."""
    for name, table in _TABLES.items():
        yield f"[{name}]"
        for field in dataclasses.fields(table):
            default = {} if field.default is dataclasses.MISSING else field.default
            yield f"  {field.name} = {_toml(default)}  # {field.metadata['text']}"


def _toml(value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case tuple():
            return "[" + ", ".join(_toml(each) for each in value) + "]"
        case str() | Path():
            return f'"{value}"'
        case int() | float():
            return str(value)
        case _:
            return "{}"
