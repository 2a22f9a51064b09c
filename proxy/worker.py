"""One process that serves: an event loop, the application, and a clean end."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from aiohttp import web

from proxy.app import build, metrics_app
from proxy.errors import ConfigError
from proxy.headers import CommonHeaders
from proxy.listener import Runner
from proxy.loader import Loaded, load
from proxy.observe import event, start_logging

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def serve(loaded: Loaded, listener: socket.socket, lifeline: int | None = None) -> int:
    """Serve on an open socket until a stop signal, and return the exit code.

    ``lifeline`` is a descriptor whose other end the parent holds: when that dies, however, the worker ends too.
    """
    start_logging(loaded.settings.server.log_level)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(loaded, listener, lifeline))
    return 0


async def _serve(loaded: Loaded, listener: socket.socket, lifeline: int | None) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, stopped.set)
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(running(loaded, listener))
        event("worker.ready", endpoints=list(loaded.settings.endpoints))
        if lifeline is not None:
            loop.add_reader(lifeline, stopped.set)
        await stopped.wait()
        event("worker.stopping")


@contextlib.asynccontextmanager
async def running(loaded: Loaded, listener: socket.socket) -> AsyncIterator[None]:
    """Run the application of one worker on an open socket."""
    server = loaded.settings.server
    app = build(loaded)
    common = CommonHeaders(server.cors_origins)
    runner = Runner(app, common, server)
    runners: list[web.AppRunner] = [runner]
    try:
        await runner.setup()
        if server.metrics_bind:
            host, _, port = server.metrics_bind.rpartition(":")
            metrics = web.AppRunner(metrics_app(app), access_log=None)
            runners.append(metrics)
            await metrics.setup()
            await web.TCPSite(metrics, host or "127.0.0.1", int(port), reuse_port=True).start()
        await web.SockSite(runner, listener).start()
        yield
    finally:
        for each in runners:
            await each.cleanup()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def main() -> int:
    """Serve as one of several workers, on the socket that the parent opened."""
    parser = argparse.ArgumentParser(prog="python -m proxy.worker")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--fd", type=int, required=True)
    args = parser.parse_args()
    try:
        loaded = load(args.config)
    except ConfigError as error:
        print(f"saga: {error}", file=sys.stderr)
        return 2
    return serve(loaded, socket.socket(fileno=args.fd), lifeline=sys.stdin.fileno())


if __name__ == "__main__":
    sys.exit(main())
