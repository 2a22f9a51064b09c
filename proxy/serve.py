"""`saga serve`: run the proxy, in workers on one socket."""

from __future__ import annotations

import argparse
import functools
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from proxy.command import DEMO
from proxy.config import read_toml
from proxy.errors import ConfigError, UsageError
from proxy.supervisor import supervise
from proxy.worker import Plan

# The system bounds it further; Linux by net.core.somaxconn.
_BACKLOG = 65535


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.epilog = "example: saga serve --config config/endpoint.toml --workers 4"
    parser.add_argument("--config", type=Path, default=DEMO, help="TOML file; default: the demo")
    parser.add_argument("--host", help="address to listen on, instead of the configured one")
    parser.add_argument("--port", type=int, help="port to listen on, instead of the configured one; 0 takes a free one")
    parser.add_argument("--workers", type=int, help="number of processes, instead of the configured one")


def run(args: argparse.Namespace) -> int:
    """Serve until a stop signal. Raises ConfigError or UsageError where the start fails."""
    # Until there are workers that could be renewed, this must not end the start.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        settings = planned(args).settings()
    except ConfigError:
        # The mistakes of plugins too, all at once.
        planned(args).loaded()
        raise
    with listen(settings.server.host, settings.server.port) as listener:
        return supervise(functools.partial(read, args), listener, settings)


def read(args: argparse.Namespace) -> Plan:
    """Read the configuration as it is now, and fill new stores. Raises ConfigError, UsageError."""
    plan = planned(args)
    try:
        tables = plan.settings().endpoints.values()
    except ConfigError:
        # The first worker says what is wrong, with the mistakes of plugins too.
        return plan
    for table in tables:
        if table.store and table.load and not table.store.exists():
            fill(table.store, table.load)
    return plan


def planned(args: argparse.Namespace) -> Plan:
    """Lay the words of the command line over the file. Raises ConfigError, UsageError."""
    if args.workers is not None and not 1 <= args.workers <= 64:
        raise UsageError("--workers must be between 1 and 64")
    tables = read_toml(args.config)
    server = tables.get("server", {})
    if isinstance(server, dict):
        words = {"host": args.host, "port": args.port, "workers": args.workers}
        tables["server"] = {**server, **{name: word for name, word in words.items() if word is not None}}
    return Plan(tables=tables, folder=args.config.parent.resolve())


def fill(store: Path, files: Sequence[Path]) -> None:
    """Load a store that does not exist yet, in a process of its own. Raises UsageError where that fails."""
    command = [sys.executable, "-m", "proxy", "load", *map(str, files), "--store", str(store)]
    code = subprocess.run(command, check=False).returncode
    if code:
        raise UsageError(f"{store} could not be loaded (exit code {code}); what is wrong stands above")


def listen(host: str, port: int) -> socket.socket:
    """Open the listening socket. Raises ConfigError where the address cannot be had."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, proto)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        raise ConfigError(f"cannot listen on {host}:{port}: {error}; choose another with --host or --port") from None
    return listener
