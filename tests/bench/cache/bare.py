"""The least server that Python can be: the same bytes for every request, from memory. Run as a program.

`python -m tests.bench.cache.bare PORT FILE`. It reads no query and checks nothing: what a hit costs is what it adds.
"""

from __future__ import annotations

import sys
from pathlib import Path

import uvloop
from aiohttp import web


def application(body: bytes) -> web.Application:
    """Return the server."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": "application/sparql-results+json"})

    app = web.Application()
    app.router.add_get("/sparql", answer)
    return app


def main(arguments: list[str]) -> None:
    """Serve until killed."""
    port, file = arguments
    app = application(Path(file).read_bytes())
    web.run_app(app, host="127.0.0.1", port=int(port), access_log=None, print=None, loop=uvloop.new_event_loop())


if __name__ == "__main__":
    main(sys.argv[1:])
