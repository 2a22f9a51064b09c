"""Commands of plugins: in process from a configuration, or against a proxy that runs."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

from proxy.contract import Context
from proxy.core import Core
from proxy.loader import Loaded, check, load
from proxy.logs import start_logging

DEMO = Path(__file__).parent.parent / "config" / "demo.toml"

Call = Callable[[Context, argparse.Namespace], Awaitable[int]]


def _place() -> argparse.ArgumentParser:
    """Return the options that say where a command finds its endpoints."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--config", type=Path, default=DEMO)
    where.add_argument("--server", metavar="URL")
    return parser


PLACE = _place()


def run(args: argparse.Namespace) -> int:
    """Make the context and call the command. Raises ConfigError."""
    start_logging("warning")
    loaded = _remote(args.server) if args.server else load(args.config)
    return asyncio.run(_call(cast(Call, args.call), loaded, args))


async def _call(call: Call, loaded: Loaded, args: argparse.Namespace) -> int:
    # What a plugin needs at its start may be what the command makes: it says which plugins it does without.
    without: frozenset[str] = getattr(args, "without", frozenset())
    plugins = tuple(each for each in loaded.plugins if type(each).__module__ not in without)
    async with Core(dataclasses.replace(loaded, plugins=plugins)).lifespan() as context:
        return await call(context, args)


def _remote(server: str) -> Loaded:
    """Return a configuration whose one endpoint is the proxy that runs."""
    endpoint = {"url": server.rstrip("/") + "/sparql"}
    return check({"endpoints": {"server": endpoint}, "plugins": {"enabled": []}}, Path())
