"""The least hop that Python can be: read the body, post it on, send the reply on. Run as a program.

`python -m tests.bench.hop.bare PORT UPSTREAM {asyncio,uvloop}`. It checks nothing and knows nothing of SPARQL: what the
proxy costs is what it adds to this.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

import aiohttp
import uvloop
from aiohttp import web

_SESSION = web.AppKey("session", aiohttp.ClientSession)
_LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


def application(upstream: str) -> web.Application:
    """Return the hop."""

    async def hop(request: web.Request) -> web.Response:
        body = await request.read()
        headers = {"Content-Type": request.headers["Content-Type"], "Accept": request.headers["Accept"]}
        async with request.app[_SESSION].post(upstream, data=body, headers=headers) as reply:
            whole = await reply.read()
            return web.Response(
                status=reply.status, body=whole, headers={"Content-Type": reply.headers["Content-Type"]}
            )

    async def session(app: web.Application) -> AsyncIterator[None]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as app[_SESSION]:
            yield

    app = web.Application()
    app.cleanup_ctx.append(session)
    app.router.add_post("/sparql", hop)
    return app


def main(arguments: list[str]) -> None:
    """Serve until killed."""
    port, upstream, loop = arguments
    web.run_app(
        application(upstream), host="127.0.0.1", port=int(port), access_log=None, print=None, loop=_LOOPS[loop]()
    )


if __name__ == "__main__":
    main(sys.argv[1:])
