"""`saga serve`: run the proxy, in this process or in several workers on one socket."""

from __future__ import annotations

import argparse
import dataclasses
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from proxy.command import DEMO
from proxy.errors import ConfigError, UsageError
from proxy.loader import Loaded, load
from proxy.supervisor import supervise
from proxy.worker import serve

_BACKLOG = 1024


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.epilog = "example: saga serve --config config/endpoint.toml --workers 4"
    parser.add_argument("--config", type=Path, default=DEMO, help="TOML file; default: the demo")
    parser.add_argument("--host", help="address to listen on, instead of the configured one")
    parser.add_argument("--port", type=int, help="port to listen on, instead of the configured one; 0 takes a free one")
    parser.add_argument("--workers", type=int, help="number of processes, instead of the configured one")


def run(args: argparse.Namespace) -> int:
    """Serve until a stop signal. Raises ConfigError or UsageError where the start fails."""
    loaded = override(load(args.config), args.host, args.port, args.workers)
    server = loaded.settings.server
    for table in loaded.settings.endpoints.values():
        if table.store and table.load and not table.store.exists():
            fill(table.store, table.load)
    listener = listen(server.host, server.port)
    with listener:
        host, port = listener.getsockname()[:2]
        print(f"Saga serves http://{_bracketed(host)}:{port}/sparql", flush=True)
        if server.workers == 1:
            return serve(loaded, listener)
        return supervise(args.config, loaded, listener)


def fill(store: Path, files: Sequence[Path]) -> None:
    """Load a store that does not exist yet, in a process of its own. Raises UsageError where that fails."""
    command = [sys.executable, "-m", "proxy", "load", *map(str, files), "--store", str(store)]
    code = subprocess.run(command, check=False).returncode
    if code:
        raise UsageError(f"{store} could not be loaded (exit code {code}); what is wrong stands above")


def override(loaded: Loaded, host: str | None, port: int | None, workers: int | None) -> Loaded:
    """Lay the words of the command line over the configuration."""
    server = loaded.settings.server
    server = dataclasses.replace(
        server,
        host=server.host if host is None else host,
        port=server.port if port is None else port,
        workers=server.workers if workers is None else workers,
    )
    if not 1 <= server.workers <= 64:
        raise UsageError("--workers must be between 1 and 64")
    return dataclasses.replace(loaded, settings=dataclasses.replace(loaded.settings, server=server))


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


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
